package dev.idempotency.web;

import java.io.IOException;
import java.io.OutputStreamWriter;
import java.io.PrintWriter;
import java.io.Writer;
import java.util.Locale;

import dev.idempotency.http.KeptHeaders;
import jakarta.servlet.ServletOutputStream;
import jakarta.servlet.http.HttpServletResponse;
import jakarta.servlet.http.HttpServletResponseWrapper;
import org.jspecify.annotations.Nullable;

import org.springframework.http.HttpHeaders;

/**
 * A response that lets everything through until its request turns out to be protected.
 * Then it keeps the body, and lets the head through to the container, which knows best
 * what becomes of it; or, when the answer is known already, it drops what is written.
 */
final class ExchangeResponse extends HttpServletResponseWrapper {

	private final KeptHeaders keptHeaders;

	private final @Nullable ExchangeResponse predecessor;

	private @Nullable RecordedBody body;

	private @Nullable PrintWriter writer;

	private @Nullable String writerEncoding;

	private @Nullable Redirect redirect;

	private boolean localeSet;

	private boolean errorSent;

	private boolean dropping;

	/**
	 * Whether someone writes the body past us.
	 */
	private boolean bodyTaken;

	ExchangeResponse(HttpServletResponse response, KeptHeaders keptHeaders) {
		super(response);
		this.keptHeaders = keptHeaders;
		this.predecessor = null;
	}

	/**
	 * Goes on with the record of another, which some may still write to.
	 */
	ExchangeResponse(HttpServletResponse response, ExchangeResponse predecessor) {
		super(response);
		this.keptHeaders = predecessor.keptHeaders;
		this.predecessor = predecessor;
		this.body = predecessor.body;
		this.bodyTaken = predecessor.bodyTaken;
	}

	/**
	 * The response behind this one, which nobody records.
	 */
	HttpServletResponse container() {
		return (HttpServletResponse) getResponse();
	}

	/**
	 * The response behind this one, without anything of ours.
	 */
	HttpServletResponse untethered() {
		return (getResponse() instanceof TetheredResponse tethered) ? (HttpServletResponse) tethered.getResponse()
				: container();
	}

	/**
	 * From now on others than the container's thread may come this way.
	 */
	void tie(Tether tether) {
		if (this.predecessor != null) {
			this.predecessor.tie(tether);
		}
		if (!(getResponse() instanceof TetheredResponse)) {
			setResponse(new TetheredResponse(container(), tether));
		}
	}

	/**
	 * Keeps the head of the answer for the time after the end.
	 */
	void keepHead() {
		if (this.predecessor != null) {
			this.predecessor.keepHead();
		}
		if (getResponse() instanceof TetheredResponse tethered) {
			tethered.keepHead();
		}
	}

	/**
	 * Leaves the container's response alone: the request has ended.
	 */
	void end() {
		if (this.predecessor != null) {
			this.predecessor.end();
		}
		if (!(getResponse() instanceof TetheredResponse)) {
			setResponse(EndedResponse.FORGOTTEN);
		}
	}

	/**
	 * Starts to record.
	 * @return where the body goes from now on, or {@code null} if someone writes it past
	 * us already
	 */
	@Nullable RecordedBody record(RecordedBody.Channel channel, int limit) {
		if (this.bodyTaken || isCommitted()) {
			return null;
		}
		this.body = new RecordedBody(channel, limit);
		return this.body;
	}

	/**
	 * Drops what is written from now on: the answer is known, and all that was to be said
	 * about it was said the first time.
	 */
	void drop() {
		if (this.predecessor != null) {
			this.predecessor.drop();
		}
		this.dropping = true;
	}

	/**
	 * Lets everything through again.
	 */
	void letThrough() {
		if (this.predecessor != null) {
			this.predecessor.letThrough();
		}
		this.dropping = false;
		this.body = null;
		this.writer = null;
		this.writerEncoding = null;
		this.redirect = null;
	}

	boolean isBodyTaken() {
		return this.bodyTaken;
	}

	boolean isErrorSent() {
		return this.errorSent || (this.predecessor != null && this.predecessor.isErrorSent());
	}

	/**
	 * Containers keep the language to themselves until they send it.
	 */
	@Nullable String language() {
		return this.localeSet ? getLocale().toLanguageTag() : null;
	}

	@Nullable Redirect redirect() {
		return (this.redirect == null && this.predecessor != null) ? this.predecessor.redirect() : this.redirect;
	}

	/**
	 * Moves what is left in the writer into the body.
	 */
	void drainWriter() {
		if (this.predecessor != null) {
			this.predecessor.drainWriter();
		}
		if (this.writer != null) {
			this.writer.flush();
		}
	}

	private boolean isFlowing() {
		return this.body != null && this.body.isFlowing();
	}

	@Override
	public ServletOutputStream getOutputStream() throws IOException {
		if (this.dropping) {
			return new DroppedBody();
		}
		if (this.body == null) {
			this.bodyTaken = true;
			return super.getOutputStream();
		}
		return this.body;
	}

	@Override
	public PrintWriter getWriter() throws IOException {
		if (this.dropping) {
			return new PrintWriter(Writer.nullWriter());
		}
		if (this.body == null) {
			this.bodyTaken = true;
			return super.getWriter();
		}
		if (this.writer == null) {
			this.writerEncoding = getCharacterEncoding();
			this.writer = new PrintWriter(new OutputStreamWriter(this.body, this.writerEncoding));
			// So that the content type names the encoding, as the container's own does
			keepEncodingOfWriter();
		}
		return this.writer;
	}

	@Override
	public void flushBuffer() throws IOException {
		if (this.dropping) {
			return;
		}
		if (this.body == null) {
			super.flushBuffer();
			return;
		}
		drainWriter();
		this.body.flush();
	}

	@Override
	public boolean isCommitted() {
		return this.redirect != null || super.isCommitted();
	}

	@Override
	public void reset() {
		if (!this.dropping) {
			resetBuffer();
			super.reset();
		}
	}

	@Override
	public void resetBuffer() {
		if (this.dropping) {
			return;
		}
		if (this.body == null) {
			super.resetBuffer();
			return;
		}
		if (!isFlowing()) {
			this.body.seal();
			drainWriter();
			this.body.unseal();
		}
		this.body.clear();
	}

	@Override
	public void setBufferSize(int size) {
		if (this.body == null && !this.dropping) {
			super.setBufferSize(size);
		}
	}

	@Override
	public void sendError(int status) throws IOException {
		if (!this.dropping) {
			super.sendError(status);
			errorSent();
		}
	}

	@Override
	public void sendError(int status, @Nullable String message) throws IOException {
		if (!this.dropping) {
			super.sendError(status, message);
			errorSent();
		}
	}

	/**
	 * The handler leaves its answer to an error page.
	 */
	void errorSent() {
		this.errorSent = true;
		if (this.body != null) {
			this.body.freeze();
		}
	}

	@Override
	public void sendRedirect(String location) throws IOException {
		if (!holdsRedirect(location, SC_FOUND, true)) {
			super.sendRedirect(location);
		}
	}

	@Override
	public void sendRedirect(String location, boolean clearBuffer) throws IOException {
		if (!holdsRedirect(location, SC_FOUND, clearBuffer)) {
			super.sendRedirect(location, clearBuffer);
		}
	}

	@Override
	public void sendRedirect(String location, int status) throws IOException {
		if (!holdsRedirect(location, status, true)) {
			super.sendRedirect(location, status);
		}
	}

	@Override
	public void sendRedirect(String location, int status, boolean clearBuffer) throws IOException {
		if (!holdsRedirect(location, status, clearBuffer)) {
			super.sendRedirect(location, status, clearBuffer);
		}
	}

	/**
	 * Holds a redirect until it is stored. What is not held goes on by the very method it
	 * came by: those around us may care for one of them only.
	 */
	private boolean holdsRedirect(String location, int status, boolean clearBuffer) {
		if (this.dropping) {
			return true;
		}
		if (this.body == null || isCommitted()) {
			return false;
		}
		if (clearBuffer) {
			resetBuffer();
		}
		else {
			drainWriter();
		}
		this.body.freeze();
		this.redirect = new Redirect(location, status);
		return true;
	}

	@Override
	public int getStatus() {
		return (this.redirect != null) ? this.redirect.status() : super.getStatus();
	}

	@Override
	public void setStatus(int status) {
		if (!this.dropping) {
			super.setStatus(status);
		}
	}

	@Override
	public void setContentLength(int length) {
		setContentLengthLong(length);
	}

	@Override
	public void setContentLengthLong(long length) {
		if (this.dropping) {
			return;
		}
		if (this.body == null || isFlowing()) {
			super.setContentLengthLong(length);
			return;
		}
		this.body.declareLength(length);
	}

	@Override
	public void setContentType(@Nullable String type) {
		if (!this.dropping) {
			super.setContentType(type);
			keepEncodingOfWriter();
		}
	}

	@Override
	public void setCharacterEncoding(@Nullable String encoding) {
		if (!this.dropping && this.writerEncoding == null) {
			super.setCharacterEncoding(encoding);
		}
	}

	@Override
	public void setLocale(Locale locale) {
		if (!this.dropping) {
			super.setLocale(locale);
			this.localeSet = true;
			keepEncodingOfWriter();
		}
	}

	/**
	 * A writer has its encoding for good, but the container does not know of ours.
	 */
	private void keepEncodingOfWriter() {
		if (this.writerEncoding != null) {
			super.setCharacterEncoding(this.writerEncoding);
		}
	}

	@Override
	public void setHeader(String name, @Nullable String value) {
		if (isForContainer(name, value)) {
			super.setHeader(name, value);
		}
	}

	@Override
	public void addHeader(String name, @Nullable String value) {
		if (isForContainer(name, value)) {
			super.addHeader(name, value);
		}
	}

	@Override
	public void setIntHeader(String name, int value) {
		if (isForContainer(name, String.valueOf(value))) {
			super.setIntHeader(name, value);
		}
	}

	@Override
	public void addIntHeader(String name, int value) {
		if (isForContainer(name, String.valueOf(value))) {
			super.addIntHeader(name, value);
		}
	}

	@Override
	public void setDateHeader(String name, long date) {
		if (isForContainer(name, null)) {
			super.setDateHeader(name, date);
		}
	}

	@Override
	public void addDateHeader(String name, long date) {
		if (isForContainer(name, null)) {
			super.addDateHeader(name, date);
		}
	}

	/**
	 * While the body is held, only we know how long it is. And while everything is
	 * dropped, what belongs to this very answer goes through, such as a cookie.
	 */
	private boolean isForContainer(String name, @Nullable String value) {
		if (this.dropping) {
			return !this.keptHeaders.isKept(name);
		}
		if (this.body == null) {
			return true;
		}
		if (!isFlowing() && name.equalsIgnoreCase(HttpHeaders.CONTENT_LENGTH)) {
			this.body.declareLength((value != null) ? Long.parseLong(value) : -1);
			return false;
		}
		return true;
	}

	/**
	 * A redirect that the container has yet to be told of.
	 *
	 * @param location where to
	 * @param status with which status
	 */
	record Redirect(String location, int status) {
	}

}
