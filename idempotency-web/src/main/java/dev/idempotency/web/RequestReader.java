package dev.idempotency.web;

import java.io.IOException;
import java.io.InputStream;
import java.util.Arrays;
import java.util.List;
import java.util.Map;

import dev.idempotency.http.FormParameters;
import dev.idempotency.http.RequestBodyTooLargeException;
import dev.idempotency.http.RequestBodyUnreadableException;
import dev.idempotency.http.RequestContent;
import jakarta.servlet.ServletException;
import jakarta.servlet.http.HttpServletRequest;
import jakarta.servlet.http.Part;
import org.jspecify.annotations.Nullable;

import org.springframework.http.HttpHeaders;
import org.springframework.http.HttpStatusCode;
import org.springframework.http.MediaType;
import org.springframework.web.multipart.MultipartHttpServletRequest;
import org.springframework.web.server.ResponseStatusException;
import org.springframework.web.util.WebUtils;

/**
 * Reads the content of a request ahead of its handler, and keeps it for the handler.
 */
final class RequestReader {

	/**
	 * The largest size of the first array for an announced body, which may never arrive.
	 */
	private static final int READ_AT_ONCE = 64 * 1024;

	/**
	 * The factor by which a full array grows, up to the announced length.
	 */
	private static final int TRUST = 16;

	private final ExchangeRequest request;

	private final int limit;

	private final List<FormLimits> formLimits;

	private @Nullable BufferedBody body;

	private @Nullable Map<String, String[]> form;

	RequestReader(ExchangeRequest request, int limit, List<FormLimits> formLimits) {
		this.request = request;
		this.limit = limit;
		this.formLimits = formLimits;
	}

	@Nullable BufferedBody body() {
		return this.body;
	}

	@Nullable Map<String, String[]> form() {
		return this.form;
	}

	RequestContent read(HttpServletRequest outermost) {
		try {
			MultipartHttpServletRequest multipart = WebUtils.getNativeRequest(outermost,
					MultipartHttpServletRequest.class);
			if (multipart != null) {
				return readParts(multipart);
			}
			if (outermost.getContentLengthLong() > this.limit) {
				throw new RequestBodyTooLargeException(this.limit);
			}
			byte[] bytes = readBody(outermost);
			return isForm(outermost) ? asForm(outermost, bytes) : new RequestContent.Body(bytes, bytes.length);
		}
		catch (IOException ex) {
			throw new RequestBodyUnreadableException(ex);
		}
	}

	private RequestContent readParts(MultipartHttpServletRequest multipart) throws IOException {
		// Parses the parts now, if they are resolved lazily
		multipart.getFileNames();
		try {
			long size = 0;
			for (Part part : multipart.getParts()) {
				size += part.getSize();
			}
			if (size > this.limit) {
				throw new RequestBodyTooLargeException(this.limit);
			}
			return new RequestContent.Multipart(multipart.getParts().stream().map(RequestReader::toPart).toList());
		}
		catch (ServletException ex) {
			throw new IOException(ex);
		}
	}

	private static RequestContent.Part toPart(Part part) {
		return new RequestContent.Part(part.getName(), part.getSubmittedFileName(), part.getContentType(),
				part::getInputStream);
	}

	private byte[] readBody(HttpServletRequest outermost) throws IOException {
		boolean readBefore = this.request.isBodyTaken();
		// A filter that has read the body before provides it again, or the body is lost
		InputStream source = readBefore ? outermost.getInputStream() : this.request.getRequest().getInputStream();
		byte[] bytes = readAtMost(this.limit + 1, source, outermost.getContentLengthLong());
		if (bytes.length == 0 && outermost.getContentLengthLong() > 0 && !isForm(outermost)) {
			throw new IllegalStateException("The body of %s %s was read before its handler, and is gone. ".formatted(
					outermost.getMethod(), outermost.getRequestURI()) + "A filter that reads it must provide it again");
		}
		boolean tooLarge = bytes.length > this.limit;
		if (!readBefore && bytes.length > 0) {
			this.body = new BufferedBody(bytes, tooLarge ? source : null);
		}
		if (tooLarge) {
			throw new RequestBodyTooLargeException(this.limit);
		}
		return bytes;
	}

	/**
	 * Reads a body whose length is announced into an array of that length. The body may
	 * be longer: a filter that decompresses leaves the announced length as it was.
	 */
	private static byte[] readAtMost(int most, InputStream source, long announced) throws IOException {
		if (announced <= 0 || announced > most) {
			return source.readNBytes(most);
		}
		byte[] bytes = new byte[(int) Math.min(announced, READ_AT_ONCE)];
		int length = source.readNBytes(bytes, 0, bytes.length);
		while (length == bytes.length && length < announced) {
			bytes = Arrays.copyOf(bytes, (int) Math.min(announced, (long) TRUST * length));
			length += source.readNBytes(bytes, length, bytes.length - length);
		}
		if (length < bytes.length) {
			return Arrays.copyOf(bytes, length);
		}
		int next = source.read();
		if (next < 0) {
			return bytes;
		}
		byte[] more = source.readNBytes(most - length - 1);
		byte[] all = Arrays.copyOf(bytes, length + 1 + more.length);
		all[length] = (byte) next;
		System.arraycopy(more, 0, all, length + 1, more.length);
		return all;
	}

	/**
	 * A form whose body cannot be read was parsed before, by the container or by a
	 * filter.
	 */
	private RequestContent asForm(HttpServletRequest outermost, byte[] bytes) throws IOException {
		if (bytes.length > 0 && !this.request.isBodyTaken()) {
			this.form = parseForm(bytes);
		}
		return new RequestContent.Form(outermost.getParameterMap());
	}

	private Map<String, String[]> parseForm(byte[] bytes) throws IOException {
		requireWithinLimitsOfContainer(bytes);
		try {
			return FormParameters.parse(this.request.getRequest().getParameterMap(), bytes, this.request.bodyCharset());
		}
		catch (IllegalArgumentException ex) {
			throw new IOException(ex);
		}
	}

	/**
	 * Containers parse, and limit, the forms of POST requests only.
	 */
	private void requireWithinLimitsOfContainer(byte[] bytes) {
		if (this.formLimits.isEmpty() || !this.request.getMethod().equals("POST")) {
			return;
		}
		int parameters = 0;
		for (String[] values : this.request.getRequest().getParameterMap().values()) {
			parameters += values.length;
		}
		byte before = '&';
		for (byte next : bytes) {
			if (before == '&' && next != '&') {
				parameters++;
			}
			before = next;
		}
		for (FormLimits limits : this.formLimits) {
			int status = limits.refusal(this.request, bytes.length, parameters);
			if (status != 0) {
				throw new ResponseStatusException(HttpStatusCode.valueOf(status), "The form is too large");
			}
		}
	}

	/**
	 * Reads the rest of a form that was too large, for a handler that runs all the same.
	 * The container cannot parse a form whose beginning was already read.
	 */
	void readToTheEnd() {
		BufferedBody beginning = this.body;
		if (beginning == null || this.form != null || !isForm(this.request)) {
			return;
		}
		try {
			byte[] bytes = beginning.readAllBytes();
			this.body = new BufferedBody(bytes, null);
			this.form = parseForm(bytes);
		}
		catch (IOException ex) {
			// The container could not read it either
		}
	}

	/**
	 * Whether the announced length of a request is within the limit. That of an encoded
	 * body does not count: a filter may decode the body, which then grows.
	 */
	static boolean isWithinLimit(HttpServletRequest request, int limit) {
		long announced = request.getContentLengthLong();
		return announced >= 0 && announced <= limit && request.getHeader(HttpHeaders.CONTENT_ENCODING) == null;
	}

	static boolean isForm(HttpServletRequest request) {
		String type = request.getContentType();
		return type != null && type.regionMatches(true, 0, MediaType.APPLICATION_FORM_URLENCODED_VALUE, 0,
				MediaType.APPLICATION_FORM_URLENCODED_VALUE.length());
	}

}
