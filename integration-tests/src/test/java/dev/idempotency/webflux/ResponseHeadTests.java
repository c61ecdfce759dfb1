package dev.idempotency.webflux;

import java.util.List;

import org.junit.jupiter.api.Test;

import org.springframework.http.HttpHeaders;
import org.springframework.util.ClassUtils;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * The headers of a protected exchange.
 */
class ResponseHeadTests {

	@Test
	void leavesTheHeadersOfTheServerAlone() {
		HttpHeaders server = new HttpHeaders();
		server.add("X-Before", "before");
		ResponseHead isolated = new ResponseHead(server, null);
		isolated.headers().set("x-before", "changed");
		isolated.headers().add("X-Added", "added");
		assertThat(server.headerNames()).containsExactly("X-Before");
		assertThat(server.get("X-Before")).containsExactly("before");
		server.set("X-Before", "recycled");
		assertThat(isolated.headers().get("X-Before")).containsExactly("changed");
	}

	@Test
	void tellsWhatWasAddedChangedAndRemoved() {
		HttpHeaders server = new HttpHeaders();
		server.add("X-Same", "same");
		server.add("X-Changed", "a");
		server.add("X-Extended", "a");
		server.add("X-Removed", "a");
		ResponseHead isolated = new ResponseHead(server, null);
		isolated.headers().set("x-same", "same");
		isolated.headers().set("X-Changed", "b");
		isolated.headers().add("x-extended", "b");
		isolated.headers().remove("x-removed");
		isolated.headers().add("X-Added", "a");
		assertThat(isolated.changed()).hasSize(4)
			.containsEntry("X-Changed", List.of("b"))
			.containsEntry("X-Removed", List.of())
			.containsEntry("X-Added", List.of("a"))
			.hasEntrySatisfying("X-Extended", (values) -> assertThat(values).containsExactly("a", "b"));
	}

	@Test
	void tellsNothingOfHeadersThatDidNotChange() {
		assertThat(new ResponseHead(new HttpHeaders(), null).changed()).isEmpty();
		HttpHeaders server = new HttpHeaders();
		server.add("X-Same", "same");
		assertThat(new ResponseHead(server, null).changed()).isEmpty();
	}

	/**
	 * Otherwise the headers of each request would be copied for nothing.
	 */
	@Test
	void knowsTheRequestOfReactorNetty() {
		assertThat(ClassUtils.isPresent(ReactiveRequest.OF_NETTY, null)).isTrue();
	}

}
