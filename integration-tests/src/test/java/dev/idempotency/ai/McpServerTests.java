package dev.idempotency.ai;

import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.stream.Collectors;

import dev.idempotency.Idempotent;
import dev.idempotency.autoconfigure.IdempotencyAutoConfiguration;
import dev.idempotency.autoconfigure.IdempotencyMethodAutoConfiguration;
import dev.idempotency.autoconfigure.IdempotencyToolsAutoConfiguration;
import dev.idempotency.core.IdempotencyEngine;
import dev.idempotency.core.Records;
import io.modelcontextprotocol.client.McpClient;
import io.modelcontextprotocol.client.McpSyncClient;
import io.modelcontextprotocol.client.transport.HttpClientStreamableHttpTransport;
import io.modelcontextprotocol.spec.McpSchema;
import io.modelcontextprotocol.spec.McpSchema.CallToolResult;
import io.modelcontextprotocol.spec.McpSchema.TextContent;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;

import org.springframework.ai.mcp.server.common.autoconfigure.McpServerAutoConfiguration;
import org.springframework.ai.mcp.server.common.autoconfigure.McpServerJsonMapperAutoConfiguration;
import org.springframework.ai.mcp.server.common.autoconfigure.ToolCallbackConverterAutoConfiguration;
import org.springframework.ai.mcp.server.webmvc.autoconfigure.McpServerStreamableHttpWebMvcAutoConfiguration;
import org.springframework.ai.tool.ToolCallbackProvider;
import org.springframework.ai.tool.annotation.Tool;
import org.springframework.ai.tool.method.MethodToolCallbackProvider;
import org.springframework.boot.autoconfigure.ImportAutoConfiguration;
import org.springframework.boot.autoconfigure.aop.AopAutoConfiguration;
import org.springframework.boot.builder.SpringApplicationBuilder;
import org.springframework.boot.http.converter.autoconfigure.HttpMessageConvertersAutoConfiguration;
import org.springframework.boot.jackson.autoconfigure.JacksonAutoConfiguration;
import org.springframework.boot.tomcat.autoconfigure.servlet.TomcatServletWebServerAutoConfiguration;
import org.springframework.boot.web.server.servlet.context.ServletWebServerApplicationContext;
import org.springframework.boot.webmvc.autoconfigure.DispatcherServletAutoConfiguration;
import org.springframework.boot.webmvc.autoconfigure.WebMvcAutoConfiguration;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * A real MCP client and Spring AI's MCP server, over HTTP.
 */
class McpServerTests {

	@AutoClose
	private static ServletWebServerApplicationContext server;

	private static Charges charges;

	@BeforeAll
	static void start() {
		server = (ServletWebServerApplicationContext) new SpringApplicationBuilder(Application.class).run(
				"--server.port=0", "--idempotency.store=memory", "--idempotency.tools.loop-guard=3",
				"--spring.ai.mcp.server.enabled=true", "--spring.ai.mcp.server.protocol=STREAMABLE");
		charges = server.getBean(Charges.class);
	}

	private static McpSyncClient connect() {
		int port = Objects.requireNonNull(server.getWebServer()).getPort();
		McpSyncClient client = McpClient
			.sync(HttpClientStreamableHttpTransport.builder("http://localhost:" + port).build())
			.build();
		client.initialize();
		return client;
	}

	private static CallToolResult call(McpSyncClient client, String tool, Map<String, Object> arguments) {
		return client.callTool(McpSchema.CallToolRequest.builder(tool).arguments(arguments).build());
	}

	private static String text(CallToolResult result) {
		return result.content().stream().map((content) -> ((TextContent) content).text()).collect(Collectors.joining());
	}

	@Test
	void chargesOnceHoweverOftenAClientCalls() {
		Map<String, Object> arguments = Map.of("customer", "c-1", "amount", 5);
		try (McpSyncClient client = connect()) {
			CallToolResult first = call(client, "charge_customer", arguments);
			CallToolResult second = call(client, "charge_customer", arguments);
			assertThat(text(second)).isEqualTo(text(first)).contains("charge of c-1");
			assertThat(charges.of("c-1")).containsExactly(5);
		}
	}

	@Test
	void tellsAClientThatGoesRoundInCirclesToStop() {
		Map<String, Object> arguments = Map.of("customer", "c-2", "amount", 5);
		try (McpSyncClient client = connect()) {
			for (int i = 0; i < 3; i++) {
				assertThat(call(client, "charge_customer", arguments).isError()).isFalse();
			}
			CallToolResult fourth = call(client, "charge_customer", arguments);
			assertThat(fourth.isError()).isTrue();
			assertThat(text(fourth)).startsWith("Stop.");
			assertThat(charges.of("c-2")).hasSize(1);
		}
	}

	@Test
	void givesNothingToTheSessionOfAnotherClient() {
		Map<String, Object> arguments = Map.of("customer", "c-3", "amount", 5);
		try (McpSyncClient alice = connect(); McpSyncClient bob = connect()) {
			call(alice, "charge_customer", arguments);
			call(bob, "charge_customer", arguments);
			assertThat(charges.of("c-3")).hasSize(2);
		}
	}

	@Test
	void storesNoIdOfASession() {
		try (McpSyncClient client = connect()) {
			call(client, "charge_customer", Map.of("customer", "c-4", "amount", 5));
			Records records = server.getBean(IdempotencyEngine.class).records();
			assertThat(records.search(records.all(), 0, 10).records()).isNotEmpty()
				.allSatisfy((record) -> assertThat(record.key().principal()).matches("mcp:[0-9a-f]{64}"));
		}
	}

	@Test
	void listsWhatItsToolsDo() {
		try (McpSyncClient client = connect()) {
			Map<String, McpSchema.@Nullable ToolAnnotations> hints = new HashMap<>();
			client.listTools().tools().forEach((tool) -> hints.put(tool.name(), tool.annotations()));
			assertThat(hints).containsEntry("charge_customer", hints(false, false, true))
				.containsEntry("balance", hints(true, false, null))
				.containsEntry("close_account", hints(false, true, true))
				.containsEntry("untagged", null);
		}
	}

	@Test
	void listsToolsAsBefore() {
		try (McpSyncClient client = connect()) {
			assertThat(client.listTools().tools()).filteredOn((tool) -> tool.name().equals("charge_customer"))
				.singleElement()
				.satisfies((tool) -> {
					assertThat(tool.description()).isEqualTo("Charges a customer");
					assertThat(tool.inputSchema()).containsKey("properties");
				});
		}
	}

	private static McpSchema.ToolAnnotations hints(boolean readOnly, boolean destructive,
			@Nullable Boolean idempotent) {
		McpSchema.ToolAnnotations.Builder hints = McpSchema.ToolAnnotations.builder()
			.readOnlyHint(readOnly)
			.destructiveHint(destructive);
		return ((idempotent != null) ? hints.idempotentHint(idempotent) : hints).build();
	}

	@Configuration(proxyBeanMethods = false)
	@ImportAutoConfiguration({ TomcatServletWebServerAutoConfiguration.class, DispatcherServletAutoConfiguration.class,
			WebMvcAutoConfiguration.class, HttpMessageConvertersAutoConfiguration.class, JacksonAutoConfiguration.class,
			AopAutoConfiguration.class, McpServerJsonMapperAutoConfiguration.class, McpServerAutoConfiguration.class,
			McpServerStreamableHttpWebMvcAutoConfiguration.class, ToolCallbackConverterAutoConfiguration.class,
			IdempotencyAutoConfiguration.class, IdempotencyMethodAutoConfiguration.class,
			IdempotencyToolsAutoConfiguration.class })
	static class Application {

		@Bean
		Charges charges() {
			return new Charges();
		}

		@Bean
		PaymentTools paymentTools(Charges charges) {
			return new PaymentTools(charges);
		}

		@Bean
		ToolCallbackProvider tools(PaymentTools paymentTools) {
			return MethodToolCallbackProvider.builder().toolObjects(paymentTools).build();
		}

	}

	/**
	 * What was charged.
	 */
	static class Charges {

		private final List<Map.Entry<String, Integer>> made = new CopyOnWriteArrayList<>();

		List<Integer> of(String customer) {
			return this.made.stream()
				.filter((charge) -> charge.getKey().equals(customer))
				.map(Map.Entry::getValue)
				.toList();
		}

	}

	static class PaymentTools {

		private final Charges charges;

		PaymentTools(Charges charges) {
			this.charges = charges;
		}

		@Tool(name = "charge_customer", description = "Charges a customer")
		@SideEffects(SideEffect.WRITE)
		@Idempotent
		public String chargeCustomer(String customer, int amount) {
			this.charges.made.add(Map.entry(customer, amount));
			return "charge of %s, number %d".formatted(customer, this.charges.made.size());
		}

		@Tool
		@SideEffects(SideEffect.READ)
		public int balance(String customer) {
			return this.charges.of(customer).size();
		}

		@Tool(name = "close_account")
		@SideEffects({ SideEffect.DESTRUCTIVE, SideEffect.IDEMPOTENT })
		@Idempotent
		public void closeAccount(String customer) {
			this.charges.made.removeIf((charge) -> charge.getKey().equals(customer));
		}

		@Tool
		public void untagged() {
		}

	}

}
