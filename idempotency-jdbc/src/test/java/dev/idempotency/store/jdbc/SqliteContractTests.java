package dev.idempotency.store.jdbc;

import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Duration;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicReference;

import dev.idempotency.Fingerprint;
import dev.idempotency.IdempotencyKey;
import dev.idempotency.OnCrash;
import dev.idempotency.store.Claim;
import dev.idempotency.store.ClaimResult;
import dev.idempotency.store.ClaimTerms;
import dev.idempotency.store.IdempotencyRecord;
import dev.idempotency.store.JoiningStore;
import dev.idempotency.store.OnReplay;
import dev.idempotency.store.StoredResult;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

import org.springframework.jdbc.core.JdbcTemplate;
import org.springframework.jdbc.datasource.DriverManagerDataSource;
import org.springframework.jdbc.datasource.SingleConnectionDataSource;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatException;

@Tag("slow")
class SqliteContractTests extends JdbcStoreContract {

	private static final ClaimTerms TERMS = new ClaimTerms(Duration.ofMinutes(5), Duration.ofHours(1), OnCrash.RETRY,
			OnReplay.READ);

	@TempDir
	private static Path folder;

	@Override
	String url() {
		return "jdbc:sqlite:" + folder.resolve("contract.db") + "?journal_mode=WAL&busy_timeout=10000";
	}

	@Override
	int connections() {
		return 4;
	}

	/**
	 * Who has read may write only if nobody else has written since.
	 */
	@Override
	boolean transactionsRead() {
		return false;
	}

	/**
	 * There is one writer at a time, so that a renewal waits for the end of a transaction
	 * that has written. It neither fails over that nor does it harm what was completed.
	 */
	@Test
	@Override
	public void isRenewedWhileTheCallersTransactionGoesOn() {
		IdempotencyKey key = IdempotencyKey.of("pay", UUID.randomUUID().toString());
		StoredResult result = StoredResult.of("paid".getBytes(StandardCharsets.UTF_8));
		AtomicReference<@Nullable CompletableFuture<Boolean>> renewal = new AtomicReference<>();
		transaction().commitAfter(() -> {
			Claim claim = ((ClaimResult.Granted) claim(key)).claim();
			assertThat(((JoiningStore) store()).completeInCallersTransaction(claim, result, TERMS.ttl())).isTrue();
			renewal.set(CompletableFuture.supplyAsync(() -> store().renew(claim, TERMS.lease())));
		});
		assertThat(renewal.get()).succeedsWithin(Duration.ofSeconds(30));
		IdempotencyRecord record = ((ClaimResult.Refused) claim(key)).record();
		assertThat(((IdempotencyRecord.Completed) record).result()).isEqualTo(result);
	}

	/**
	 * Its lease expires meanwhile, but to take a key over is to write, too.
	 */
	@Test
	void aTransactionThatWritesKeepsRenewalsAndTakeoversOut() {
		String url = "jdbc:sqlite:" + folder.resolve("writer.db") + "?journal_mode=WAL&busy_timeout=10";
		JdbcIdempotencyStore other = new JdbcIdempotencyStore(new DriverManagerDataSource(url),
				JdbcSettings.defaults());
		other.prepareTable(InitializeSchema.ALWAYS);
		IdempotencyKey key = IdempotencyKey.of("pay", UUID.randomUUID().toString());
		ClaimTerms brief = new ClaimTerms(Duration.ofMillis(1), TERMS.ttl(), OnCrash.RETRY, OnReplay.READ);
		Claim claim = ((ClaimResult.Granted) other.claim(key, Fingerprint.none(), brief)).claim();
		SingleConnectionDataSource writer = new SingleConnectionDataSource(url, true);
		JdbcTemplate jdbc = new JdbcTemplate(writer);
		jdbc.execute("begin immediate");
		assertThatException().isThrownBy(() -> other.renew(claim, TERMS.lease()));
		assertThatException().isThrownBy(() -> other.claim(key, Fingerprint.none(), TERMS));
		jdbc.execute("commit");
		writer.destroy();
		assertThat(other.renew(claim, TERMS.lease())).as("who comes first").isTrue();
		assertThat(other.claim(key, Fingerprint.none(), TERMS)).isInstanceOf(ClaimResult.Refused.class);
	}

	private ClaimResult claim(IdempotencyKey key) {
		return store().claim(key, Fingerprint.sha256(new byte[1]), TERMS);
	}

}
