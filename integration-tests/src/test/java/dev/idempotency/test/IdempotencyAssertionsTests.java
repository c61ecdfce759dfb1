package dev.idempotency.test;

import java.net.URI;
import java.util.Iterator;
import java.util.List;

import org.junit.jupiter.api.Test;

import org.springframework.http.ResponseEntity;

import static dev.idempotency.test.IdempotencyAssertions.assertThatReplays;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

class IdempotencyAssertionsTests {

	@Test
	void givesTheFirstAnswer() {
		ResponseEntity<String> first = created("r-1").body("paid");
		assertThat(assertThatReplays(answers(first, replayed("r-1").body("paid"))::next)).isSameAs(first);
	}

	@Test
	void comparesBytes() {
		assertThatReplays(
				answers(created("r-1").body(new byte[] { 1, -1 }), replayed("r-1").body(new byte[] { 1, -1 }))::next);
		assertThatExceptionOfType(AssertionError.class).isThrownBy(() -> assertThatReplays(
				answers(created("r-1").body(new byte[] { 1, -1 }), replayed("r-1").body(new byte[] { 1, -2 }))::next));
	}

	@Test
	void findsAnAnswerThatIsNoReplay() {
		assertThatExceptionOfType(AssertionError.class)
			.isThrownBy(
					() -> assertThatReplays(answers(created("r-1").body("paid"), created("r-1").body("paid"))::next))
			.withMessageContaining("The second response is no replay")
			.withMessageContaining("status=201");
	}

	@Test
	void findsAKeyThatWasUsedBefore() {
		assertThatExceptionOfType(AssertionError.class)
			.isThrownBy(
					() -> assertThatReplays(answers(replayed("r-1").body("paid"), replayed("r-1").body("paid"))::next))
			.withMessageContaining("used before");
	}

	@Test
	void findsAReplayOfSomethingElse() {
		assertThatExceptionOfType(AssertionError.class)
			.isThrownBy(
					() -> assertThatReplays(answers(created("r-1").body("paid"), replayed("r-2").body("paid"))::next))
			.withMessageContaining("the replay")
			.withMessageContaining("/r-2");
		assertThatExceptionOfType(AssertionError.class)
			.isThrownBy(
					() -> assertThatReplays(answers(created("r-1").body("paid"), replayed("r-1").body("lost"))::next))
			.withMessageContaining("lost");
	}

	@Test
	void passesAFailureOn() {
		assertThatExceptionOfType(AssertionError.class).isThrownBy(() -> assertThatReplays(() -> {
			throw new IllegalStateException("no line");
		})).withMessageContaining("The request failed").withRootCauseInstanceOf(IllegalStateException.class);
	}

	@Test
	void refusesWhatIsNoAnswer() {
		assertThatIllegalArgumentException().isThrownBy(() -> assertThatReplays(() -> "paid"))
			.withMessageContaining("java.lang.String");
	}

	private static ResponseEntity.BodyBuilder created(String id) {
		return ResponseEntity.created(URI.create("/" + id));
	}

	private static ResponseEntity.BodyBuilder replayed(String id) {
		return created(id).header("Idempotent-Replayed", "true");
	}

	private static <T> Iterator<ResponseEntity<T>> answers(ResponseEntity<T> first, ResponseEntity<T> second) {
		return List.of(first, second).iterator();
	}

}
