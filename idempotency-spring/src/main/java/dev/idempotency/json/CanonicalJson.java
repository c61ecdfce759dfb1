package dev.idempotency.json;

import java.io.ByteArrayInputStream;
import java.io.InputStreamReader;
import java.io.Writer;
import java.nio.ByteBuffer;
import java.nio.CharBuffer;
import java.nio.charset.CharacterCodingException;
import java.nio.charset.CharsetDecoder;
import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Comparator;
import java.util.List;

import dev.idempotency.digest.Parts;
import dev.idempotency.digest.Sha256;
import org.jspecify.annotations.Nullable;
import tools.jackson.core.JacksonException;
import tools.jackson.core.JsonParser;
import tools.jackson.core.JsonToken;
import tools.jackson.core.ObjectReadContext;
import tools.jackson.core.StreamReadConstraints;
import tools.jackson.core.TokenStreamFactory;
import tools.jackson.core.json.JsonFactory;

/**
 * A SHA-256 that two JSON texts share when they have the same value: neither the order of
 * members, nor white space, nor escapes, nor how a number is written make a difference.
 * Members of the same name keep their order, because what they mean is for the
 * application to say.
 * <p>
 * The canonical text is never built. Arrays and scalars flow into the digest as they are
 * read; of an object, which has to be sorted first, the names and values are kept until
 * it ends, a value that is long as its digest, and so is the object then. Every piece
 * says what it is and where it ends, so that no two values look the same when they are
 * strung together.
 * <p>
 * These digests are stored: a change of the format makes every retry that is under way
 * look like another request.
 */
public final class CanonicalJson {

	/**
	 * Nesting is the only limit, for whoever reads the body has already limited its size.
	 * All are set here, and names are not looked up in Jackson's shared table, which can
	 * overflow: two instances must never disagree about one text because of their
	 * settings or of what they have read before.
	 */
	private static final JsonFactory JSON = JsonFactory.builder()
		.streamReadConstraints(StreamReadConstraints.builder()
			.maxNestingDepth(500)
			.maxDocumentLength(-1)
			.maxTokenCount(-1)
			.maxNameLength(Integer.MAX_VALUE)
			.maxNumberLength(Integer.MAX_VALUE)
			.maxStringLength(Integer.MAX_VALUE)
			.build())
		.disable(TokenStreamFactory.Feature.CANONICALIZE_PROPERTY_NAMES)
		.disable(TokenStreamFactory.Feature.INTERN_PROPERTY_NAMES)
		.build();

	/**
	 * A text of so many bytes is decoded at once; a longer one as it is read.
	 */
	private static final int DECODED_AT_ONCE = 16 * 1024;

	/**
	 * A member's value or an object of so many bytes is kept as it is: a digest would
	 * cost more.
	 */
	static final int SHORT_FORM = 256;

	/**
	 * Comes before the digest of a value that is longer.
	 */
	static final char LONG_FORM = '=';

	private final JsonParser parser;

	private final boolean decoded;

	/**
	 * The whole text at first, then the objects that are open. Those that have been
	 * closed are used again: nothing here recurses, and little is created.
	 */
	private final List<Level> levels = new ArrayList<>();

	private int depth;

	private Level level = new Level();

	private final TextWriter text;

	private byte[] number = new byte[64];

	/**
	 * Create a reader of a text.
	 * @param parser reads it
	 * @param length its length, or more
	 * @param decoded whether all of it is in memory anyway
	 */
	private CanonicalJson(JsonParser parser, int length, boolean decoded) {
		this.parser = parser;
		this.decoded = decoded;
		this.text = new TextWriter(this.level.value, length);
		this.levels.add(this.level);
	}

	/**
	 * Adds content that is said to be JSON: by its value if it is, or else by its bytes.
	 * @param parts what to add it to
	 * @param content holds the content
	 * @param length how many bytes it has
	 */
	public static void addTo(Parts parts, byte[] content, int length) {
		byte[] json = (length > 0) ? digest(content, length, parts.unusedDigest()) : null;
		if (json != null) {
			parts.add("json").add(json);
		}
		else {
			parts.add("bytes").add(content, length);
		}
	}

	/**
	 * The digest of a JSON text in UTF-8.
	 * @param json the text
	 * @param length how many bytes of it there are
	 * @param sha256 a digest with nothing in it, which it has afterwards too
	 * @return the digest, or {@code null} if this is not exactly one valid JSON value, or
	 * one that is nested too deeply
	 */
	public static byte @Nullable [] digest(byte[] json, int length, MessageDigest sha256) {
		byte[] plain = PlainJson.digest(json, length, sha256);
		return (plain != null) ? plain : digestOfParsed(json, length);
	}

	/**
	 * The digest of a JSON text, the same as that of its bytes.
	 * @param json the text, which may have halves of surrogate pairs in it
	 * @return the digest, or {@code null} if this is not exactly one valid JSON value, or
	 * one that is nested too deeply
	 */
	public static byte @Nullable [] digest(String json) {
		try (JsonParser parser = JSON.createParser(ObjectReadContext.empty(), json)) {
			return new CanonicalJson(parser, json.length(), true).digest();
		}
		catch (JacksonException ex) {
			return null;
		}
	}

	/**
	 * The digest of any JSON text, be it plain or not.
	 */
	static byte @Nullable [] digestOfParsed(byte[] json, int length) {
		boolean decoded = length <= DECODED_AT_ONCE;
		try (JsonParser parser = decoded ? parserOfDecoded(json, length) : parserOf(json, length)) {
			return new CanonicalJson(parser, length, decoded).digest();
		}
		catch (JacksonException | CharacterCodingException ex) {
			return null;
		}
	}

	private static JsonParser parserOfDecoded(byte[] json, int length) throws CharacterCodingException {
		CharBuffer text = strictDecoder().decode(ByteBuffer.wrap(json, 0, length));
		return JSON.createParser(ObjectReadContext.empty(), text.array(), text.arrayOffset(), text.remaining());
	}

	private static JsonParser parserOf(byte[] json, int length) {
		return JSON.createParser(ObjectReadContext.empty(),
				new InputStreamReader(new ByteArrayInputStream(json, 0, length), strictDecoder()));
	}

	/**
	 * Jackson's own decoder lets some malformed UTF-8 pass, this one reports it.
	 */
	private static CharsetDecoder strictDecoder() {
		return StandardCharsets.UTF_8.newDecoder();
	}

	private byte @Nullable [] digest() {
		boolean complete = false;
		for (JsonToken token = this.parser.nextToken(); token != null; token = this.parser.nextToken()) {
			if (complete) {
				return null;
			}
			add(token);
			if (token != JsonToken.PROPERTY_NAME && !token.isStructStart()) {
				if (this.parser.streamReadContext().inObject()) {
					this.level.endMember();
				}
				complete = this.parser.streamReadContext().inRoot();
			}
		}
		return complete ? this.level.value.digest() : null;
	}

	private void add(JsonToken token) {
		switch (token) {
			case START_OBJECT -> open();
			case PROPERTY_NAME -> this.level.name = this.parser.currentName();
			case END_OBJECT -> close();
			case VALUE_STRING -> {
				this.text.begin('"', this.level.value);
				addString();
				this.text.end();
			}
			case VALUE_NUMBER_INT, VALUE_NUMBER_FLOAT -> {
				this.text.begin('#', this.level.value);
				addNumber();
				this.text.end();
			}
			case START_ARRAY -> this.level.value.put('[');
			case END_ARRAY -> this.level.value.put(']');
			case VALUE_TRUE -> this.level.value.put('t');
			case VALUE_FALSE -> this.level.value.put('f');
			case VALUE_NULL -> this.level.value.put('n');
			default -> throw new IllegalStateException("JSON has no " + token);
		}
	}

	/**
	 * Of a text that is not in memory, a string need not get there either.
	 */
	private void addString() {
		if (this.decoded) {
			this.parser.getString(this.text);
		}
		else {
			this.parser.readString(this.text);
		}
	}

	private void addNumber() {
		char[] characters = this.parser.getStringCharacters();
		int offset = this.parser.getStringOffset();
		int length = this.parser.getStringLength();
		int room = Math.addExact(Math.multiplyExact(2, length), CanonicalNumber.GROWTH);
		if (this.number.length < room) {
			this.number = new byte[room];
		}
		for (int i = 0; i < length; i++) {
			this.number[i] = (byte) characters[offset + i];
		}
		this.text.write(this.number, length, CanonicalNumber.write(this.number, 0, length, this.number, length));
	}

	private void open() {
		this.depth++;
		if (this.depth == this.levels.size()) {
			this.levels.add(new Level());
		}
		this.level = this.levels.get(this.depth);
	}

	private void close() {
		byte[] object = this.level.endObject(this.text);
		this.depth--;
		this.level = this.levels.get(this.depth);
		this.level.value.put('{');
		this.level.value.put(object, object.length);
		this.level.value.put('}');
	}

	/**
	 * An object while it is read: the members that it has, and the value being read. At
	 * the end, the object itself is made of them in the place of a value.
	 */
	private static final class Level {

		private final Form value = new Form();

		private final List<Member> members = new ArrayList<>();

		private String name = "";

		private void endMember() {
			this.members.add(new Member(this.name, this.value.end()));
		}

		private byte[] endObject(TextWriter text) {
			// Stable: the order of members of the same name counts
			this.members.sort(Comparator.comparing((member) -> member.name));
			for (Member member : this.members) {
				text.begin(':', this.value);
				text.write(member.name, 0, member.name.length());
				text.end();
				this.value.put(member.value, member.value.length);
			}
			this.members.clear();
			return this.value.end();
		}

	}

	/**
	 * What a value comes to: kept as it is while it is short, and digested from then on.
	 */
	private static final class Form {

		private final MessageDigest digest = Sha256.newDigest();

		private final byte[] kept = new byte[SHORT_FORM];

		private int size;

		private boolean digesting;

		private void put(char character) {
			if (!this.digesting && this.size < SHORT_FORM) {
				this.kept[this.size++] = (byte) character;
			}
			else {
				startDigesting();
				this.digest.update((byte) character);
			}
		}

		private void put(byte[] bytes, int length) {
			if (!this.digesting && this.size + length <= SHORT_FORM) {
				System.arraycopy(bytes, 0, this.kept, this.size, length);
				this.size += length;
			}
			else {
				startDigesting();
				this.digest.update(bytes, 0, length);
			}
		}

		private void startDigesting() {
			this.digest.update(this.kept, 0, this.size);
			this.size = 0;
			this.digesting = true;
		}

		/**
		 * What stands for the value from now on. It is over then, and another begins.
		 */
		private byte[] end() {
			if (!this.digesting) {
				byte[] form = Arrays.copyOf(this.kept, this.size);
				this.size = 0;
				return form;
			}
			byte[] digest = digest();
			byte[] form = new byte[1 + digest.length];
			form[0] = LONG_FORM;
			System.arraycopy(digest, 0, form, 1, digest.length);
			return form;
		}

		/**
		 * The digest of the value. It is over then, and another begins.
		 */
		private byte[] digest() {
			startDigesting();
			this.digesting = false;
			return this.digest.digest();
		}

	}

	@SuppressWarnings("ArrayRecordComponent")
	private record Member(String name, byte[] value) {
	}

	/**
	 * Carries a text into a form. The length of a text that is still being read is not
	 * known, so it goes in pieces, each with its kind and length before it: the piece
	 * that does not have as many characters as there is room for is the last. A piece is
	 * ASCII if it can be, as most are, and else UTF-16, which other than UTF-8 tells
	 * halves of surrogate pairs apart; its kind says so too.
	 */
	private static final class TextWriter extends Writer {

		private static final int HEADER = 3;

		private static final int PIECE = 512;

		private static final int NOT_ASCII = 0x80;

		private final char[] piece;

		private final byte[] bytes;

		private int size;

		/**
		 * All bits that any character of the piece has.
		 */
		private int bits;

		private char kind;

		private Form target;

		/**
		 * Create a writer.
		 * @param target where texts go at first
		 * @param longest no text has more characters, as it was written
		 */
		private TextWriter(Form target, int longest) {
			this.target = target;
			// One more than can be, so that no piece is full which is not full by size
			this.piece = new char[(int) Math.min(PIECE, (long) longest + CanonicalNumber.GROWTH + 1)];
			this.bytes = new byte[HEADER + 2 * this.piece.length];
		}

		private void begin(char kind, Form target) {
			this.kind = kind;
			this.target = target;
		}

		@Override
		public void write(char[] text, int offset, int length) {
			for (int i = offset; i < offset + length; i++) {
				put(text[i]);
			}
		}

		@Override
		public void write(String text, int offset, int length) {
			for (int i = offset; i < offset + length; i++) {
				put(text.charAt(i));
			}
		}

		private void write(byte[] ascii, int from, int to) {
			for (int i = from; i < to; i++) {
				put((char) ascii[i]);
			}
		}

		private void put(char character) {
			this.piece[this.size++] = character;
			this.bits |= character;
			if (this.size == this.piece.length) {
				end();
			}
		}

		private void end() {
			boolean ascii = this.bits < NOT_ASCII;
			int at = HEADER;
			for (int i = 0; i < this.size; i++) {
				if (!ascii) {
					this.bytes[at++] = (byte) (this.piece[i] >>> Byte.SIZE);
				}
				this.bytes[at++] = (byte) this.piece[i];
			}
			int length = at - HEADER;
			this.bytes[0] = (byte) (ascii ? this.kind : this.kind | NOT_ASCII);
			this.bytes[1] = (byte) (length >>> Byte.SIZE);
			this.bytes[2] = (byte) length;
			this.target.put(this.bytes, at);
			this.size = 0;
			this.bits = 0;
		}

		@Override
		public void flush() {
		}

		@Override
		public void close() {
		}

	}

}
