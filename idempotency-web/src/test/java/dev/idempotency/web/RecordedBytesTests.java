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
 * The bytes of a body that is held.
 */
class RecordedBytesTests {

	@Test
	void holdsWhatWasWritten() throws IOException {
		for (int seed = 0; seed < 200; seed++) {
			Random random = new Random(seed);
			RecordedBytes body = new RecordedBytes();
			byte[] written = write(random, body);
			assertThat(body.toBody().toBytes()).as("seed %d", seed).isEqualTo(written);
			assertThat(body.size()).isEqualTo(written.length);
			ByteArrayOutputStream sent = new ByteArrayOutputStream();
			body.writeTo(sent::write);
			assertThat(sent.toByteArray()).as("seed %d", seed).isEqualTo(written);
			body.clear();
			byte[] anew = write(random, body);
			assertThat(body.toBody().toBytes()).as("seed %d", seed).isEqualTo(anew);
		}
	}

	@Test
	void whatWasTakenStaysWhatItWas() {
		RecordedBytes body = new RecordedBytes();
		byte[] first = write(new Random(1), body);
		AnswerBody taken = body.toBody();
		write(new Random(2), body);
		assertThat(taken.toBytes()).isEqualTo(first);
	}

	/**
	 * As Jackson writes.
	 */
	@Test
	void takesNoMoreRoomThanTheBody() {
		byte[] piece = new byte[8_000];
		write(new Random(1), new RecordedBytes());
		ThreadMXBean threads = (ThreadMXBean) ManagementFactory.getThreadMXBean();
		long before = threads.getCurrentThreadAllocatedBytes();
		RecordedBytes body = new RecordedBytes();
		for (int i = 0; i < 125; i++) {
			body.add(piece, 0, piece.length);
		}
		long allocated = threads.getCurrentThreadAllocatedBytes() - before;
		assertThat(body.size()).isEqualTo(1_000_000);
		assertThat(allocated).isLessThan(1_010_000);
	}

	private static byte[] write(Random random, RecordedBytes body) {
		ByteArrayOutputStream written = new ByteArrayOutputStream();
		int largest = 1 << random.nextInt(14);
		for (int i = random.nextInt(20); i >= 0; i--) {
			byte[] piece = new byte[random.nextInt(largest) + 2];
			random.nextBytes(piece);
			body.add(piece, 1, piece.length - 1);
			written.write(piece, 1, piece.length - 1);
		}
		return written.toByteArray();
	}

}
