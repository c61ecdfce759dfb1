package dev.idempotency.web;

import java.lang.reflect.Modifier;
import java.util.Arrays;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import java.util.stream.Collectors;

import dev.idempotency.Idempotent;
import dev.idempotency.http.ScopeResolver;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

import org.springframework.beans.factory.config.BeanDefinition;
import org.springframework.boot.SpringBootConfiguration;
import org.springframework.boot.autoconfigure.EnableAutoConfiguration;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.ClassPathScanningCandidateComponentProvider;
import org.springframework.context.annotation.Configuration;
import org.springframework.core.type.filter.AssignableTypeFilter;
import org.springframework.security.config.annotation.web.builders.HttpSecurity;
import org.springframework.security.core.Authentication;
import org.springframework.security.core.context.SecurityContextHolder;
import org.springframework.security.core.context.SecurityContextImpl;
import org.springframework.security.web.SecurityFilterChain;
import org.springframework.security.web.authentication.AnonymousAuthenticationFilter;
import org.springframework.util.ClassUtils;
import org.springframework.web.bind.annotation.PostMapping;
import org.springframework.web.bind.annotation.RestController;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Whose key it is, for every way in which Spring Security says who is calling.
 */
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
class CallersTests {

	private static final List<String> HANDLERS = List.of("/by-header", "/derived");

	@SuppressWarnings("NullAway.Init")
	private TestServer server;

	TestServer start(String... properties) {
		return TestServer.start(List.of(Application.class, Security.class),
				TestServer.with(properties, TestServer.WITH_SECURITY));
	}

	@BeforeAll
	void start() {
		this.server = start(new String[0]);
	}

	@AfterAll
	void stop() {
		this.server.close();
	}

	private Answer send(CallerKind kind, String caller, String handler, @Nullable String key) {
		return this.server.post(handler).header("X-Caller", kind + " " + caller).key(key).send();
	}

	@ParameterizedTest
	@EnumSource
	void neverSharesAKey(CallerKind kind) {
		for (String handler : HANDLERS) {
			String key = TestServer.newKey();
			Answer stranger = this.server.post(handler).key(key).send();
			Answer one = send(kind, "one", handler, key);
			Answer two = send(kind, "two", handler, key);
			switch (kind.fate) {
				case APART -> {
					assertThat(one.status()).as("%s", one).isEqualTo(200);
					assertThat(two.text()).isNotEqualTo(one.text()).isNotEqualTo(stranger.text());
					assertThat(one.text()).isNotEqualTo(stranger.text());
					send(kind, "one", handler, key).assertReplayOf(one);
					send(kind, "two", handler, key).assertReplayOf(two);
				}
				case REFUSED -> {
					for (Answer answer : List.of(one, two)) {
						answer.assertProblem(400, "key-invalid");
						assertThat(answer.text()).contains("ScopeResolver");
					}
				}
				case REAL_NAME -> {
					assertThat(one.status()).as("%s", one).isEqualTo(200);
					assertThat(one.text()).isNotEqualTo(stranger.text());
					two.assertReplayOf(one);
				}
				case NOBODY -> {
					if (stranger.status() == 200) {
						one.assertReplayOf(stranger);
					}
					else {
						one.assertProblem(400, "key-missing");
					}
				}
			}
		}
	}

	@Test
	void letsEveryCallerRunWithoutAKeyWhereNoneIsRequired() {
		for (CallerKind kind : CallerKind.values()) {
			assertThat(send(kind, "one", "/optional", null).status()).as("%s", kind).isEqualTo(200);
		}
	}

	@Test
	void refusesNobodyWhileItOnlyObserves() {
		try (TestServer observing = start("idempotency.mode=observe")) {
			for (CallerKind kind : CallerKind.values()) {
				Answer answer = observing.post("/by-header")
					.header("X-Caller", kind + " one")
					.key(TestServer.newKey())
					.send();
				assertThat(answer.status()).as("%s", kind).isEqualTo(200);
			}
		}
	}

	/**
	 * The table is complete, also with the next Spring Security.
	 */
	@Test
	void knowsEveryAuthenticationOnTheClassPath() throws Exception {
		ClassPathScanningCandidateComponentProvider scanner = new ClassPathScanningCandidateComponentProvider(false);
		scanner.addIncludeFilter(new AssignableTypeFilter(Authentication.class));
		Set<String> found = new TreeSet<>();
		for (BeanDefinition candidate : scanner.findCandidateComponents("org.springframework.security")) {
			String name = String.valueOf(candidate.getBeanClassName());
			if (Modifier.isPublic(ClassUtils.forName(name, null).getModifiers())) {
				found.add(name);
			}
		}
		Set<String> known = Arrays.stream(CallerKind.values())
			.map((kind) -> kind.of("one").getClass().getName())
			.collect(Collectors.toSet());
		assertThat(known).containsAll(found);
		assertThat(found).hasSizeGreaterThan(8);
	}

	@SpringBootConfiguration(proxyBeanMethods = false)
	@EnableAutoConfiguration
	static class Application {

		@Bean
		Executions executions() {
			return new Executions();
		}

		@Bean
		Handlers handlers(Executions executions) {
			return new Handlers(executions);
		}

	}

	@RestController
	static class Handlers {

		private final Executions executions;

		Handlers(Executions executions) {
			this.executions = executions;
		}

		@PostMapping("/by-header")
		@Idempotent
		String byHeader() {
			return this.executions.next("by-header");
		}

		@PostMapping("/derived")
		@Idempotent(key = "derived()")
		String derived() {
			return this.executions.next("derived");
		}

		@PostMapping("/optional")
		@Idempotent(required = false)
		String optional() {
			return this.executions.next("optional");
		}

	}

	@Configuration(proxyBeanMethods = false)
	static class Security {

		@Bean
		SecurityFilterChain security(HttpSecurity http) {
			return http.csrf((csrf) -> csrf.disable())
				.authorizeHttpRequests((requests) -> requests.anyRequest().permitAll())
				.addFilterBefore((request, response, chain) -> {
					Authentication caller = CallerKind
						.parse(((jakarta.servlet.http.HttpServletRequest) request).getHeader("X-Caller"));
					if (caller != null) {
						SecurityContextHolder.setContext(new SecurityContextImpl(caller));
					}
					chain.doFilter(request, response);
				}, AnonymousAuthenticationFilter.class)
				.build();
		}

	}

}
