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
 * Two customers, and someone who may look at the records of both.
 */
@Configuration(proxyBeanMethods = false)
class SecurityConfiguration {

	private static final String CONTENT = "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; "
			+ "connect-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'";

	/**
	 * Each request brings its own credentials and nothing is kept in a cookie, so there
	 * is nothing that another site could make a browser send.
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
	 * Their passwords are their names: nobody should take this for more than a sample.
	 */
	private static UserDetails user(String name, String role) {
		return User.withUsername(name).password("{noop}" + name).roles(role).build();
	}

}
