package dev.idempotency.web;

import java.io.IOException;
import java.util.Arrays;

import jakarta.servlet.ServletOutputStream;
import jakarta.servlet.WriteListener;

/**
 * The body of an answer on its way to the store and to the client.
 * <p>
 * It is held until the answer is stored, unless the handler streams, or it outgrows what
 * can be stored: then it flows, and the client gets all but its end, by which it could
 * tell that it has seen the whole answer.
 */
final class RecordedBody extends ServletOutputStream {

	/**
	 * For a body that begins with less; most are written in one piece.
	 */
	private static final int FIRST_SIZE = 512;

	private static final int ONE_PIECE = 64;

	private static final byte[] NOTHING = {};

	/**
	 * As much as containers hold back by default.
	 */
	private static final int BUFFER_SIZE = 8 * 1024;

	private final Channel channel;

	private final int limit;

	private byte[] bytes = NOTHING;

	private int size;

	private boolean kept = true;

	private boolean flowing;

	private volatile boolean clientGone;

	private volatile boolean ended;

	private long declaredLength = -1;

	private long sent;

	private int held = -1;

	private boolean sealed;

	private boolean frozen;

	RecordedBody(Channel channel, int limit) {
		this.channel = channel;
		this.limit = limit;
	}

	/**
	 * Whether what was written is here, so that it can be stored.
	 */
	boolean isKept() {
		return this.kept;
	}

	/**
	 * Whether the client gets the body as it is written.
	 */
	boolean isFlowing() {
		return this.flowing;
	}

	boolean isClientGone() {
		return this.clientGone;
	}

	void clientIsGone() {
		this.clientGone = true;
	}

	byte[] bytes() {
		return this.bytes;
	}

	int size() {
		return this.size;
	}

	boolean isLengthDeclared() {
		return this.declaredLength >= 0;
	}

	void declareLength(long length) {
		this.declaredLength = length;
	}

	/**
	 * From now on nothing flows that does not flow yet: the answer is about to be stored.
	 */
	void seal() {
		this.sealed = true;
	}

	void unseal() {
		this.sealed = false;
	}

	/**
	 * From now on nothing is added: the handler has said that its answer is complete.
	 */
	void freeze() {
		this.frozen = true;
	}

	/**
	 * From now on nothing can be written: the request has ended.
	 */
	void end() {
		this.ended = true;
	}

	void clear() {
		if (isFlowing()) {
			throw new IllegalStateException("The answer is on its way already");
		}
		this.size = 0;
		this.kept = true;
		this.declaredLength = -1;
	}

	@Override
	public void write(int b) throws IOException {
		write(new byte[] { (byte) b }, 0, 1);
	}

	@Override
	public void write(byte[] source, int offset, int length) throws IOException {
		if (this.ended) {
			throw EndedResponse.nobodyReads();
		}
		if (this.frozen) {
			return;
		}
		if (!this.flowing && this.size == 0 && this.channel.isEndless()) {
			forget();
		}
		if (!this.flowing && !this.sealed && length > BUFFER_SIZE - this.size && this.channel.mayFlowUnasked()) {
			flow();
		}
		if (this.kept && length > this.limit - this.size) {
			flow();
			forget();
		}
		if (this.kept) {
			keep(source, offset, length);
		}
		if (!this.kept && !this.flowing) {
			flow();
		}
		if (this.flowing) {
			send(source, offset, length);
		}
	}

	private void keep(byte[] source, int offset, int length) {
		if (length > this.bytes.length - this.size) {
			int least = (this.bytes.length > 0) ? this.bytes.length * 2 : (length < ONE_PIECE) ? FIRST_SIZE : 0;
			this.bytes = Arrays.copyOf(this.bytes, Math.max(Math.min(least, this.limit), this.size + length));
		}
		System.arraycopy(source, offset, this.bytes, this.size, length);
		this.size += length;
	}

	private void forget() {
		this.kept = false;
		this.bytes = NOTHING;
		this.size = 0;
	}

	@Override
	public void flush() throws IOException {
		if (!this.flowing) {
			if (this.sealed || !this.channel.mayFlow()) {
				return;
			}
			flow();
		}
		if (!this.clientGone) {
			try {
				this.channel.flush();
			}
			catch (IOException ex) {
				lost(ex);
			}
		}
	}

	private void flow() throws IOException {
		if (!this.flowing) {
			if (this.size == 0 && this.channel.isEndless()) {
				forget();
			}
			this.channel.open(this.declaredLength);
			this.flowing = true;
			send(this.bytes, 0, this.size);
		}
	}

	/**
	 * Sends all but the last byte of a body whose length was announced: whoever has seen
	 * a whole answer can rely on its replay, so it must be stored by then. Without an
	 * announcement the container marks the end, after us.
	 */
	private void send(byte[] source, int offset, int length) throws IOException {
		int count = length;
		if (this.declaredLength >= 0 && this.sent + length >= this.declaredLength) {
			count = (int) Math.max(0, this.declaredLength - 1 - this.sent);
			if (this.held < 0 && count < length) {
				this.held = source[offset + count] & 0xff;
			}
		}
		if (!this.clientGone) {
			try {
				this.channel.write(source, offset, count);
			}
			catch (IOException ex) {
				lost(ex);
			}
		}
		else if (!this.kept) {
			throw new IOException("The client is gone");
		}
		this.sent += count;
	}

	/**
	 * A client that hangs up changes nothing as long as there is a retry to write for.
	 */
	private void lost(IOException ex) throws IOException {
		this.clientGone = true;
		this.channel.clientLost();
		if (!this.kept) {
			throw ex;
		}
	}

	/**
	 * Sends what was held back of a body that flows.
	 */
	void finish() throws IOException {
		if (this.held >= 0 && !this.clientGone) {
			this.channel.write(new byte[] { (byte) this.held }, 0, 1);
		}
	}

	/**
	 * Sends nothing more of a body that flows. The container may still add an error page,
	 * which must not be taken for the end of a body whose length was announced.
	 */
	void cut() throws IOException {
		if (this.flowing && isLengthDeclared()) {
			this.channel.close();
		}
	}

	@Override
	public void close() throws IOException {
		flush();
	}

	@Override
	public boolean isReady() {
		return true;
	}

	@Override
	public void setWriteListener(WriteListener listener) {
		// Writing never blocks for long enough to be told later
		try {
			listener.onWritePossible();
		}
		catch (IOException ex) {
			listener.onError(ex);
		}
	}

	/**
	 * The way to the client.
	 */
	interface Channel {

		/**
		 * Whether the body may flow before its answer is stored.
		 */
		boolean mayFlow();

		/**
		 * Whether it may do so also when nobody flushes it.
		 */
		boolean mayFlowUnasked();

		/**
		 * Whether the body has no end that is worth waiting for.
		 */
		boolean isEndless();

		/**
		 * Sends the head of the answer.
		 * @param declaredLength the length of the body, or -1 if it is not known
		 */
		void open(long declaredLength) throws IOException;

		/**
		 * Sends some of the body.
		 */
		void write(byte[] source, int offset, int length) throws IOException;

		void flush() throws IOException;

		void close() throws IOException;

		/**
		 * The client is gone.
		 */
		void clientLost();

	}

}
