package dev.idempotency.test;

import java.util.List;

import dev.idempotency.IdempotencyKey;
import dev.idempotency.IdempotencyScope;
import dev.idempotency.store.StoredResult;
import org.junit.jupiter.api.Test;

import static dev.idempotency.test.Scene.TTL;
import static dev.idempotency.test.Scene.completed;
import static dev.idempotency.test.Scene.granted;
import static dev.idempotency.test.Scene.inProgress;
import static dev.idempotency.test.Scene.newKey;
import static dev.idempotency.test.Scene.result;
import static org.assertj.core.api.Assertions.assertThat;

/**
 * The contract about which keys are the same.
 */
interface KeysContract extends StoreUnderTest {

	@Test
	default void keepsKeysApartThatLookAlike() {
		String unique = newKey().value();
		List<String> values = List.of("key", "Key", "KEY", "key ", " key", "key\t", "key\n", "key\r\n", "key\u0000",
				"k\u0000ey", "ke\u0301y", "k\u00e9y", "k\u0435y", "key%", "key_", "key*", "key?", "key'", "key\"",
				"key\\", "key;--", "{key}", "key:1", "key\ud83d\udcb3", "\u202ekey", "key".repeat(3413),
				"key".repeat(3413) + "!", "\ud83d\udcb3".repeat(5120));
		for (String value : values) {
			assertThat(granted(store(), IdempotencyKey.of("contract", value + unique)).attempt()).isEqualTo(1);
		}
		for (String value : values) {
			IdempotencyKey key = IdempotencyKey.of("contract", value + unique);
			assertThat(inProgress(store(), key).attempt()).isEqualTo(1);
		}
	}

	@Test
	default void keepsScopesApart() {
		String value = newKey().value();
		List<IdempotencyScope> scopes = List.of(new IdempotencyScope("a", "op", null, null),
				new IdempotencyScope("b", "op", null, null), new IdempotencyScope("a", "Op", null, null),
				new IdempotencyScope("a", "op", "", null), new IdempotencyScope("a", "op", null, ""),
				new IdempotencyScope("a", "op", "ann", null), new IdempotencyScope("a", "op", null, "ann"),
				new IdempotencyScope("a", "op", "null", null), new IdempotencyScope("a", "op", "anonymous", null),
				new IdempotencyScope("a", "op", "ann", "x"), new IdempotencyScope("a", "op", "an", "nx"),
				new IdempotencyScope("", "aop", null, null));
		for (IdempotencyScope scope : scopes) {
			IdempotencyKey key = new IdempotencyKey(scope, value);
			store().complete(granted(store(), key), result(String.valueOf(scopes.indexOf(scope))), TTL);
		}
		for (IdempotencyScope scope : scopes) {
			StoredResult own = completed(store(), new IdempotencyKey(scope, value)).result();
			assertThat(own).isEqualTo(result(String.valueOf(scopes.indexOf(scope))));
		}
	}

}
