package dev.idempotency.sample;

import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.http.HttpMethod;
import org.springframework.security.config.Customizer;
import org.springframework.security.config.annotation.web.builders.HttpSecurity;
import org.springframework.security.config.annotation.web.configurers.AbstractHttpConfigurer;
import org.springframework.security.config.http.SessionCreationPolicy;
import org.springframework.security.core.userdetails.User;
import org.springframework.security.core.userdetails.UserDetails;
import org.springframework.security.core.userdetails.UserDetailsService;
import org.springframework.security.provisioning.InMemoryUserDetailsManager;
import org.springframework.security.web.SecurityFilterChain;

/**
 * Security for two customers, and for an operator who may see the records of both.
 */
@Configuration(proxyBeanMethods = false)
class SecurityConfiguration {

	private static final String CONTENT = "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; "
			+ "connect-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'";

	/**
	 * CSRF protection is off: each request has its own credentials and there are no
	 * cookies, so another site cannot make a browser send any.
	 */
	@Bean
	SecurityFilterChain security(HttpSecurity http) {
		return http
			.authorizeHttpRequests((requests) -> requests
				.requestMatchers(HttpMethod.GET, "/", "/index.html", "/sample.css", "/sample.js", "/favicon.svg",
						"/v3/api-docs/**", "/actuator/health")
				.permitAll()
				// Signed by their senders
				.requestMatchers(HttpMethod.POST, "/webhooks/*")
				.permitAll()
				.requestMatchers("/error")
				.permitAll()
				.requestMatchers("/actuator/**")
				.hasRole("OPERATOR")
				.anyRequest()
				.authenticated())
			.httpBasic(Customizer.withDefaults())
			.csrf(AbstractHttpConfigurer::disable)
			.sessionManagement((sessions) -> sessions.sessionCreationPolicy(SessionCreationPolicy.STATELESS))
			.headers((headers) -> headers.contentSecurityPolicy((policy) -> policy.policyDirectives(CONTENT)))
			.build();
	}

	@Bean
	UserDetailsService users() {
		return new InMemoryUserDetailsManager(user("anna", "CUSTOMER"), user("ben", "CUSTOMER"),
				user("operator", "OPERATOR"));
	}

	/**
	 * Passwords are the names of the users, since this is only a sample.
	 */
	private static UserDetails user(String name, String role) {
		return User.withUsername(name).password("{noop}" + name).roles(role).build();
	}

}
