package dev.idempotency.client;

import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.SequenceInputStream;

import org.springframework.http.MediaType;
import org.springframework.http.client.ClientHttpResponse;

/**
 * A response whose body, or its beginning, has already been read. If it breaks off there,
 * the caller never sees it, and the call can be made again.
 */
final class ReadAheadResponse extends DecoratedResponse {

	private static final int LIMIT = 1024 * 1024;

	private final byte[] beginning;

	private final InputStream body;

	private ReadAheadResponse(ClientHttpResponse response, byte[] beginning, InputStream rest) {
		super(response);
		this.beginning = beginning;
		this.body = new SequenceInputStream(new ByteArrayInputStream(beginning), rest);
	}

	/**
	 * Reads the body, unless it is a stream that may never end.
	 * @throws IOException if the body breaks off; the response is closed then
	 */
	static ClientHttpResponse of(ClientHttpResponse response) throws IOException {
		MediaType type = response.getHeaders().getContentType();
		if (type != null
				&& (MediaType.TEXT_EVENT_STREAM.includes(type) || MediaType.APPLICATION_NDJSON.includes(type))) {
			return response;
		}
		boolean done = false;
		try {
			InputStream body = response.getBody();
			ReadAheadResponse read = new ReadAheadResponse(response, body.readNBytes(LIMIT), body);
			done = true;
			return read;
		}
		catch (RuntimeException ex) {
			throw BrokenAnswer.of(ex);
		}
		finally {
			if (!done) {
				response.close();
			}
		}
	}

	byte[] beginning() {
		return this.beginning;
	}

	@Override
	public InputStream getBody() {
		return this.body;
	}

}
