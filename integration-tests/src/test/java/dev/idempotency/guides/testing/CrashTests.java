package dev.idempotency.guides.testing;

import java.util.UUID;

import dev.idempotency.test.TestIdempotency;
import dev.idempotency.test.TestIdempotencyConfiguration;
import org.junit.jupiter.api.Test;

import org.springframework.beans.factory.annotation.Autowired;
import org.springframework.boot.webmvc.test.autoconfigure.WebMvcTest;
import org.springframework.context.annotation.Import;
import org.springframework.http.MediaType;
import org.springframework.test.context.bean.override.mockito.MockitoBean;
import org.springframework.test.web.servlet.assertj.MockMvcTester;
import org.springframework.test.web.servlet.assertj.MvcTestResult;

import static org.assertj.core.api.Assertions.assertThat;
import static org.mockito.BDDMockito.given;
import static org.mockito.Mockito.times;
import static org.mockito.Mockito.verify;

/**
 * What {@code docs/testing.md} says about crashes, with an application that goes on
 * without its store.
 */
@WebMvcTest(controllers = { TripController.class, LaterController.class },
		properties = "idempotency.on-store-failure=proceed")
@Import(TestIdempotencyConfiguration.class)
class CrashTests {

	private final String key = UUID.randomUUID().toString();

	@Autowired
	private MockMvcTester mvc;

	@Autowired
	private TestIdempotency idempotency;

	@MockitoBean
	private CardNetwork network;

	private MvcTestResult post(String path) {
		return this.mvc.post()
			.uri(path)
			.header("Idempotency-Key", this.key)
			.contentType(MediaType.APPLICATION_JSON)
			.content("{\"amount\":20}")
			.exchange();
	}

	@Test
	void remembersStepsThatHadFinished() {
		given(this.network.charge(20)).willReturn("r-1");
		this.idempotency.crashAfterWork(() -> post("/trips"));
		assertThat(post("/trips")).bodyText().isEqualTo("r-1 in attempt 2");
		verify(this.network).charge(20);
	}

	@Test
	void crashesInTheMiddleOfTheWork() {
		given(this.network.charge(20)).willThrow(new IllegalStateException("gone")).willReturn("r-1");
		this.idempotency.crashAfterWork(() -> post("/trips"));
		assertThat(post("/trips")).bodyText().isEqualTo("r-1 in attempt 2");
		verify(this.network, times(2)).charge(20);
	}

	@Test
	void runsNothingBeforeTheWorkAlsoWhereTheApplicationGoesOnWithoutItsStore() {
		given(this.network.charge(20)).willReturn("r-1");
		this.idempotency.crashBeforeWork(() -> post("/trips"));
		verify(this.network, times(0)).charge(20);
		assertThat(post("/trips")).bodyText().isEqualTo("r-1 in attempt 2");
	}

	@Test
	void crashesAgainAndAgain() {
		given(this.network.charge(20)).willReturn("r-1");
		this.idempotency.crashAfterWork(() -> post("/trips"));
		this.idempotency.crashBeforeWork(() -> post("/trips"));
		assertThat(post("/trips")).bodyText().isEqualTo("r-1 in attempt 3");
	}

	@Test
	void crashesInAnAsynchronousHandler() {
		given(this.network.charge(20)).willReturn("r-1", "r-2");
		this.idempotency.crashAfterWork(() -> post("/later"));
		assertThat(post("/later")).bodyText().isEqualTo("r-2");
	}

}
