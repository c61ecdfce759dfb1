package dev.idempotency.web;

import java.io.IOException;

import dev.idempotency.Fingerprint;
import dev.idempotency.IdempotencyScope;
import jakarta.servlet.http.HttpServletRequest;
import org.jspecify.annotations.Nullable;

/**
 * What is known of a request, each fact found out when it is first asked for.
 */
final class RequestFacts implements KeySource.Facts {

	private static final RequestContent NO_CONTENT = new RequestContent.Body(new byte[0], 0);

	private final Exchange exchange;

	private final HttpServletRequest request;

	private final IdempotencyScope scope;

	private final RequestFingerprinter fingerprinter;

	private final int maxBody;

	private @Nullable RequestContent content;

	private @Nullable Fingerprint fingerprint;

	RequestFacts(Exchange exchange, HttpServletRequest request, IdempotencyScope scope,
			RequestFingerprinter fingerprinter, int maxBody) {
		this.exchange = exchange;
		this.request = request;
		this.scope = scope;
		this.fingerprinter = fingerprinter;
		this.maxBody = maxBody;
	}

	@Override
	public HttpServletRequest request() {
		return this.request;
	}

	@Override
	public IdempotencyScope scope() {
		return this.scope;
	}

	@Override
	public RequestContent content() {
		if (this.content == null) {
			this.content = this.exchange.readContent(this.request, this.maxBody);
		}
		return this.content;
	}

	/**
	 * Refuses content that is too large, also where nobody compares it. It is read ahead
	 * of the handler if its length is not known otherwise.
	 * @throws RequestBodyTooLargeException if it is too large
	 */
	void requireContentWithinLimit() {
		if (this.content == null && !this.exchange.isWithinLimit(this.request, this.maxBody)) {
			content();
		}
	}

	@Override
	public Fingerprint fingerprint() {
		if (this.fingerprint == null) {
			RequestContent compared = this.fingerprinter.needsContent() ? content() : NO_CONTENT;
			try {
				this.fingerprint = this.fingerprinter.fingerprint(this.request, compared);
			}
			catch (IOException ex) {
				throw new RequestBodyUnreadableException(ex);
			}
		}
		return this.fingerprint;
	}

}
