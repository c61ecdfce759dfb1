package dev.idempotency.web;

import java.io.IOException;

import dev.idempotency.http.AnswerBody;
import jakarta.servlet.ServletOutputStream;
import jakarta.servlet.WriteListener;
import org.jspecify.annotations.Nullable;

/**
 * The body of a response, for the store and for the client.
 * <p>
 * It is held until the response is stored. If the handler streams, or the body outgrows
 * what can be stored, it streams until the last chunk, which waits for the store.
 */
final class RecordedBody extends ServletOutputStream {

	/**
	 * The default size of the buffers of containers.
	 */
	private static final int BUFFER_SIZE = 8 * 1024;

	private final AnswerRecorder recorder;

	private final int limit;

	private final RecordedBytes recorded = new RecordedBytes();

	private boolean kept = true;

	private boolean flowing;

	private volatile boolean clientGone;

	private volatile boolean ended;

	private long declaredLength = -1;

	private long sent;

	private int held = -1;

	private boolean sealed;

	private volatile @Nullable Thread drainer;

	private boolean frozen;

	RecordedBody(AnswerRecorder recorder, int limit) {
		this.recorder = recorder;
		this.limit = limit;
	}

	/**
	 * Whether all that was written is recorded, so that it can be stored.
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

	AnswerBody bytes() {
		return this.recorded.toBody();
	}

	int size() {
		return this.recorded.size();
	}

	boolean isLengthDeclared() {
		return this.declaredLength >= 0;
	}

	void declareLength(long length) {
		this.declaredLength = length;
	}

	/**
	 * From now on a held body does not start to stream: the response is about to be
	 * stored.
	 * @param drain adds what a writer still holds, even if the request ends meanwhile
	 */
	void seal(Runnable drain) {
		this.sealed = true;
		this.drainer = Thread.currentThread();
		try {
			drain.run();
		}
		finally {
			this.drainer = null;
		}
	}

	void unseal() {
		this.sealed = false;
	}

	/**
	 * From now on nothing is added: the handler has declared its response complete.
	 */
	void freeze() {
		this.frozen = true;
	}

	/**
	 * Another body takes the place of this one. Where a task may still write to it, that
	 * must not make the task fail.
	 */
	void replace(boolean stillWritten) {
		if (stillWritten) {
			this.frozen = true;
		}
		else {
			this.ended = true;
		}
	}

	/**
	 * From now on nothing can be written: the request has ended.
	 */
	void end() {
		this.ended = true;
	}

	void clear() {
		if (isFlowing()) {
			throw new IllegalStateException("The response is already being sent");
		}
		this.recorded.clear();
		this.kept = true;
		this.declaredLength = -1;
	}

	@Override
	public void write(int b) throws IOException {
		write(new byte[] { (byte) b }, 0, 1);
	}

	@Override
	public void write(byte[] source, int offset, int length) throws IOException {
		if (this.ended && this.drainer != Thread.currentThread()) {
			throw EndedResponse.nobodyReads();
		}
		if (this.frozen) {
			return;
		}
		if (!this.flowing && size() == 0 && this.recorder.isEndless()) {
			forget();
		}
		if (!this.flowing && !this.sealed && length > BUFFER_SIZE - size() && this.recorder.mayFlowUnasked()) {
			flow();
		}
		if (this.kept && length > this.limit - size()) {
			flow();
			forget();
			if (this.clientGone) {
				this.recorder.outgrown();
			}
		}
		if (this.kept) {
			this.recorded.add(source, offset, length);
		}
		if (!this.kept && !this.flowing) {
			flow();
		}
		if (this.flowing) {
			send(source, offset, length);
		}
		else if (!this.kept) {
			throw clientHasDisconnected();
		}
	}

	private void forget() {
		this.kept = false;
		this.recorded.clear();
	}

	@Override
	public void flush() throws IOException {
		if (this.frozen) {
			return;
		}
		if (!this.flowing) {
			if (this.sealed || !this.recorder.mayFlow()) {
				return;
			}
			flow();
		}
		if (!this.clientGone) {
			toClient(this.recorder::flush);
		}
	}

	/**
	 * Lets the body stream, unless its client has disconnected: the container may have
	 * recycled its response by then.
	 */
	private void flow() throws IOException {
		if (this.flowing || this.clientGone) {
			return;
		}
		if (size() == 0 && this.recorder.isEndless()) {
			forget();
		}
		toClient(() -> this.recorder.open(this.declaredLength));
		if (this.clientGone) {
			return;
		}
		this.flowing = true;
		this.recorded.writeTo(this::send);
	}

	/**
	 * Sends all but the last byte of a body whose length was announced. A client that has
	 * seen the whole response can rely on its replay, so it must be stored by then.
	 * Without an announced length, the container marks the end later.
	 */
	private void send(byte[] source, int offset, int length) throws IOException {
		int count = length;
		if (this.declaredLength >= 0 && this.sent + length >= this.declaredLength) {
			count = (int) Math.max(0, this.declaredLength - 1 - this.sent);
			if (this.held < 0 && count < length) {
				this.held = source[offset + count] & 0xff;
			}
		}
		int sendable = count;
		if (!this.clientGone) {
			toClient(() -> this.recorder.write(source, offset, sendable));
		}
		else if (!this.kept) {
			throw clientHasDisconnected();
		}
		this.sent += count;
	}

	/**
	 * Uses the connection, which may break meanwhile. Tomcat refuses to be used then,
	 * once it has told its listeners.
	 */
	private void toClient(IOAction sending) throws IOException {
		try {
			sending.run();
		}
		catch (IOException ex) {
			lost(ex);
		}
		catch (IllegalStateException ex) {
			if (!this.clientGone) {
				throw ex;
			}
			lost(clientHasDisconnected());
		}
	}

	private static IOException clientHasDisconnected() {
		return new IOException("The client has disconnected");
	}

	/**
	 * A client that disconnects does not stop the handler while the body is recorded for
	 * a retry.
	 */
	private void lost(IOException ex) throws IOException {
		this.clientGone = true;
		this.recorder.clientLost();
		if (!this.kept) {
			throw ex;
		}
	}

	/**
	 * Sends the last byte of a body that streams, if it was held back.
	 */
	void finish() throws IOException {
		if (this.held >= 0 && !this.clientGone) {
			this.recorder.write(new byte[] { (byte) this.held }, 0, 1);
		}
	}

	/**
	 * Sends nothing more of a body that streams. The container may still add an error
	 * page, which must not be taken for the end of a body whose length was announced.
	 */
	void cut() throws IOException {
		if (this.flowing && isLengthDeclared()) {
			this.recorder.close();
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
		// Always ready, so the listener is called at once
		try {
			listener.onWritePossible();
		}
		catch (IOException ex) {
			listener.onError(ex);
		}
	}

}
