package dev.idempotency.http;

import java.nio.BufferUnderflowException;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.zip.CRC32C;

import dev.idempotency.ResultNotReplayableException;
import dev.idempotency.UnsupportedFormatException;
import dev.idempotency.core.AnswerReader;
import dev.idempotency.store.StoredResult;

import org.springframework.http.HttpHeaders;

/**
 * A response as the client saw it.
 *
 * @param delivery how it was sent
 * @param headers the headers that are stored, with the {@code Location} of a redirect as
 * the handler gave it
 */
public record HttpAnswer(int status, Delivery delivery, Map<String, List<String>> headers, AnswerBody body) {

	private static final byte FORMAT = 1;

	private static final int HEADER = 1 + Integer.BYTES;

	/**
	 * A body of up to so many bytes is copied: as a piece of its own it would take more.
	 */
	private static final int SHORT = 2 * 1024;

	/**
	 * Content types that most responses have. Their index in this list is stored: new
	 * ones are only appended.
	 */
	private static final List<String> COMMON_TYPES = List.of("application/json", "application/json;charset=UTF-8",
			"application/problem+json", "text/plain;charset=UTF-8", "text/html;charset=UTF-8", "application/xml",
			"application/octet-stream", "application/pdf");

	/**
	 * How a response is sent.
	 */
	public enum Delivery {

		/**
		 * With its length.
		 */
		WHOLE,

		/**
		 * Without its length, which was not known when it began.
		 */
		STREAMED,

		/**
		 * As a redirect, whose location the container completes.
		 */
		REDIRECT

	}

	/**
	 * This response with another header.
	 */
	HttpAnswer with(String name, String value) {
		Map<String, List<String>> more = new LinkedHashMap<>(this.headers);
		more.put(name, List.of(value));
		return new HttpAnswer(this.status, this.delivery, more, this.body);
	}

	/**
	 * Encodes the response. The first byte is the format, and a checksum of the rest
	 * follows. Numbers are written in groups of seven bits, the lowest first. No header
	 * has an empty name: it stands for a common content type, whose number follows. A
	 * long body is not copied.
	 * @return the result, neither compressed nor encrypted
	 */
	public StoredResult encode() {
		// Most responses have no other header
		List<String> onlyType = (this.headers.size() == 1) ? this.headers.get(HttpHeaders.CONTENT_TYPE) : null;
		int onlyCommonType = (onlyType != null) ? commonType(HttpHeaders.CONTENT_TYPE, onlyType) : -1;
		return (onlyCommonType >= 0) ? encode(Map.of(), onlyCommonType) : encode(this.headers, -1);
	}

	/**
	 * Encodes the response.
	 * @param listed the headers that are written one by one
	 * @param onlyCommonType the number of the content type if it is common and the only
	 * header, or {@code -1}
	 */
	private StoredResult encode(Map<String, List<String>> listed, int onlyCommonType) {
		List<byte[]> texts = listed.isEmpty() ? List.of() : new ArrayList<>();
		int size = StoredResult.HEADER + HEADER + 1 + 2 + sizeOf(this.headers.size()) + ((onlyCommonType >= 0) ? 2 : 0);
		for (Map.Entry<String, List<String>> header : listed.entrySet()) {
			if (commonType(header.getKey(), header.getValue()) >= 0) {
				size += 2;
				continue;
			}
			size += add(texts, header.getKey()) + sizeOf(header.getValue().size());
			for (String value : header.getValue()) {
				size += add(texts, value);
			}
		}
		boolean inOnePiece = this.body.length() <= SHORT;
		ByteBuffer target = ByteBuffer.allocate(size + (inOnePiece ? this.body.length() : 0));
		target.position(StoredResult.HEADER).put(FORMAT).position(StoredResult.HEADER + HEADER);
		target.put(codeOf(this.delivery)).putShort((short) this.status);
		put(target, this.headers.size());
		if (onlyCommonType >= 0) {
			target.put((byte) 0).put((byte) onlyCommonType);
		}
		int next = 0;
		for (Map.Entry<String, List<String>> header : listed.entrySet()) {
			int commonType = commonType(header.getKey(), header.getValue());
			if (commonType >= 0) {
				target.put((byte) 0).put((byte) commonType);
				continue;
			}
			next = put(target, texts, next);
			put(target, header.getValue().size());
			for (int i = 0; i < header.getValue().size(); i++) {
				next = put(target, texts, next);
			}
		}
		byte[] head = target.array();
		CRC32C checksum = new CRC32C();
		checksum.update(head, StoredResult.HEADER + HEADER, size - StoredResult.HEADER - HEADER);
		this.body.updateTo(checksum);
		target.putInt(StoredResult.HEADER + 1, (int) checksum.getValue());
		if (inOnePiece) {
			this.body.copyTo(head, size);
			return StoredResult.ofPieces(head);
		}
		return StoredResult.ofPieces(head, this.body.toPieces());
	}

	/**
	 * Decodes a response.
	 * @param result the response as it was stored
	 * @return the response, with headers that the caller may add to
	 */
	public static HttpAnswer decode(StoredResult result) {
		// In the array of the frame: a read-only buffer would have to be copied
		return decode(ByteBuffer.wrap(result.toFrame(), StoredResult.HEADER, result.payload().remaining()));
	}

	/**
	 * Decodes a response.
	 * @param payload the response as it was stored, in an array
	 * @return the response, with headers that the caller may add to
	 */
	private static HttpAnswer decode(ByteBuffer payload) {
		ByteBuffer source = payload.duplicate();
		try {
			byte format = source.get();
			if (format != FORMAT) {
				throw new UnsupportedFormatException(
						"A stored response has format %d, but this release reads only format %d: upgrade this instance"
							.formatted(format & 0xff, FORMAT));
			}
			if (source.getInt() != checksum(source)) {
				throw new IllegalArgumentException("its checksum is wrong");
			}
			Delivery delivery = deliveryOf(source.get());
			int status = source.getShort() & 0xffff;
			Map<String, List<String>> headers = new LinkedHashMap<>();
			int count = getNumber(source);
			for (int i = 0; i < count; i++) {
				String name = getText(source);
				if (name.isEmpty()) {
					headers.put(HttpHeaders.CONTENT_TYPE, List.of(commonType(getNumber(source))));
					continue;
				}
				int values = getNumber(source);
				List<String> list = new ArrayList<>(Math.min(values, 16));
				for (int j = 0; j < values; j++) {
					list.add(getText(source));
				}
				headers.put(name, list);
			}
			AnswerBody body = AnswerBody.of(source.array(), source.arrayOffset() + source.position(),
					source.remaining());
			return new HttpAnswer(status, delivery, headers, body);
		}
		catch (BufferUnderflowException | IllegalArgumentException ex) {
			throw new ResultNotReplayableException("A stored response is damaged: " + ex);
		}
	}

	/**
	 * What may be shown of a result, if it is a response.
	 * @param payload the result as it was stored
	 * @return what may be shown, or empty if it is not a response
	 */
	public static Optional<AnswerReader.Answer> describe(ByteBuffer payload) {
		if (!payload.hasRemaining() || payload.get(payload.position()) != FORMAT) {
			return Optional.empty();
		}
		try {
			byte[] bytes = new byte[payload.remaining()];
			payload.duplicate().get(bytes);
			HttpAnswer answer = decode(ByteBuffer.wrap(bytes));
			return Optional.of(new AnswerReader.Answer(answer.status(), answer.body().length()));
		}
		catch (ResultNotReplayableException ex) {
			return Optional.empty();
		}
	}

	private static int commonType(String name, List<String> values) {
		return (name.equals(HttpHeaders.CONTENT_TYPE) && values.size() == 1) ? COMMON_TYPES.indexOf(values.get(0)) : -1;
	}

	private static String commonType(int number) {
		if (number >= COMMON_TYPES.size()) {
			throw new IllegalArgumentException("unknown content type " + number);
		}
		return COMMON_TYPES.get(number);
	}

	private static int checksum(ByteBuffer rest) {
		CRC32C checksum = new CRC32C();
		int position = rest.position();
		checksum.update(rest);
		rest.position(position);
		return (int) checksum.getValue();
	}

	private static byte codeOf(Delivery delivery) {
		return switch (delivery) {
			case WHOLE -> 0;
			case STREAMED -> 1;
			case REDIRECT -> 2;
		};
	}

	private static Delivery deliveryOf(byte code) {
		return switch (code) {
			case 0 -> Delivery.WHOLE;
			case 1 -> Delivery.STREAMED;
			case 2 -> Delivery.REDIRECT;
			default -> throw new IllegalArgumentException("unknown delivery " + code);
		};
	}

	private static int add(List<byte[]> texts, String text) {
		byte[] bytes = text.getBytes(StandardCharsets.UTF_8);
		texts.add(bytes);
		return sizeOf(bytes.length) + bytes.length;
	}

	private static int put(ByteBuffer target, List<byte[]> texts, int index) {
		byte[] bytes = texts.get(index);
		put(target, bytes.length);
		target.put(bytes);
		return index + 1;
	}

	private static String getText(ByteBuffer source) {
		int length = getNumber(source);
		if (length > source.remaining()) {
			throw new BufferUnderflowException();
		}
		if (length == 0) {
			return "";
		}
		byte[] bytes = new byte[length];
		source.get(bytes);
		return new String(bytes, StandardCharsets.UTF_8);
	}

	private static int sizeOf(int number) {
		int size = 1;
		for (int rest = number >>> 7; rest != 0; rest >>>= 7) {
			size++;
		}
		return size;
	}

	private static void put(ByteBuffer target, int number) {
		int rest = number;
		for (; rest > 0x7f; rest >>>= 7) {
			target.put((byte) (rest | 0x80));
		}
		target.put((byte) rest);
	}

	private static int getNumber(ByteBuffer source) {
		int number = 0;
		for (int shift = 0; shift < 28; shift += 7) {
			byte next = source.get();
			number |= (next & 0x7f) << shift;
			if (next >= 0) {
				return number;
			}
		}
		throw new IllegalArgumentException("a number is too large");
	}

}
