package dev.idempotency.web;

import java.io.IOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Set;
import java.util.TreeSet;
import java.util.concurrent.CompletableFuture;
import java.util.stream.IntStream;

import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

import org.springframework.boot.SpringBootConfiguration;
import org.springframework.boot.autoconfigure.EnableAutoConfiguration;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

/**
 * Handlers in Kotlin: {@code suspend} functions, and those that return a {@code Flow}.
 */
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
abstract class KotlinHttpContract {

	@AutoClose
	private final TestServer server = start(sources());

	private final KotlinJournal journal = this.server.bean(KotlinJournal.class);

	/**
	 * Starts an application in the surroundings of this test.
	 */
	abstract TestServer start(List<Class<?>> sources);

	TestServer server() {
		return this.server;
	}

	KotlinJournal journal() {
		return this.journal;
	}

	/**
	 * Waits until a server has noticed which clients are gone.
	 */
	abstract void awaitThatHangUpsAreNoticed();

	List<Class<?>> sources() {
		return new ArrayList<>(List.of(Shop.class, KotlinJournal.class, kotlin("ProtectedHandlers"),
				kotlin("PlainHandlers"), kotlin("HeldHandlers"), kotlin("Advice")));
	}

	static Class<?> kotlin(String name) {
		return KotlinSources.type("dev.idempotency.web.kotlin." + name);
	}

	@ParameterizedTest
	@CsvSource({ "value, 200", "suspended, 200", "text, 200", "entity, 201", "unit, 200", "no-content, 204",
			"nothing, 200", "status, 403", "handled, 410", "handled-at-once, 410", "flow, 200", "flow-elsewhere, 200",
			"suspended-flow, 200", "flow-entity, 201", "flow-lines, 200" })
	void runsOnceAndAnswersAsWithoutProtection(String kind, int status) {
		Answer plain = this.server.post("/plain/" + kind).send();
		int before = this.journal.of(kind);
		String key = TestServer.newKey();
		Answer first = this.server.post("/kinds/" + kind).key(key).send();
		assertThat(first.status()).as("%s", first).isEqualTo(status);
		assertThat(first.isReplay()).isFalse();
		assertThat(first.effect()).isEqualTo((status == 201) ? "created" : "executed");
		assertSame(first, plain);
		for (int retry = 0; retry < 2; retry++) {
			this.server.post("/kinds/" + kind).key(key).send().assertExactReplayOf(first);
		}
		assertThat(this.journal.of(kind)).isEqualTo(before + 1);
	}

	/**
	 * Only WebFlux waits for exception handlers that suspend.
	 */
	@Test
	void answersAsWithoutProtectionWhereAnExceptionHandlerSuspends() {
		Answer plain = this.server.post("/plain/handled-suspending").send();
		assertSame(this.server.post("/kinds/handled-suspending").key(TestServer.newKey()).send(), plain);
	}

	@Test
	void comparesWhatIsSent() {
		String key = TestServer.newKey();
		Answer first = this.server.post("/kinds/body").key(key).json("{\"item\":\"book\"}").send();
		assertThat(first.status()).isEqualTo(200);
		assertThat(first.text()).contains("\"text\":\"book\"");
		this.server.post("/kinds/body").key(key).json("{ \"item\": \"book\" }").send().assertExactReplayOf(first);
		this.server.post("/kinds/body").key(key).json("{\"item\":\"film\"}").send().assertProblem(422, "key-reused");
		assertThat(this.journal.of("body")).isOne();
	}

	@ParameterizedTest
	@ValueSource(strings = { "failing", "failing-at-once", "flow-failing" })
	void givesTheKeyBackWhenTheHandlerFails(String kind) {
		Answer plain = this.server.post("/plain/" + kind).send();
		int before = this.journal.of(kind);
		String key = TestServer.newKey();
		for (int attempt = 0; attempt < 2; attempt++) {
			Answer answer = this.server.post("/kinds/" + kind).key(key).send();
			assertThat(answer.status()).isEqualTo(500);
			assertThat(answer.isReplay()).isFalse();
			assertSame(answer, plain);
		}
		assertThat(this.journal.of(kind)).isEqualTo(before + 2);
	}

	/**
	 * Its client never sees the end of it, with protection or without.
	 */
	@Test
	void givesTheKeyBackWhenAFlowFailsInTheMiddle() {
		String kind = "flow-failing-in-the-middle";
		String key = TestServer.newKey();
		for (String path : List.of("/plain/" + kind, "/kinds/" + kind, "/kinds/" + kind)) {
			assertThatThrownBy(() -> this.server.post(path).key(key).send()).hasRootCauseInstanceOf(IOException.class);
		}
		assertThat(this.journal.of(kind)).isEqualTo(3);
	}

	@Test
	void findsNoContextOnAnotherThread() {
		assertThat(this.server.post("/thread").key(TestServer.newKey()).send().text()).isEqualTo("none");
	}

	@ParameterizedTest
	@ValueSource(strings = { "held", "held-flow" })
	void goesOnWhenItsClientHangsUp(String kind) {
		String key = TestServer.newKey();
		Wire wire = Wire.post(this.server, "/" + kind, key);
		this.journal.awaitArrival(key);
		wire.hangUp();
		awaitThatHangUpsAreNoticed();
		this.journal.letGo(key);
		Answer retry = await().atMost(Duration.ofSeconds(30))
			.pollDelay(Duration.ZERO)
			.until(() -> this.server.post("/" + kind).key(key).send(), (answer) -> answer.status() != 409);
		assertThat(retry.isReplay()).as("%s", retry).isTrue();
		assertThat(retry.text()).contains("\"attempt 1\"");
		assertThat(this.journal.of(key)).isEqualTo(kind.equals("held") ? 1 : 2);
	}

	@Test
	void runsOnceForRequestsAtTheSameTime() {
		String key = TestServer.newKey();
		CompletableFuture<Answer> first = Background.start(() -> hold("/held", key));
		this.journal.awaitArrival(key);
		for (int twin = 0; twin < 3; twin++) {
			hold("/held", key).assertInProgress();
		}
		this.journal.letGo(key);
		assertThat(first.join().status()).isEqualTo(201);
		hold("/held", key).assertExactReplayOf(first.join());
		assertThat(this.journal.of(key)).isOne();
	}

	@Test
	void letsRequestsWaitForTheirTwin() {
		String key = TestServer.newKey();
		List<CompletableFuture<Answer>> twins = IntStream.range(0, 6)
			.mapToObj((twin) -> Background.start(() -> hold("/awaited", key)))
			.toList();
		this.journal.awaitArrival(key);
		this.journal.letGo(key);
		List<Answer> answers = twins.stream().map(CompletableFuture::join).toList();
		assertThat(answers).allSatisfy((answer) -> assertThat(answer.status()).isEqualTo(200));
		assertThat(answers.stream().map(Answer::text).distinct()).hasSize(1);
		assertThat(answers.stream().filter((answer) -> !answer.isReplay())).hasSize(1);
		assertThat(this.journal.of(key)).isOne();
	}

	private Answer hold(String path, String key) {
		return this.server.post(path).key(key).send();
	}

	/**
	 * But for what tells one execution, or one request, from another.
	 */
	private static void assertSame(Answer answer, Answer plain) {
		assertThat(answer.status()).isEqualTo(plain.status());
		assertThat(lasting(answer.text())).isEqualTo(lasting(plain.text()));
		assertThat(namesWithoutFraming(answer)).isEqualTo(namesWithoutFraming(plain));
		assertThat(answer.header("Content-Type")).isEqualTo(plain.header("Content-Type"));
		assertThat(answer.header("Location")).isEqualTo(plain.header("Location"));
	}

	private static String lasting(String text) {
		return text.replaceAll("\\d+", "0")
			.replaceAll("\"timestamp\":\"[^\"]*\"", "")
			.replaceAll("\"requestId\":\"[^\"]*\"", "")
			.replace("/plain/", "/kinds/");
	}

	private static Set<String> namesWithoutFraming(Answer answer) {
		Set<String> names = new TreeSet<>();
		answer.lastingHeaders().keySet().forEach((name) -> names.add(name.toLowerCase(Locale.ROOT)));
		names.removeAll(List.of("content-length", "transfer-encoding"));
		return names;
	}

	@SpringBootConfiguration(proxyBeanMethods = false)
	@EnableAutoConfiguration
	static class Shop {

	}

}
