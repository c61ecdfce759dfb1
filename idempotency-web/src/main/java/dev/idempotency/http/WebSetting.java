package dev.idempotency.http;

import dev.idempotency.Setting;

/**
 * The settings of the web edge.
 */
public enum WebSetting implements Setting {

	/**
	 * What is compared between a request and its retry.
	 */
	FINGERPRINT("the fingerprint of requests"),

	/**
	 * What startup does about handlers that are not protected.
	 */
	UNPROTECTED("what is done about unprotected handlers");

	private final String words;

	WebSetting(String words) {
		this.words = words;
	}

	@Override
	public String words() {
		return this.words;
	}

}
