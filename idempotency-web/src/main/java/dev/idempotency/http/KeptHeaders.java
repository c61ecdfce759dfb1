package dev.idempotency.http;

import java.util.Collection;
import java.util.Set;
import java.util.TreeSet;

/**
 * Which headers are stored with a response. The others belong only to the one time that
 * it was sent.
 */
public final class KeptHeaders {

	private static final Set<String> HOP_BY_HOP = Set.of("connection", "keep-alive", "proxy-authenticate",
			"proxy-authorization", "proxy-connection", "te", "trailer", "transfer-encoding", "upgrade");

	private static final Set<String> OF_THIS_TIME = Set.of("date", "server", "set-cookie", "set-cookie2",
			// Known from the body
			"content-length",
			// Ours
			"idempotent-replayed", "idempotency-effect", "idempotency-expires",
			// Traces
			"traceparent", "tracestate", "traceresponse", "baggage", "b3", "x-amzn-trace-id", "x-cloud-trace-context",
			"uber-trace-id");

	private static final String[] PREFIXES = { "access-control-", "x-b3-" };

	private final Set<String> excluded = new TreeSet<>(String.CASE_INSENSITIVE_ORDER);

	/**
	 * Create the rule.
	 * @param excluded headers that are not stored, beside those that never are
	 */
	public KeptHeaders(Collection<String> excluded) {
		this.excluded.addAll(HOP_BY_HOP);
		this.excluded.addAll(OF_THIS_TIME);
		this.excluded.addAll(excluded);
	}

	/**
	 * Whether a header is stored with the response.
	 * @param name the name of the header
	 */
	public boolean isKept(String name) {
		if (this.excluded.contains(name)) {
			return false;
		}
		for (String prefix : PREFIXES) {
			if (name.regionMatches(true, 0, prefix, 0, prefix.length())) {
				return false;
			}
		}
		return true;
	}

}
