package dev.idempotency.web;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.lang.management.ManagementFactory;
import java.util.Random;

import com.sun.management.ThreadMXBean;
import dev.idempotency.http.AnswerBody;
import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * A body while it is held, and when it begins to flow.
 */
class RecordedBodyTests {

	private static final int LIMIT = 4 << 20;

	private final Client client = new Client();

	@Test
	void holdsWhatWasWritten() throws IOException {
		for (int seed = 0; seed < 200; seed++) {
			Random random = new Random(seed);
			RecordedBody body = new RecordedBody(this.client, LIMIT);
			byte[] written = write(random, body);
			assertThat(body.bytes().toBytes()).as("seed %d", seed).isEqualTo(written);
			assertThat(body.size()).isEqualTo(written.length);
			body.clear();
			byte[] anew = write(random, body);
			assertThat(body.bytes().toBytes()).as("seed %d", seed).isEqualTo(anew);
		}
		assertThat(this.client.received.size()).isZero();
	}

	@Test
	void sendsWhatItHeldWhenItBeginsToFlow() throws IOException {
		for (int seed = 0; seed < 200; seed++) {
			Random random = new Random(seed);
			this.client.received.reset();
			RecordedBody body = new RecordedBody(this.client, LIMIT);
			ByteArrayOutputStream written = new ByteArrayOutputStream();
			written.writeBytes(write(random, body));
			this.client.flows = true;
			body.flush();
			this.client.flows = false;
			written.writeBytes(write(random, body));
			assertThat(this.client.received.toByteArray()).as("seed %d", seed).isEqualTo(written.toByteArray());
			assertThat(body.bytes().toBytes()).as("seed %d", seed).isEqualTo(written.toByteArray());
		}
	}

	@Test
	void whatWasTakenStaysWhatItWas() throws IOException {
		RecordedBody body = new RecordedBody(this.client, LIMIT);
		byte[] first = write(new Random(1), body);
		AnswerBody taken = body.bytes();
		write(new Random(2), body);
		assertThat(taken.toBytes()).isEqualTo(first);
	}

	/**
	 * As Jackson writes.
	 */
	@Test
	void takesNoMoreRoomThanTheBody() throws IOException {
		byte[] piece = new byte[8_000];
		write(new Random(1), new RecordedBody(this.client, LIMIT));
		ThreadMXBean threads = (ThreadMXBean) ManagementFactory.getThreadMXBean();
		long before = threads.getCurrentThreadAllocatedBytes();
		RecordedBody body = new RecordedBody(this.client, LIMIT);
		for (int i = 0; i < 125; i++) {
			body.write(piece, 0, piece.length);
		}
		long allocated = threads.getCurrentThreadAllocatedBytes() - before;
		assertThat(body.size()).isEqualTo(1_000_000);
		assertThat(allocated).isLessThan(1_010_000);
	}

	private static byte[] write(Random random, RecordedBody body) throws IOException {
		ByteArrayOutputStream written = new ByteArrayOutputStream();
		int largest = 1 << random.nextInt(14);
		for (int i = random.nextInt(20); i >= 0; i--) {
			byte[] piece = new byte[random.nextInt(largest) + 2];
			random.nextBytes(piece);
			body.write(piece, 1, piece.length - 1);
			written.write(piece, 1, piece.length - 1);
		}
		return written.toByteArray();
	}

	/**
	 * Gets what flows.
	 */
	private static final class Client implements RecordedBody.Channel {

		private final ByteArrayOutputStream received = new ByteArrayOutputStream();

		private boolean flows;

		@Override
		public boolean mayFlow() {
			return this.flows;
		}

		@Override
		public boolean mayFlowUnasked() {
			return false;
		}

		@Override
		public boolean isEndless() {
			return false;
		}

		@Override
		public void open(long declaredLength) {
		}

		@Override
		public void write(byte[] source, int offset, int length) {
			this.received.write(source, offset, length);
		}

		@Override
		public void flush() {
		}

		@Override
		public void close() {
		}

		@Override
		public void clientLost() {
		}

	}

}
