package dev.idempotency.store.redis;

import dev.idempotency.Setting;

/**
 * The settings of the store in Redis.
 */
public enum RedisSetting implements Setting {

	/**
	 * How many replicas must have a claim before it counts.
	 */
	REPLICAS("the number of replicas to wait for"),

	/**
	 * The client library.
	 */
	CLIENT("the client");

	private final String words;

	RedisSetting(String words) {
		this.words = words;
	}

	@Override
	public String words() {
		return this.words;
	}

}
