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
 * A response that passes everything through until its request turns out to be protected.
 * Then it holds the body, and passes the head on to the container. If the response is
 * already known, it drops what is written instead.
 */
final class ExchangeResponse extends HttpServletResponseWrapper {

	private final KeptHeaders keptHeaders;

	private @Nullable RecordedBody body;

	private @Nullable PrintWriter writer;

	private @Nullable String writerEncoding;

	private boolean streamTaken;

	private @Nullable Redirect redirect;

	private boolean localeSet;

	private boolean errorSent;

	private boolean dropping;

	/**
	 * Whether other code has obtained the container's own stream or writer.
	 */
	private boolean bodyTaken;

	ExchangeResponse(HttpServletResponse response, KeptHeaders keptHeaders) {
		super(response);
		this.keptHeaders = keptHeaders;
	}

	/**
	 * The response behind this one. What is written to it is not recorded.
	 */
	HttpServletResponse outlet() {
		return (HttpServletResponse) getResponse();
	}

	/**
	 * The container's own response, for the container's own threads.
	 */
	HttpServletResponse container() {
		return (outlet() instanceof OutletResponse led) ? (HttpServletResponse) led.getResponse() : outlet();
	}

	/**
	 * Continues with the container's own response, without the wrappers of other filters.
	 */
	void continueOn(HttpServletResponse original) {
		if (container() != original) {
			setResponse(original);
		}
	}

	/**
	 * From now on threads other than the container's may write to this response.
	 */
	void leadThroughOutlet() {
		if (!(outlet() instanceof OutletResponse)) {
			setResponse(new OutletResponse(outlet()));
		}
	}

	/**
	 * From now on only the container's own dispatches reach its response.
	 */
	void closeOutlet() {
		if (outlet() instanceof OutletResponse led) {
			led.outlet().close();
		}
	}

	void closeOutletSoon() {
		if (outlet() instanceof OutletResponse led) {
			led.outlet().closeSoon();
		}
	}

	/**
	 * Lets the container's response go: the request has ended.
	 */
	void end() {
		if (!(outlet() instanceof OutletResponse)) {
			setResponse(EndedResponse.FORGOTTEN);
		}
	}

	/**
	 * Starts to record.
	 * @return the recorded body, or {@code null} if the container's own is already in use
	 */
	@Nullable RecordedBody record(AnswerRecorder recorder, int limit) {
		if (this.bodyTaken || isCommitted()) {
			return null;
		}
		this.body = new RecordedBody(recorder, limit);
		return this.body;
	}

	/**
	 * Drops what is written from now on, because another response is sent.
	 */
	void drop() {
		this.dropping = true;
	}

	/**
	 * Passes everything through again.
	 */
	void letThrough() {
		this.dropping = false;
		this.body = null;
		forgetWriter();
		this.redirect = null;
	}

	boolean isBodyTaken() {
		return this.bodyTaken;
	}

	boolean isErrorSent() {
		return this.errorSent;
	}

	/**
	 * The language of the response. Containers have no header for it until they send it.
	 */
	@Nullable String language() {
		return this.localeSet ? getLocale().toLanguageTag() : null;
	}

	@Nullable Redirect redirect() {
		return this.redirect;
	}

	/**
	 * Moves what is left in the writer into the body.
	 */
	void drainWriter() {
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
		this.streamTaken = true;
		return this.body;
	}

	@Override
	public PrintWriter getWriter() throws IOException {
		if (this.dropping || (this.errorSent && this.body != null)) {
			return new PrintWriter(Writer.nullWriter());
		}
		if (this.body == null) {
			this.bodyTaken = true;
			return super.getWriter();
		}
		if (this.streamTaken) {
			// Tomcat finds out so after a forward, and a writer would change the encoding
			throw new IllegalStateException("The response is written with its stream");
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
			forgetWriter();
		}
	}

	private void forgetWriter() {
		this.writer = null;
		this.writerEncoding = null;
		this.streamTaken = false;
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
		drainUnflushed(this.body);
		this.body.clear();
	}

	/**
	 * Moves what is left in the writer into the body, without a flush that would send it.
	 */
	private void drainUnflushed(RecordedBody target) {
		if (!isFlowing()) {
			target.seal(this::drainWriter);
			target.unseal();
		}
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
	 * The handler leaves its response to an error page.
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
	 * Holds a redirect until it is stored. One that is not held is passed on by the same
	 * method, because outer wrappers may override only one of them.
	 */
	private boolean holdsRedirect(String location, int status, boolean clearBuffer) {
		if (this.dropping) {
			return true;
		}
		if (this.body == null || isCommitted()) {
			return false;
		}
		drainUnflushed(this.body);
		if (clearBuffer) {
			this.body.clear();
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
	 * The encoding of a writer is final, but the container does not know of our writer.
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
	 * Whether a header is passed on to the container. While the body is held, its length
	 * is not. While the response is dropped, only headers that are never stored are, such
	 * as cookies.
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
	 * A redirect that has not been passed on to the container yet.
	 */
	record Redirect(String location, int status) {
	}

}
