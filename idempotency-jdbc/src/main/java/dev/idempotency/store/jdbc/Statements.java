package dev.idempotency.store.jdbc;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

import org.springframework.core.io.ClassPathResource;

/**
 * What is said to the database, in its dialect.
 */
final class Statements {

	private static final Pattern TIME = Pattern.compile("\\{time:([^}]+)}");

	/**
	 * The table, the one beside it, or an index of either.
	 */
	private static final Pattern NAME = Pattern
		.compile("%s((?:%s)?)(_)?".formatted(JdbcSettings.DEFAULT_TABLE, JdbcSettings.OUTCOMES));

	private static final String HELD = "id = ? and owner = ? and state = 'IN_PROGRESS' and expires_at > {now}";

	final String insert;

	final String select;

	final String restart;

	final String takeOver;

	final String countReplay;

	final String extend;

	final String renew;

	final String complete;

	final String release;

	final String abandon;

	final String isCompletedByOwner;

	final String forgetCompleted;

	final String forgetOwned;

	final String purge;

	final String deletePicked;

	final String overInProgress;

	final String purgeOwned;

	private final Dialect dialect;

	private final JdbcSettings settings;

	Statements(Dialect dialect, JdbcSettings settings) {
		this.dialect = dialect;
		this.settings = settings;
		this.insert = in(
				dialect.insertIfAbsent("{table} (id, namespace, operation, principal, tenant, idempotency_key, state, "
						+ "attempt, owner, fingerprint, created_at, lease_until, expires_at, replays, trace) "
						+ "values (?, ?, ?, ?, ?, ?, 'IN_PROGRESS', 1, ?, ?, {now}, {later}, {later}, 0, ?)"));
		this.select = in("select owner, attempt, state, fingerprint, {time:created_at}, {time:lease_until}, "
				+ "{time:completed_at}, {time:expires_at}, replays, result, trace, {time:{now}} from {table} where id = ?");
		// The attempt counts too: a key that was given back is nobody's each time
		this.restart = in("update {table} set state = 'IN_PROGRESS', attempt = 1, owner = ?, fingerprint = ?, "
				+ "created_at = {now}, lease_until = {later}, completed_at = null, expires_at = {later}, replays = 0, "
				+ "result = null, trace = ? where id = ? and owner = ? and attempt = ? and expires_at <= {now}");
		this.takeOver = in("update {table} set attempt = attempt + 1, owner = ?, lease_until = {later}, "
				+ "expires_at = {later}, trace = ? where id = ? and owner = ? and attempt = ? "
				+ "and state = 'IN_PROGRESS' and lease_until <= {now}");
		this.countReplay = in("update {table} set replays = replays + 1 "
				+ "where id = ? and owner = ? and replays = ? and state = 'COMPLETED'");
		// Someone else may have extended it further since it was read
		this.extend = in("update {table} set expires_at = case when expires_at < {later} then {later} else expires_at "
				+ "end where id = ? and owner = ? and state = 'COMPLETED' and expires_at > {now}");
		// Work that outlives the ttl must not be forgotten while it runs
		this.renew = in("update {table} set lease_until = {later}, "
				+ "expires_at = case when expires_at < {later} then {later} else expires_at end where " + HELD);
		// The lease of one who says so is over; of one whose transaction said so, it is
		// not
		this.complete = in("update {table} set state = 'COMPLETED', lease_until = {now}, completed_at = {now}, "
				+ "expires_at = {later}, result = ? where " + HELD);
		this.isCompletedByOwner = in("select attempt from {table} where id = ? and owner = ? "
				+ "and state = 'COMPLETED' and lease_until > {now}");
		this.release = in("delete from {table} where " + HELD);
		this.abandon = in("update {table} set owner = ?, lease_until = {now} where " + HELD);
		this.forgetCompleted = in("delete from {table} where id = ? and state = 'COMPLETED' and expires_at > {now}");
		this.forgetOwned = in("delete from {table} where id = ? and owner = ? and expires_at > {now}");
		this.purge = in(dialect.purge());
		this.deletePicked = in("delete from {table} where id in (%s)");
		this.overInProgress = in("select owner, id from {table} where expires_at <= {now} and state = 'IN_PROGRESS' "
				+ "order by expires_at ");
		this.purgeOwned = in("delete from {table} where id = ? and owner = ? and state = 'IN_PROGRESS' "
				+ "and expires_at <= {now}");
	}

	Dialect dialect() {
		return this.dialect;
	}

	/**
	 * The name of the table, with or without its schema.
	 */
	String table() {
		return this.settings.table();
	}

	/**
	 * The name of the table beside it, with or without its schema.
	 */
	String outcomeTable() {
		return this.settings.outcomeTable();
	}

	/**
	 * A statement that has a file of its own, where its table has the default name.
	 */
	String fromFile(String name) {
		// What is said to people need not travel
		return withTable(read(name).replaceAll("(?m)^--.*\\R", ""));
	}

	private String withTable(String text) {
		return NAME.matcher(text)
			.replaceAll((name) -> (name.group(2) != null)
					// Indexes are where their table is
					? this.settings.plainTable() + name.group(1) + name.group(2)
					: this.settings.table() + name.group(1));
	}

	/**
	 * A statement in the dialect of the database.
	 */
	String in(String template) {
		String text = template.replace("{table}", this.settings.table())
			.replace("{outcomes}", this.settings.outcomeTable())
			.replace("{moment}", this.dialect.moment())
			.replace("{moment+}", this.dialect.momentLater())
			.replace("{now}", this.dialect.now())
			.replace("{later}", this.dialect.later());
		return TIME.matcher(text).replaceAll((time) -> Matcher.quoteReplacement(this.dialect.time(time.group(1))));
	}

	private static String read(String name) {
		try {
			return new ClassPathResource(name, Statements.class).getContentAsString(StandardCharsets.UTF_8);
		}
		catch (IOException ex) {
			throw new UncheckedIOException(ex);
		}
	}

}
