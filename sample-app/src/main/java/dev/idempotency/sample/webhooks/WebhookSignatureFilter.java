package dev.idempotency.sample.webhooks;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.time.Clock;
import java.time.Duration;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

import jakarta.servlet.FilterChain;
import jakarta.servlet.ServletException;
import jakarta.servlet.http.HttpServletRequest;
import jakarta.servlet.http.HttpServletResponse;
import org.jspecify.annotations.Nullable;

import org.springframework.beans.factory.annotation.Value;
import org.springframework.stereotype.Component;
import org.springframework.web.filter.OncePerRequestFilter;

/**
 * Rejects requests with invalid signatures before a key is claimed for them.
 */
@Component
class WebhookSignatureFilter extends OncePerRequestFilter {

	private static final int LARGEST = 256 * 1024;

	private static final Duration TOLERANCE = Duration.ofMinutes(5);

	private static final Pattern STRIPE = Pattern.compile("t=(\\d{1,12}),.*");

	private final String secret;

	private final Clock clock;

	WebhookSignatureFilter(@Value("${sample.webhook-secret}") String secret, Clock clock) {
		this.secret = secret;
		this.clock = clock;
	}

	@Override
	protected boolean shouldNotFilter(HttpServletRequest request) {
		return !request.getRequestURI().startsWith(request.getContextPath() + "/webhooks/");
	}

	@Override
	protected void doFilterInternal(HttpServletRequest request, HttpServletResponse response, FilterChain chain)
			throws ServletException, IOException {
		byte[] body = request.getInputStream().readNBytes(LARGEST + 1);
		if (body.length > LARGEST) {
			response.setStatus(HttpServletResponse.SC_REQUEST_ENTITY_TOO_LARGE);
		}
		else if (isGenuine(request, body)) {
			chain.doFilter(new KeptBody(request, body), response);
		}
		else {
			response.setStatus(HttpServletResponse.SC_UNAUTHORIZED);
		}
	}

	private boolean isGenuine(HttpServletRequest request, byte[] body) {
		if (request.getRequestURI().endsWith("/github")) {
			return same(WebhookSignatures.github(this.secret, body), request.getHeader("X-Hub-Signature-256"));
		}
		String signature = request.getHeader("Stripe-Signature");
		Matcher parts = STRIPE.matcher((signature != null) ? signature : "");
		if (!parts.matches()) {
			return false;
		}
		long seconds = Long.parseLong(parts.group(1));
		long age = Math.abs(this.clock.instant().getEpochSecond() - seconds);
		return age <= TOLERANCE.toSeconds() && same(WebhookSignatures.stripe(this.secret, seconds, body), signature);
	}

	private static boolean same(String expected, @Nullable String actual) {
		return actual != null && MessageDigest.isEqual(expected.getBytes(StandardCharsets.UTF_8),
				actual.getBytes(StandardCharsets.UTF_8));
	}

}
