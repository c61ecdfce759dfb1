package dev.idempotency.web;

import java.io.IOException;

import dev.idempotency.Fingerprint;
import dev.idempotency.IdempotencyScope;
import dev.idempotency.http.RequestBodyTooLargeException;
import dev.idempotency.http.RequestBodyUnreadableException;
import dev.idempotency.http.RequestContent;
import jakarta.servlet.http.HttpServletRequest;
import org.jspecify.annotations.Nullable;

/**
 * What is known of a request whose body can be read ahead of its handler. Each fact is
 * found out when it is first asked for.
 */
final class ReadAheadFacts extends ServletFacts {

	private static final RequestContent NO_CONTENT = new RequestContent.Body(new byte[0], 0);

	private final Exchange exchange;

	private final RequestFingerprinter fingerprinter;

	private final int maxBody;

	private @Nullable RequestContent content;

	private @Nullable Fingerprint fingerprint;

	ReadAheadFacts(Exchange exchange, HttpServletRequest request, IdempotencyScope scope, HttpStrategies strategies,
			int maxBody) {
		super(request, scope, strategies.keyResolver());
		this.exchange = exchange;
		this.fingerprinter = strategies.fingerprinter();
		this.maxBody = maxBody;
	}

	@Override
	public RequestContent content() {
		if (this.content == null) {
			this.content = this.exchange.readContent(request(), this.maxBody);
		}
		return this.content;
	}

	/**
	 * Refuses content that is too large, also where nobody compares it. It is read ahead
	 * of the handler if its length is not known otherwise.
	 * @throws RequestBodyTooLargeException if it is too large
	 */
	void requireContentWithinLimit() {
		if (this.content == null && !this.exchange.isWithinLimit(request(), this.maxBody)) {
			content();
		}
	}

	@Override
	public Fingerprint fingerprint() {
		if (this.fingerprint == null) {
			RequestContent compared = this.fingerprinter.needsContent() ? content() : NO_CONTENT;
			try {
				this.fingerprint = this.fingerprinter.fingerprint(request(), compared);
			}
			catch (IOException ex) {
				throw new RequestBodyUnreadableException(ex);
			}
		}
		return this.fingerprint;
	}

}
