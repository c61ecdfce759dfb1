package dev.idempotency.core;

import java.io.IOException;
import java.net.ConnectException;
import java.net.SocketTimeoutException;
import java.net.UnknownHostException;
import java.net.http.HttpConnectTimeoutException;
import java.net.http.HttpTimeoutException;
import java.util.List;
import java.util.concurrent.CompletionException;
import java.util.concurrent.TimeoutException;
import java.util.stream.Stream;

import dev.idempotency.IdempotencyStoreException;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;

class UnknownOutcomesTests {

	private static Stream<Throwable> unknown() {
		return Stream.of(new SocketTimeoutException("Read timed out"), new HttpTimeoutException("request timed out"),
				new TimeoutException(), new IllegalStateException(new IOException(new SocketTimeoutException())),
				new CompletionException(new TimeoutException()), new SlowBankException(),
				new AssertionError(new TimeoutException()));
	}

	private static Stream<Throwable> known() {
		return Stream.of(new IllegalStateException("bug"), new IOException("Connection reset"),
				new ConnectException("Connection refused"), new HttpConnectTimeoutException("HTTP connect timed out"),
				new SlowBankException(new ConnectException("Connection refused")),
				new IllegalStateException(new SlowBankException(new UnknownHostException("bank"))),
				new IdempotencyStoreException("the store is down", new SocketTimeoutException()),
				new IllegalStateException(new IdempotencyStoreException("down", new TimeoutException())));
	}

	@ParameterizedTest
	@MethodSource("unknown")
	void isUnknownAfterARequestWithoutResponse(Throwable failure) {
		assertThat(UnknownOutcomes.DEFAULT.isUnknownAfter(failure)).isTrue();
		assertThat(UnknownOutcomes.NONE.isUnknownAfter(failure)).isFalse();
	}

	@ParameterizedTest
	@MethodSource("known")
	void isKnownAfterAnythingElse(Throwable failure) {
		assertThat(UnknownOutcomes.DEFAULT.isUnknownAfter(failure)).isFalse();
	}

	@Test
	void countsTypesThatAreAdded() {
		UnknownOutcomes more = UnknownOutcomes.DEFAULT.and(List.of(IOException.class.getName()));
		assertThat(more.isUnknownAfter(new IOException("Connection reset"))).isTrue();
		assertThat(more.isUnknownAfter(new TimeoutException())).isTrue();
		assertThat(more.isUnknownAfter(new ConnectException("Connection refused"))).isFalse();
		assertThat(more).isNotEqualTo(UnknownOutcomes.DEFAULT);
		assertThat(UnknownOutcomes.NONE.and(UnknownOutcomes.DEFAULT_TYPES)).isEqualTo(UnknownOutcomes.DEFAULT)
			.hasSameHashCodeAs(UnknownOutcomes.DEFAULT);
	}

	@Test
	void endsWhereCausesGoInACircle() {
		Exception one = new Exception("one");
		Exception other = new Exception("other", one);
		one.initCause(other);
		assertThat(UnknownOutcomes.DEFAULT.isUnknownAfter(one)).isFalse();
	}

	private static final class SlowBankException extends SocketTimeoutException {

		private static final long serialVersionUID = 1L;

		private SlowBankException() {
			super("The bank is slow");
		}

		private SlowBankException(Throwable cause) {
			initCause(cause);
		}

	}

}
