package dev.idempotency.store.jdbc;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.util.EnumMap;
import java.util.Map;
import java.util.Objects;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

import dev.idempotency.store.OnReplay;
import org.jspecify.annotations.Nullable;

import org.springframework.core.io.ClassPathResource;

/**
 * The statements, in the dialect of the database.
 */
final class Statements {

	private static final Pattern TIME = Pattern.compile("\\{time:([^}]+)}");

	/**
	 * The table, the outcome table, or an index of either.
	 */
	private static final Pattern NAME = Pattern
		.compile("%s((?:%s)?)(_)?".formatted(JdbcSettings.DEFAULT_TABLE, JdbcSettings.OUTCOMES));

	static final String IN_PROGRESS = "state = 0";

	static final String COMPLETED = "state > 0";

	/**
	 * The state of a record whose owner has completed it.
	 */
	private static final String COMPLETED_BY_OWNER = "state = 1";

	/**
	 * The state of a record into which the outcome of a transaction was folded. Its owner
	 * may not know yet.
	 */
	static final String COMPLETED_BY_TRANSACTION = "state = 2";

	private static final String HELD = "id = ? and owner = ? and " + IN_PROGRESS + " and expires_at > {now}";

	/**
	 * Keeps a record for at least the given time. A later expiry stays as it is: the
	 * column is indexed, and an update that changes no indexed column is cheaper.
	 */
	private static final String AT_LEAST = "expires_at = case when expires_at < {later} then {later} else expires_at end";

	final String insert;

	final String select;

	final String restart;

	final String takeOver;

	final String countReplay;

	final String extend;

	/**
	 * For each kind of replay, statements of PostgreSQL for one round trip: what it
	 * changes, and then a read. One statement that does all of that, and takes a free
	 * key, costs the server 1.5 times as much for a first claim, and twice as much for a
	 * counted replay.
	 */
	private final Map<OnReplay, String> read = new EnumMap<>(OnReplay.class);

	private final Map<OnReplay, String> readThenTake = new EnumMap<>(OnReplay.class);

	private final String renew;

	private final String held;

	final String complete;

	final String release;

	final String abandon;

	final String forgetCompleted;

	final String forgetOwned;

	final String expired;

	final String purgeCompleted;

	final String purgeInProgress;

	/**
	 * What begins a transaction whose statements the server ends after a while;
	 * {@code null} if there is no such thing.
	 */
	final @Nullable String limits;

	private final Dialect dialect;

	private final JdbcSettings settings;

	Statements(Dialect dialect, JdbcSettings settings) {
		this.dialect = dialect;
		this.settings = settings;
		this.insert = in(
				dialect.insertIfAbsent("{table} (id, namespace, operation, principal, tenant, idempotency_key, state, "
						+ "attempt, owner, fingerprint, created_at, ends_at, expires_at, trace) "
						+ "values (?, ?, ?, ?, ?, ?, 0, 1, ?, ?, {now}, {later}, {later}, ?)"));
		this.select = in(
				"select owner, attempt, state, fingerprint, replays, result, trace, {time:created_at}, {time:ends_at}, "
						+ "{time:expires_at}, {time:{now}}, case when expires_at <= {now} then 1 else 0 end from {table} where id = ?");
		// The attempt is compared, too: every released key has the same owner
		this.restart = in("update {table} set state = 0, attempt = 1, owner = ?, fingerprint = ?, "
				+ "created_at = {now}, ends_at = {later}, expires_at = {later}, replays = null, "
				+ "result = null, trace = ? where id = ? and owner = ? and attempt = ? and expires_at <= {now}");
		// The count stops at the largest smallint
		this.takeOver = in("update {table} set attempt = case when attempt < 32767 then attempt + 1 else attempt end, "
				+ "owner = ?, ends_at = {later}, expires_at = {later}, trace = ? where id = ? and owner = ? "
				+ "and attempt = ? and " + IN_PROGRESS + " and ends_at <= {now}");
		this.countReplay = in("update {table} set replays = coalesce(replays, 0) + 1 "
				+ "where id = ? and owner = ? and coalesce(replays, 0) = ? and " + COMPLETED);
		// Another replay may have extended it further since it was read
		this.extend = in("update {table} set " + AT_LEAST + " where id = ? and owner = ? and " + COMPLETED
				+ " and expires_at > {now}");
		// Before it is read: the count of the update says whether it was changed
		String replayed = " id = ? and fingerprint = ? and " + COMPLETED + " and expires_at > {now}";
		this.read.put(OnReplay.READ, this.select);
		this.read.put(OnReplay.COUNT,
				in("update {table} set replays = coalesce(replays, 0) + 1 where" + replayed) + "; " + this.select);
		this.read.put(OnReplay.EXTEND,
				in("update {table} set expires_at = {later} where expires_at < {later} and" + replayed) + "; "
						+ this.select);
		this.read.forEach((onReplay, text) -> this.readThenTake.put(onReplay, text + "; " + this.insert));
		// The record of an operation that outlives the ttl must not expire while it runs
		this.renew = in("update {table} set ends_at = {later}, " + AT_LEAST
				+ " where id in ({list}) and owner in ({list}) " + "and " + IN_PROGRESS + " and expires_at > {now}");
		// If a transaction has completed the key, the owner may not have learned of it
		// yet.
		// The claim is not lost then
		this.held = in("select owner, id from {table} where id in ({list}) and owner in ({list}) and (" + IN_PROGRESS
				+ " or " + COMPLETED_BY_TRANSACTION + ") and expires_at > {now}");
		this.complete = in("update {table} set " + COMPLETED_BY_OWNER + ", ends_at = {now}, " + AT_LEAST
				+ ", result = ? where " + HELD);
		this.release = in("delete from {table} where " + HELD);
		this.abandon = in("update {table} set owner = ?, ends_at = {now} where " + HELD);
		this.forgetCompleted = in("delete from {table} where id = ? and " + COMPLETED + " and expires_at > {now}");
		this.forgetOwned = in("delete from {table} where id = ? and owner = ? and expires_at > {now}");
		// Nothing but what the index answers: a condition on the state makes databases
		// without statistics read the whole table. The limit is a parameter, because
		// PostgreSQL keeps the plan of a statement that has none
		this.expired = limited("select owner, id, state from {table} where expires_at <= {moment} order by expires_at "
				+ dialect.page("0", "?"));
		this.purgeCompleted = in("delete from {table} where id in (?) and " + COMPLETED + " and expires_at <= {now}");
		this.purgeInProgress = in(
				"delete from {table} where id = ? and owner = ? and " + IN_PROGRESS + " and expires_at <= {now}");
		this.limits = dialect.limits(settings.timeout());
	}

	/**
	 * Replays a record, in one round trip.
	 */
	String read(OnReplay onReplay) {
		return Objects.requireNonNull(this.read.get(onReplay));
	}

	/**
	 * Replays a record or takes a free key, in one round trip.
	 */
	String readThenTake(OnReplay onReplay) {
		return Objects.requireNonNull(this.readThenTake.get(onReplay));
	}

	/**
	 * Renews claims: their ids, then their owners.
	 */
	String renew(int claims) {
		return withList(this.renew, claims);
	}

	/**
	 * Selects the owners and ids of the claims that are not lost.
	 */
	String held(int claims) {
		return withList(this.held, claims);
	}

	private static String withList(String statement, int length) {
		return statement.replace("{list}", "?" + ", ?".repeat(length - 1));
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
	 * The name of the outcome table, with or without its schema.
	 */
	String outcomeTable() {
		return this.settings.outcomeTable();
	}

	/**
	 * A statement from a file, in which the table has the default name.
	 */
	String fromFile(String file) {
		return NAME.matcher(read(file))
			.replaceAll((name) -> (name.group(2) != null)
					// An index is created in the schema of its table
					? this.settings.plainTable() + name.group(1) + name.group(2)
					: this.settings.table() + name.group(1));
	}

	/**
	 * A query in the dialect of the database that no request waits for.
	 */
	String limited(String template) {
		return this.dialect.limited(in(template), this.settings.timeout());
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
