package dev.idempotency.torture.ledger;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.List;
import java.util.stream.Stream;

import dev.idempotency.fixtures.Unchecked;

/**
 * A file to which all processes append, a line at a time and each in one write, so that
 * whoever is killed leaves whole lines. Times are {@link System#nanoTime()}, which is the
 * same for all processes of a machine.
 */
final class Journal {

	private final FileChannel channel;

	Journal(Path file) {
		try {
			this.channel = FileChannel.open(file, StandardOpenOption.CREATE, StandardOpenOption.APPEND);
		}
		catch (IOException ex) {
			throw new UncheckedIOException(ex);
		}
	}

	void write(Entry entry, Object... words) {
		StringBuilder line = new StringBuilder(entry.name());
		for (Object word : words) {
			line.append(' ').append(word);
		}
		Unchecked.run(() -> this.channel
			.write(ByteBuffer.wrap(line.append('\n').toString().getBytes(StandardCharsets.UTF_8))));
	}

	static List<Line> read(Path file) {
		if (!Files.exists(file)) {
			return List.of();
		}
		try (Stream<String> lines = Files.lines(file)) {
			return lines.map(Line::parse).toList();
		}
		catch (IOException ex) {
			throw new UncheckedIOException(ex);
		}
	}

	/**
	 * What a line is about, and the words that follow.
	 */
	enum Entry {

		/**
		 * A handler begins: caller, key, attempt, id, instance, amount, time.
		 */
		BEGUN,

		/**
		 * The effect, as far as there is no database for it: the same words.
		 */
		EFFECT,

		/**
		 * A claim was granted: caller, key, attempt, owner, instance, asked, answered.
		 */
		GRANTED,

		/**
		 * A lease was renewed: owner, asked, answered.
		 */
		RENEWED,

		/**
		 * A result was stored: owner, asked, answered.
		 */
		COMPLETED,

		/**
		 * A key is about to be given back: owner, time.
		 */
		RELEASING,

		/**
		 * The store is about to be told that the outcome of a claim is unknown: owner,
		 * time.
		 */
		REPORTING,

		/**
		 * The store failed to keep a result, and its answer left all the same: caller,
		 * key, attempt.
		 */
		UNSTORED,

		/**
		 * A process did not get to run: instance, from, to.
		 */
		STALLED

	}

	/**
	 * A line.
	 */
	record Line(Entry entry, List<String> words) {

		static Line parse(String line) {
			String[] words = line.split(" ", -1);
			return new Line(Entry.valueOf(words[0]), List.of(words).subList(1, words.length));
		}

		String word(int index) {
			return this.words.get(index);
		}

		long number(int index) {
			return Long.parseLong(word(index));
		}

		KeyOfCaller key() {
			return new KeyOfCaller(word(0), word(1));
		}

	}

}
