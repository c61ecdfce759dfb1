package dev.idempotency.guides;

import dev.idempotency.http.ReplayAuthorizer;

import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.security.core.Authentication;
import org.springframework.security.core.authority.AuthorityUtils;

/**
 * The code of {@code docs/security.md}.
 */
@Configuration(proxyBeanMethods = false)
public class TellerReplays {

	@Bean
	ReplayAuthorizer replayAuthorizer() {
		return (request, key, status) -> !key.scope().operation().equals("POST /payouts")
				|| (request.principal() instanceof Authentication caller
						&& AuthorityUtils.authorityListToSet(caller.getAuthorities()).contains("ROLE_TELLER"));
	}

}
