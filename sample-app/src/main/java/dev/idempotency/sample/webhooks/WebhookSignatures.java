package dev.idempotency.sample.webhooks;

import java.nio.charset.StandardCharsets;
import java.security.GeneralSecurityException;
import java.util.HexFormat;

import javax.crypto.Mac;
import javax.crypto.spec.SecretKeySpec;

/**
 * The signatures of the two senders, both HMAC-SHA256 in hex.
 */
public final class WebhookSignatures {

	private WebhookSignatures() {
	}

	/**
	 * Returns the value of {@code Stripe-Signature}.
	 * @param seconds since 1970
	 */
	public static String stripe(String secret, long seconds, byte[] body) {
		return "t=%d,v1=%s".formatted(seconds, hmac(secret, (seconds + ".").getBytes(StandardCharsets.US_ASCII), body));
	}

	/**
	 * Returns the value of {@code X-Hub-Signature-256}.
	 */
	public static String github(String secret, byte[] body) {
		return "sha256=" + hmac(secret, body);
	}

	private static String hmac(String secret, byte[]... parts) {
		try {
			Mac mac = Mac.getInstance("HmacSHA256");
			mac.init(new SecretKeySpec(secret.getBytes(StandardCharsets.UTF_8), "HmacSHA256"));
			for (byte[] part : parts) {
				mac.update(part);
			}
			return HexFormat.of().formatHex(mac.doFinal());
		}
		catch (GeneralSecurityException ex) {
			throw new IllegalStateException(ex);
		}
	}

}
