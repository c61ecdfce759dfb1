package dev.idempotency.client;

import java.io.ByteArrayInputStream;
import java.io.FilterInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.SequenceInputStream;

import org.springframework.http.HttpHeaders;
import org.springframework.http.HttpStatusCode;
import org.springframework.http.client.ClientHttpResponse;

/**
 * A response whose body, or its beginning, has already been read. If it breaks off there,
 * the caller never sees it, and the call can be made again.
 */
final class ReadAheadResponse implements ClientHttpResponse {

	private final ClientHttpResponse response;

	private final byte[] beginning;

	private final InputStream body;

	private ReadAheadResponse(ClientHttpResponse response, byte[] beginning, InputStream rest) {
		this.response = response;
		this.beginning = beginning;
		this.body = new SequenceInputStream(new ByteArrayInputStream(beginning), rest);
	}

	/**
	 * Reads the body, unless it is a stream that may never end.
	 * @param brokenOff told if the rest of the body breaks off
	 * @throws IOException if the body breaks off; the response is closed then
	 */
	static ReadAheadResponse of(ClientHttpResponse response, Runnable brokenOff) throws IOException {
		int limit = OutgoingCall.isStream(response.getHeaders().getContentType()) ? 0 : OutgoingCall.READ_AHEAD;
		boolean done = false;
		try {
			InputStream body = response.getBody();
			ReadAheadResponse read = new ReadAheadResponse(response, body.readNBytes(limit),
					new Watched(body, brokenOff));
			done = true;
			return read;
		}
		catch (RuntimeException ex) {
			throw connectionFailure(ex);
		}
		finally {
			if (!done) {
				response.close();
			}
		}
	}

	/**
	 * The connection failure behind an exception. Clients based on Reactor Netty wrap it
	 * in unchecked exceptions, which no reader of a stream expects.
	 * @throws RuntimeException the failure itself if the connection did not cause it
	 */
	private static IOException connectionFailure(RuntimeException failure) {
		if (failure.getCause() instanceof IOException io) {
			return io;
		}
		throw failure;
	}

	byte[] beginning() {
		return this.beginning;
	}

	@Override
	public HttpStatusCode getStatusCode() throws IOException {
		return this.response.getStatusCode();
	}

	@Override
	public String getStatusText() throws IOException {
		return this.response.getStatusText();
	}

	@Override
	public HttpHeaders getHeaders() {
		return this.response.getHeaders();
	}

	@Override
	public InputStream getBody() {
		return this.body;
	}

	@Override
	public void close() {
		this.response.close();
	}

	/**
	 * The rest of a body, which says when it breaks off.
	 */
	private static final class Watched extends FilterInputStream {

		private final Runnable brokenOff;

		private Watched(InputStream body, Runnable brokenOff) {
			super(body);
			this.brokenOff = brokenOff;
		}

		@Override
		public int read() throws IOException {
			byte[] one = new byte[1];
			return (read(one, 0, 1) == -1) ? -1 : Byte.toUnsignedInt(one[0]);
		}

		@Override
		public int read(byte[] target, int offset, int length) throws IOException {
			try {
				return super.read(target, offset, length);
			}
			catch (IOException ex) {
				this.brokenOff.run();
				throw ex;
			}
			catch (RuntimeException ex) {
				this.brokenOff.run();
				throw connectionFailure(ex);
			}
		}

	}

}
