package dev.idempotency.guides.testing;

import org.junit.jupiter.api.Test;

import org.springframework.beans.factory.annotation.Autowired;
import org.springframework.boot.webmvc.test.autoconfigure.AutoConfigureMockMvc;
import org.springframework.boot.webmvc.test.autoconfigure.WebMvcTest;
import org.springframework.http.MediaType;
import org.springframework.test.context.bean.override.mockito.MockitoBean;
import org.springframework.test.web.servlet.assertj.MockMvcTester;

import static org.assertj.core.api.Assertions.assertThat;
import static org.mockito.ArgumentMatchers.anyInt;
import static org.mockito.Mockito.never;
import static org.mockito.Mockito.verify;

/**
 * A slice that leaves filters out does not run protected handlers without protection.
 */
@WebMvcTest(LaterController.class)
@AutoConfigureMockMvc(addFilters = false)
class SliceWithoutFiltersTests {

	@MockitoBean
	private CardNetwork network;

	@Test
	void failsAndSaysWhatIsMissing(@Autowired MockMvcTester mvc) {
		assertThat(mvc.post()
			.uri("/later")
			.header("Idempotency-Key", "key")
			.contentType(MediaType.APPLICATION_JSON)
			.content("{\"amount\":5}")).failure().hasMessageContaining("did not come through the IdempotencyFilter");
		verify(this.network, never()).charge(anyInt());
	}

}
