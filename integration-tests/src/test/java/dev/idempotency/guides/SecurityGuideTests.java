package dev.idempotency.guides;

import java.util.List;
import java.util.Set;
import java.util.stream.Collectors;
import java.util.stream.Stream;

import dev.idempotency.IdempotencyScope;
import dev.idempotency.web.Facts;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

import org.springframework.mock.web.MockHttpServletRequest;
import org.springframework.security.oauth2.jwt.Jwt;
import org.springframework.security.oauth2.server.resource.authentication.JwtAuthenticationToken;

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

	@Test
	void keepsClientsApartFromEachOtherAndFromUsers() {
		Set<IdempotencyScope> scopes = Stream
			.of(jwt("client_id", "one"), jwt("client_id", "two"), jwt("sub", "one"), jwt("sub", "clients"))
			.map((token) -> {
				MockHttpServletRequest request = new MockHttpServletRequest();
				request.setUserPrincipal(new JwtAuthenticationToken(token, List.of()));
				return new ClientScope().scopeResolver().resolveScope(Facts.of(request), "POST /payments");
			})
			.collect(Collectors.toSet());
		assertThat(scopes).hasSize(4);
	}

	private static Jwt jwt(String claim, String value) {
		return Jwt.withTokenValue("token").header("alg", "none").claim(claim, value).build();
	}

	private static IdempotencyScope scopeOf(String tenant) {
		MockHttpServletRequest request = new MockHttpServletRequest();
		request.setAttribute("tenant", tenant);
		return new TenantScope().scopeResolver().resolveScope(Facts.of(request), "POST /payments");
	}

}
