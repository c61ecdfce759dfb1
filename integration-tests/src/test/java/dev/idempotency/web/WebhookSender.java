package dev.idempotency.web;

import java.nio.charset.StandardCharsets;
import java.security.GeneralSecurityException;
import java.security.MessageDigest;
import java.time.Instant;
import java.util.Arrays;
import java.util.Base64;
import java.util.HexFormat;
import java.util.Locale;

import javax.crypto.Mac;
import javax.crypto.spec.SecretKeySpec;

import com.stripe.exception.SignatureVerificationException;
import com.stripe.net.Webhook;
import jakarta.servlet.http.HttpServletRequest;
import org.jspecify.annotations.Nullable;

/**
 * Who sends webhooks: how each names an event, what it changes when it delivers one
 * again, and how it signs.
 */
enum WebhookSender {

	/**
	 * As on standardwebhooks.com: the same body each time, signed anew with the id and
	 * the time of the attempt.
	 */
	STANDARD {

		@Override
		TestServer.Call name(TestServer.Call call, String id) {
			return call.header("webhook-id", id);
		}

		@Override
		String json(@Nullable String id, int delivery) {
			return "{\"type\":\"invoice.paid\",%s}".formatted(SPECIAL);
		}

		@Override
		TestServer.Call sign(TestServer.Call call, @Nullable String id, byte[] body, int delivery, String secret) {
			String timestamp = timestamp(delivery);
			return call.header("webhook-timestamp", timestamp)
				.header("webhook-signature", "v1," + signature(secret, id, timestamp, body));
		}

		@Override
		boolean isGenuine(HttpServletRequest request, byte[] body) {
			return isSame(request.getHeader("webhook-signature"), "v1,"
					+ signature(SECRET, request.getHeader("webhook-id"), request.getHeader("webhook-timestamp"), body));
		}

		private static String signature(String secret, @Nullable String id, @Nullable String timestamp, byte[] body) {
			return Base64.getEncoder().encodeToString(hmac(secret, "%s.%s.".formatted(id, timestamp), body));
		}

	},

	/**
	 * The same headers and the same body each time.
	 */
	GITHUB {

		@Override
		TestServer.Call name(TestServer.Call call, String id) {
			return call.header("X-GitHub-Delivery", id);
		}

		@Override
		String json(@Nullable String id, int delivery) {
			return "{\"action\":\"opened\",%s}".formatted(SPECIAL);
		}

		@Override
		TestServer.Call sign(TestServer.Call call, @Nullable String id, byte[] body, int delivery, String secret) {
			return call.header("X-GitHub-Event", "issues")
				.header("X-Hub-Signature-256", "sha256=" + HexFormat.of().formatHex(hmac(secret, "", body)));
		}

		@Override
		boolean isGenuine(HttpServletRequest request, byte[] body) {
			return isSame(request.getHeader("X-Hub-Signature-256"),
					"sha256=" + HexFormat.of().formatHex(hmac(SECRET, "", body)));
		}

	},

	/**
	 * Has the id in the body, beside the number of endpoints that have not accepted the
	 * event yet; signs anew with the time of the attempt.
	 */
	STRIPE {

		@Override
		TestServer.Call name(TestServer.Call call, String id) {
			return call;
		}

		@Override
		String json(@Nullable String id, int delivery) {
			String first = (id != null) ? "\"id\": \"%s\",".formatted(id) : "";
			return "{%s \"object\": \"event\", \"pending_webhooks\": %d, %s}".formatted(first, delivery, SPECIAL);
		}

		@Override
		TestServer.Call sign(TestServer.Call call, @Nullable String id, byte[] body, int delivery, String secret) {
			String timestamp = timestamp(delivery);
			return call.header("Stripe-Signature",
					"t=%s,v1=%s".formatted(timestamp, HexFormat.of().formatHex(hmac(secret, timestamp + ".", body))));
		}

		@Override
		boolean isGenuine(HttpServletRequest request, byte[] body) {
			try {
				return Webhook.Signature.verifyHeader(new String(body, StandardCharsets.UTF_8),
						request.getHeader("Stripe-Signature"), SECRET, Webhook.DEFAULT_TOLERANCE);
			}
			catch (SignatureVerificationException ex) {
				return false;
			}
		}

	};

	static final String SECRET = "a secret of sender and receiver";

	/**
	 * What another writer of JSON would write differently.
	 */
	private static final String SPECIAL = "\r\n\t\"data\" : { \"b\":1.50, \"a\":\"gr\u00fc\\u00dfe \u2603\" } \n";

	/**
	 * Puts the id where it belongs, unless that is the body.
	 */
	abstract TestServer.Call name(TestServer.Call call, String id);

	abstract String json(@Nullable String id, int delivery);

	abstract TestServer.Call sign(TestServer.Call call, @Nullable String id, byte[] body, int delivery, String secret);

	/**
	 * Whether a request was sent by someone who knows the secret.
	 */
	abstract boolean isGenuine(HttpServletRequest request, byte[] body);

	/**
	 * An endpoint's path ends with the name of whom it listens to.
	 */
	static WebhookSender of(HttpServletRequest request) {
		return Arrays.stream(values())
			.filter((sender) -> request.getRequestURI().endsWith(sender.path()))
			.findFirst()
			.orElseThrow();
	}

	String path() {
		return "/" + name().toLowerCase(Locale.ROOT);
	}

	byte[] payload(@Nullable String id, int delivery) {
		return json(id, delivery).getBytes(StandardCharsets.UTF_8);
	}

	/**
	 * A delivery of an event; the first one has the number 1.
	 */
	TestServer.Call delivery(TestServer server, String path, @Nullable String id, int delivery) {
		return delivery(server, path, id, delivery, SECRET);
	}

	/**
	 * A delivery by someone who does not know the secret.
	 */
	TestServer.Call forgery(TestServer server, String path, String id, int delivery) {
		return delivery(server, path, id, delivery, "a guess");
	}

	private TestServer.Call delivery(TestServer server, String path, @Nullable String id, int delivery, String secret) {
		byte[] body = payload(id, delivery);
		TestServer.Call call = server.post(path).body("application/json", body);
		return sign((id != null) ? name(call, id) : call, id, body, delivery, secret);
	}

	private static String timestamp(int delivery) {
		return String.valueOf(Instant.now().getEpochSecond() - 60 + delivery);
	}

	private static byte[] hmac(String secret, String prefix, byte[] body) {
		try {
			Mac mac = Mac.getInstance("HmacSHA256");
			mac.init(new SecretKeySpec(secret.getBytes(StandardCharsets.UTF_8), "HmacSHA256"));
			mac.update(prefix.getBytes(StandardCharsets.UTF_8));
			return mac.doFinal(body);
		}
		catch (GeneralSecurityException ex) {
			throw new IllegalStateException(ex);
		}
	}

	private static boolean isSame(@Nullable String one, String other) {
		return one != null
				&& MessageDigest.isEqual(one.getBytes(StandardCharsets.UTF_8), other.getBytes(StandardCharsets.UTF_8));
	}

}
