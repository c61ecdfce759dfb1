package dev.idempotency.store.redis;

import java.io.BufferedOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.Socket;
import java.time.Duration;
import java.time.Instant;
import java.util.Arrays;
import java.util.List;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;

import dev.idempotency.Fingerprint;
import dev.idempotency.IdempotencyKey;
import dev.idempotency.fixtures.ManyRecordsContract;
import dev.idempotency.fixtures.Unchecked;
import dev.idempotency.servers.RedisServerProcess;
import dev.idempotency.store.RecordFilter;
import dev.idempotency.store.SearchableStore.Count;
import dev.idempotency.store.SearchableStore;
import dev.idempotency.store.StoredResult;
import org.assertj.core.data.Percentage;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.Test;

import org.springframework.data.redis.connection.RedisStandaloneConfiguration;
import org.springframework.data.redis.connection.lettuce.LettuceConnectionFactory;

import static dev.idempotency.store.redis.Names.utf8;
import static org.assertj.core.api.Assertions.assertThat;

class ManyRecordsInRedisTests extends ManyRecordsContract {

	private static final Fingerprint NO_FINGERPRINT = Fingerprint.ofBytes(new byte[32]);

	// Its commands are counted, and others would have to share it with a million records
	@AutoClose
	private final RedisServerProcess server = RedisServerProcess.start();

	@AutoClose("destroy")
	private final LettuceConnectionFactory connectionFactory = RedisServers
		.lettuce(RedisServers.standalone(this.server));

	private final RedisIdempotencyStore store = new RedisIdempotencyStore(this.connectionFactory, RedisScene.PREFIX, 0);

	@Override
	protected SearchableStore store() {
		return this.store;
	}

	@Override
	protected Class<?> reader() {
		return Reader.class;
	}

	@Override
	protected String address() {
		return String.valueOf(this.server.port());
	}

	@Test
	void neverAsksForAllNamesAtOnce() {
		this.store.search(RecordFilter.all(NAMESPACE), 0, 50);
		assertThat(this.server.send("INFO commandstats")).contains("cmdstat_scan").doesNotContain("cmdstat_keys");
	}

	@Test
	void estimatesFromSomeOfTheRecordsWhereAllOfThemWouldTakeTooLong() {
		KeyspaceSearch hasty = new KeyspaceSearch(this.connectionFactory, new ScriptRunner(this.connectionFactory),
				RedisScene.NAMES, 2_000);
		assertThat(hasty.search(RecordFilter.all(NAMESPACE), 0, 50)).satisfies((found) -> {
			assertThat(found.complete()).isFalse();
			assertThat(found.records()).hasSize(50);
		});
		assertThat(hasty.search(RecordFilter.all(NAMESPACE).withKey("key 7"), 0, 50).records()).hasSize(1);
		assertThat(hasty.count(NAMESPACE)).satisfies((counts) -> {
			assertThat(counts.exact()).isFalse();
			assertThat(counts.counts().stream().mapToLong(Count::number).sum()).isCloseTo(RECORDS,
					Percentage.withPercentage(20));
		});
	}

	@Override
	protected void fill() {
		try (Socket socket = new Socket(InetAddress.getLoopbackAddress(), this.server.port())) {
			InputStream answers = socket.getInputStream();
			// Lest the server stops reading because nobody reads what it answers
			CompletableFuture<Void> read = CompletableFuture.runAsync(() -> readLines(answers, RECORDS));
			OutputStream commands = new BufferedOutputStream(socket.getOutputStream(), 1 << 20);
			Instant now = Instant.now();
			byte[] result = StoredResult.of(new byte[RESULT_SIZE - 2]).toFrame();
			for (int number = 0; number < RECORDS; number++) {
				write(commands, number, now, result);
			}
			commands.flush();
			read.join();
		}
		catch (IOException ex) {
			throw new UncheckedIOException(ex);
		}
	}

	private static void write(OutputStream commands, int number, Instant now, byte[] result) throws IOException {
		IdempotencyKey key = key(number);
		Instant created = now.minus(INTERVAL.multipliedBy(number));
		Duration lease = (number % RUNNING_ONE_IN == 0) ? Duration.between(created, now).plusHours(1) : Duration.ZERO;
		Duration left = Duration.ofDays(7);
		byte[] record = RecordPacking.claimed(new UUID(0, number), key, NO_FINGERPRINT, lease,
				Duration.between(created, now).plus(left).toMillis(), null);
		if (number % 1000 != 0) {
			int size = record.length;
			int sizeLength = RecordPacking.sizeLength(result.length);
			record = Arrays.copyOf(record, size + sizeLength + result.length);
			RecordPacking.putSize(record, size, result.length);
			System.arraycopy(result, 0, record, size + sizeLength, result.length);
			record[PackedRecord.FLAGS] |= PackedRecord.COMPLETED_FLAG;
		}
		send(commands, List.of(utf8("SET"), RedisScene.NAMES.record(key), record, utf8("PXAT"),
				utf8(String.valueOf(now.plus(left).toEpochMilli() - 1))));
	}

	private static void send(OutputStream commands, List<byte[]> words) throws IOException {
		commands.write(utf8("*%d\r\n".formatted(words.size())));
		for (byte[] word : words) {
			commands.write(utf8("$%d\r\n".formatted(word.length)));
			commands.write(word);
			commands.write(utf8("\r\n"));
		}
	}

	private static void readLines(InputStream answers, long lines) {
		Unchecked.run(() -> {
			byte[] buffer = new byte[1 << 16];
			for (long seen = 0; seen < lines;) {
				int read = answers.read(buffer);
				for (int i = 0; i < read; i++) {
					seen += (buffer[i] == '\n') ? 1 : 0;
				}
			}
		});
	}

	/**
	 * In a process of its own.
	 */
	static final class Reader {

		private Reader() {
		}

		public static void main(String[] arguments) {
			LettuceConnectionFactory connections = RedisServers
				.lettuce(new RedisStandaloneConfiguration("127.0.0.1", Integer.parseInt(arguments[0])));
			read(new RedisIdempotencyStore(connections, RedisScene.PREFIX, 0));
			connections.destroy();
		}

	}

}
