package dev.idempotency.guides;

import dev.idempotency.IdempotencyScope;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

import org.springframework.mock.web.MockHttpServletRequest;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * The code of {@code docs/security.md} at work.
 */
@Tag("once")
class SecurityGuideTests {

	@Test
	void keepsTenantsApart() {
		assertThat(scopeOf("a")).isEqualTo(scopeOf("a")).isNotEqualTo(scopeOf("b"));
		assertThat(scopeOf("a").tenant()).isEqualTo("a");
	}

	private static IdempotencyScope scopeOf(String tenant) {
		MockHttpServletRequest request = new MockHttpServletRequest();
		request.setAttribute("tenant", tenant);
		return new TenantScope().scopeResolver().resolveScope(request, "POST /payments");
	}

}
