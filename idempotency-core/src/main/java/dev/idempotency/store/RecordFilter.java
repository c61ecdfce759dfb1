package dev.idempotency.store;

import java.time.Duration;
import java.time.Instant;
import java.util.HexFormat;
import java.util.Objects;
import java.util.regex.Pattern;

import dev.idempotency.IdempotencyKey;
import dev.idempotency.RecordState;
import org.jspecify.annotations.Nullable;

/**
 * Selects records; {@code null} criteria match all. Texts are shortened as in a
 * {@link KeyDescription}, and compared with its readable parts.
 *
 * @param namespace the application that owns the records
 * @param key the key as it was given, or as it was shortened
 * @param idPrefix what the {@linkplain RecordId id} begins with, in hexadecimal digits
 * @param operation what the key protects
 * @param state the state of the key
 * @param minAge how long ago it was first claimed, at least
 * @param maxAge how long ago it was first claimed, at most
 */
public record RecordFilter(String namespace, @Nullable String key, @Nullable String idPrefix,
		@Nullable String operation, @Nullable RecordState state, @Nullable Duration minAge, @Nullable Duration maxAge) {

	private static final Duration OLDEST = Duration.ofDays(36_500);

	private static final Pattern ID_PREFIX = Pattern.compile("[0-9a-f]{1," + RecordId.LENGTH + "}");

	public RecordFilter {
		Objects.requireNonNull(namespace, "namespace must not be null");
		namespace = KeyDescription.readable(namespace);
		key = (key != null) ? KeyDescription.readable(key) : null;
		operation = (operation != null) ? KeyDescription.readable(operation) : null;
		minAge = (minAge != null) ? within(minAge) : null;
		maxAge = (maxAge != null) ? within(maxAge) : null;
		if (idPrefix != null && !ID_PREFIX.matcher(idPrefix).matches()) {
			throw new IllegalArgumentException(
					"The start of an id has 1 to %d hexadecimal digits in lower case".formatted(RecordId.LENGTH));
		}
	}

	/**
	 * All records of an application.
	 * @param namespace the application
	 */
	public static RecordFilter all(String namespace) {
		return new RecordFilter(namespace, null, null, null, null, null, null);
	}

	/**
	 * This filter, for one key.
	 */
	public RecordFilter withKey(@Nullable String key) {
		return new RecordFilter(this.namespace, key, this.idPrefix, this.operation, this.state, this.minAge,
				this.maxAge);
	}

	/**
	 * This filter, for ids that begin with some digits.
	 */
	public RecordFilter withIdPrefix(@Nullable String idPrefix) {
		return new RecordFilter(this.namespace, this.key, idPrefix, this.operation, this.state, this.minAge,
				this.maxAge);
	}

	/**
	 * This filter, for one operation.
	 */
	public RecordFilter withOperation(@Nullable String operation) {
		return new RecordFilter(this.namespace, this.key, this.idPrefix, operation, this.state, this.minAge,
				this.maxAge);
	}

	/**
	 * This filter, for one state.
	 */
	public RecordFilter withState(@Nullable RecordState state) {
		return new RecordFilter(this.namespace, this.key, this.idPrefix, this.operation, state, this.minAge,
				this.maxAge);
	}

	/**
	 * This filter, for an age.
	 */
	public RecordFilter withAge(@Nullable Duration minAge, @Nullable Duration maxAge) {
		return new RecordFilter(this.namespace, this.key, this.idPrefix, this.operation, this.state, minAge, maxAge);
	}

	/**
	 * The common start of the {@linkplain RecordId ids} of all records that can match, so
	 * that a store can skip others.
	 * @return hexadecimal digits, possibly none
	 */
	public String idStart() {
		String ofKey = (this.key != null) ? HexFormat.of().formatHex(IdempotencyKey.digestStart(this.key)) : "";
		return (this.idPrefix != null && this.idPrefix.length() > ofKey.length()) ? this.idPrefix : ofKey;
	}

	/**
	 * Whether a record matches.
	 * @param now the store's time
	 * @return whether it matches
	 */
	public boolean matches(RecordSummary record, Instant now) {
		return record.key().namespace().equals(this.namespace) && equal(this.key, record.key().key())
				&& (this.idPrefix == null || record.id().value().startsWith(this.idPrefix))
				&& equal(this.operation, record.key().operation()) && equal(this.state, record.state())
				&& (this.minAge == null || !record.created().isAfter(now.minus(this.minAge)))
				&& (this.maxAge == null || !record.created().isBefore(now.minus(this.maxAge)));
	}

	/**
	 * Limits an age: no record is older, and databases do not support every date.
	 */
	private static Duration within(Duration age) {
		if (age.isNegative()) {
			throw new IllegalArgumentException("An age must not be negative, but is %s".formatted(age));
		}
		return (age.compareTo(OLDEST) > 0) ? OLDEST : age;
	}

	private static boolean equal(@Nullable Object wanted, Object found) {
		return wanted == null || wanted.equals(found);
	}

}
