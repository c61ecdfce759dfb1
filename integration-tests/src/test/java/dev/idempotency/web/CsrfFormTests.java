package dev.idempotency.web;

import java.util.List;

import dev.idempotency.Idempotent;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

import org.springframework.boot.SpringBootConfiguration;
import org.springframework.boot.autoconfigure.EnableAutoConfiguration;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.security.config.annotation.web.builders.HttpSecurity;
import org.springframework.security.web.SecurityFilterChain;
import org.springframework.security.web.csrf.CsrfToken;
import org.springframework.web.bind.annotation.GetMapping;
import org.springframework.web.bind.annotation.PostMapping;
import org.springframework.web.bind.annotation.RestController;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * A form that is rendered again has another {@code _csrf} token each time.
 */
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
class CsrfFormTests {

	@SuppressWarnings("NullAway.Init")
	private TestServer server;

	private String session = "";

	TestServer start() {
		return TestServer.start(List.of(Application.class, Security.class), TestServer.WITH_SECURITY);
	}

	@BeforeAll
	void begin() {
		this.server = start();
		this.session = this.server.call("GET", "/form").send().header("Set-Cookie").split(";", 2)[0];
	}

	@AfterAll
	void stop() {
		this.server.close();
	}

	/**
	 * The token of the form, rendered once more.
	 */
	private String render() {
		return this.server.call("GET", "/form").header("Cookie", this.session).send().text();
	}

	TestServer.Call submit(Kind kind, String path, String token, String amount) {
		return this.server.post(path).header("Cookie", this.session).body(kind.type, kind.write(token, amount));
	}

	@ParameterizedTest
	@EnumSource
	void replaysAFormThatWasRenderedAgain(Kind kind) {
		String rendered = render();
		String renderedAgain = render();
		assertThat(renderedAgain).isNotEqualTo(rendered);
		String key = TestServer.newKey();
		Answer first = submit(kind, "/by-header", rendered, "5").key(key).send();
		assertThat(first.status()).as("%s", first).isEqualTo(200);
		submit(kind, "/by-header", renderedAgain, "5").key(key).send().assertReplayOf(first);
		submit(kind, "/by-header", renderedAgain, "6").key(key).send().assertProblem(422, "key-reused");
	}

	@ParameterizedTest
	@EnumSource
	void runsAFormOnceThatWasRenderedAgain(Kind kind) {
		Answer first = submit(kind, "/derived", render(), "5").send();
		assertThat(first.status()).as("%s", first).isEqualTo(200);
		submit(kind, "/derived", render(), "5").send().assertReplayOf(first);
		assertThat(submit(kind, "/derived", render(), "6").send().isReplay()).isFalse();
	}

	enum Kind {

		URLENCODED("application/x-www-form-urlencoded", "_csrf=%s&amount=%s"),

		MULTIPART("multipart/form-data; boundary=cut", """
				--cut
				Content-Disposition: form-data; name="_csrf"

				%s
				--cut
				Content-Disposition: form-data; name="amount"

				%s
				--cut--
				""".replace("\n", "\r\n"));

		private final String type;

		private final String template;

		Kind(String type, String template) {
			this.type = type;
			this.template = template;
		}

		private String write(String token, String amount) {
			return this.template.formatted(token, amount);
		}

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

	}

	@Configuration(proxyBeanMethods = false)
	static class Security {

		@Bean
		SecurityFilterChain security(HttpSecurity http) {
			return http.authorizeHttpRequests((requests) -> requests.anyRequest().permitAll()).build();
		}

		@Bean
		Form form() {
			return new Form();
		}

	}

	@RestController
	static class Form {

		@GetMapping("/form")
		String form(CsrfToken token) {
			return token.getToken();
		}

	}

}
