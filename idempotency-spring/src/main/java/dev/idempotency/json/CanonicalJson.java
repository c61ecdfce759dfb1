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
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Comparator;
import java.util.Deque;
import java.util.List;
import java.util.Objects;
import java.util.function.Function;

import dev.idempotency.digest.Parts;
import dev.idempotency.digest.Sha256;
import org.jspecify.annotations.Nullable;
import tools.jackson.core.JacksonException;
import tools.jackson.core.JsonParser;
import tools.jackson.core.JsonPointer;
import tools.jackson.core.JsonToken;
import tools.jackson.core.ObjectReadContext;
import tools.jackson.core.StreamReadConstraints;
import tools.jackson.core.TokenStreamFactory;
import tools.jackson.core.json.JsonFactory;

/**
 * A SHA-256 that is the same for JSON texts of the same value, whatever their order of
 * members, white space, escapes and notation of numbers. Members of the same name keep
 * their order, because only the application knows what they mean.
 * <p>
 * The canonical text is never built. Arrays and scalars go into the digest as they are
 * read. An object has to be sorted first, so its names and values are kept until it ends,
 * a long value as its digest. Then the same applies to the object itself. Every piece
 * declares its kind and its end, so that no two values look the same when they are
 * concatenated.
 * <p>
 * These digests are stored. A change of the format would make every pending retry look
 * like another request.
 */
public final class CanonicalJson {

	/**
	 * Nesting is the only limit, because the size of the body was limited when it was
	 * read. All limits are set here, and names are not looked up in Jackson's shared
	 * table, which can overflow. Two instances must never disagree about a text because
	 * of their settings or of what they have read before.
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
	 * A text of up to so many bytes is decoded at once, a longer one as it is read.
	 */
	private static final int DECODED_AT_ONCE = 16 * 1024;

	/**
	 * The value of a member, or an object, of up to so many bytes is kept as it is,
	 * because a digest would cost more.
	 */
	static final int SHORT_FORM = 256;

	/**
	 * Precedes the digest of a longer value.
	 */
	static final char LONG_FORM = '=';

	private final JsonParser parser;

	private final boolean decoded;

	/**
	 * The whole text first, then the open objects. Levels of closed objects are reused,
	 * so that nothing recurses and few objects are created.
	 */
	private final List<Level> levels = new ArrayList<>();

	private int depth;

	private Level level = new Level();

	private final TextWriter text;

	private byte[] number = new byte[64];

	private final @Nullable Exclusion exclusion;

	/**
	 * Create a reader of a text.
	 * @param parser reads it
	 * @param length its length, or an upper bound
	 * @param decoded whether it is completely in memory
	 * @param excluded what does not count
	 */
	private CanonicalJson(JsonParser parser, int length, boolean decoded, List<JsonPointer> excluded) {
		this.parser = parser;
		this.decoded = decoded;
		this.exclusion = excluded.isEmpty() ? null : new Exclusion(parser, excluded);
		this.text = new TextWriter(this.level.value, length);
		this.levels.add(this.level);
	}

	/**
	 * Adds content that is declared as JSON: by its value if it is valid, or else by its
	 * bytes.
	 * @param parts the parts to add to
	 * @param content holds the content
	 * @param length how many bytes it has
	 * @param excluded what does not count if it is valid; none of them is the whole text
	 */
	public static void addTo(Parts parts, byte[] content, int length, List<JsonPointer> excluded) {
		byte[] json = (length == 0) ? null : excluded.isEmpty() ? digest(content, length, parts.unusedDigest())
				: digestOfParsed(content, length, excluded);
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
	 * @param sha256 an empty digest, which is empty again afterwards
	 * @return the digest, or {@code null} if this is not exactly one valid JSON value, or
	 * one that is nested too deeply
	 */
	public static byte @Nullable [] digest(byte[] json, int length, MessageDigest sha256) {
		byte[] plain = PlainJson.digest(json, length, sha256);
		return (plain != null) ? plain : digestOfParsed(json, length, List.of());
	}

	/**
	 * The digest of a JSON text, equal to that of its bytes.
	 * @param json the text, which may contain unpaired surrogates
	 * @return the digest, or {@code null} if this is not exactly one valid JSON value, or
	 * one that is nested too deeply
	 */
	public static byte @Nullable [] digest(String json) {
		try (JsonParser parser = JSON.createParser(ObjectReadContext.empty(), json)) {
			return new CanonicalJson(parser, json.length(), true, List.of()).digest();
		}
		catch (JacksonException ex) {
			return null;
		}
	}

	/**
	 * The digest of any JSON text, plain or not.
	 * @param excluded what does not count; none of them is the whole text
	 */
	static byte @Nullable [] digestOfParsed(byte[] json, int length, List<JsonPointer> excluded) {
		boolean decoded = length <= DECODED_AT_ONCE;
		try (JsonParser parser = decoded ? parserOfDecoded(json, length) : parserOf(json, length)) {
			return new CanonicalJson(parser, length, decoded, excluded).digest();
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
			if (this.exclusion != null && this.exclusion.skips(token)) {
				continue;
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
	 * Streams the strings of a text that is not in memory.
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
	 * Leaves parts of the text out. It compares names and counts elements on the way, so
	 * that long names and deep nesting cost nothing more.
	 */
	private static final class Exclusion {

		private final JsonParser parser;

		/**
		 * The open objects and arrays.
		 */
		private final Deque<Place> places = new ArrayDeque<>();

		/**
		 * What is left of the pointers that lead to the current value.
		 */
		private List<JsonPointer> here;

		Exclusion(JsonParser parser, List<JsonPointer> excluded) {
			this.parser = parser;
			this.here = excluded;
		}

		/**
		 * Skips what begins with a token if it does not count.
		 */
		boolean skips(JsonToken token) {
			if (token.isStructEnd()) {
				this.places.pop();
				return false;
			}
			Place place = this.places.peek();
			if (token == JsonToken.PROPERTY_NAME) {
				String name = this.parser.currentName();
				this.here = lead(place, (pointer) -> pointer.matchProperty(name));
			}
			else if (place != null && place.array) {
				int index = place.elements++;
				this.here = lead(place, (pointer) -> pointer.matchElement(index));
			}
			if (this.here.stream().anyMatch(JsonPointer::matches)) {
				if (token == JsonToken.PROPERTY_NAME) {
					this.parser.nextToken();
				}
				this.parser.skipChildren();
				return true;
			}
			if (token.isStructStart()) {
				this.places.push(new Place(token == JsonToken.START_ARRAY, this.here));
			}
			return false;
		}

		private static List<JsonPointer> lead(@Nullable Place place,
				Function<JsonPointer, @Nullable JsonPointer> step) {
			if (place == null || place.pointers.isEmpty()) {
				return List.of();
			}
			return place.pointers.stream().map(step).filter(Objects::nonNull).toList();
		}

		private static final class Place {

			private final boolean array;

			private final List<JsonPointer> pointers;

			private int elements;

			private Place(boolean array, List<JsonPointer> pointers) {
				this.array = array;
				this.pointers = pointers;
			}

		}

	}

	/**
	 * An object while it is read: its members, and the value being read. At the end, the
	 * members are put together in the place of a value.
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
	 * The form of a value: kept as it is while it is short, and digested from then on.
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
		 * Returns the form of the value, and starts another value.
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
		 * Returns the digest of the value, and starts another value.
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
	 * Writes a text to a form. The length of a text that is still being read is unknown,
	 * so it is written in pieces, each preceded by its kind and length. A piece that is
	 * not full is the last. A piece is ASCII if possible, as most are, and otherwise
	 * UTF-16, which can represent unpaired surrogates, unlike UTF-8. Its kind tells
	 * which.
	 */
	private static final class TextWriter extends Writer {

		private static final int HEADER = 3;

		private static final int PIECE = 512;

		private static final int NOT_ASCII = 0x80;

		private final char[] piece;

		private final byte[] bytes;

		private int size;

		/**
		 * The bitwise or of all characters of the piece.
		 */
		private int bits;

		private char kind;

		private Form target;

		/**
		 * Create a writer.
		 * @param target the first target of texts
		 * @param longest the largest number of characters of a text in its source
		 */
		private TextWriter(Form target, int longest) {
			this.target = target;
			// One more than the longest text, so that only a piece of PIECE can be full
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
