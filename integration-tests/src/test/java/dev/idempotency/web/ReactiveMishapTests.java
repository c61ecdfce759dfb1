package dev.idempotency.web;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.concurrent.TimeoutException;
import java.util.stream.Stream;

import dev.idempotency.web.Mishaps.Around;
import dev.idempotency.web.Mishaps.Cell;
import dev.idempotency.web.Mishaps.Mishap;
import dev.idempotency.web.Mishaps.Point;
import org.junit.jupiter.api.Tag;
import org.reactivestreams.Publisher;
import reactor.core.publisher.Flux;
import reactor.core.publisher.Mono;
import reactor.core.scheduler.Schedulers;

import org.springframework.context.annotation.Bean;
import org.springframework.core.io.buffer.DataBuffer;
import org.springframework.core.io.buffer.DataBufferUtils;
import org.springframework.http.HttpStatus;
import org.springframework.http.server.reactive.ServerHttpRequestDecorator;
import org.springframework.http.server.reactive.ServerHttpResponse;
import org.springframework.http.server.reactive.ServerHttpResponseDecorator;
import org.springframework.security.web.server.MatcherSecurityWebFilterChain;
import org.springframework.security.web.server.WebFilterChainProxy;
import org.springframework.security.web.server.authentication.AnonymousAuthenticationWebFilter;
import org.springframework.security.web.server.authorization.ExceptionTranslationWebFilter;
import org.springframework.security.web.server.context.NoOpServerSecurityContextRepository;
import org.springframework.security.web.server.context.ReactorContextWebFilter;
import org.springframework.security.web.server.context.SecurityContextServerWebExchangeWebFilter;
import org.springframework.security.web.server.header.CacheControlServerHttpHeadersWriter;
import org.springframework.security.web.server.header.HttpHeaderWriterWebFilter;
import org.springframework.security.web.server.savedrequest.ServerRequestCacheWebFilter;
import org.springframework.security.web.server.util.matcher.ServerWebExchangeMatchers;
import org.springframework.web.server.ServerWebExchange;
import org.springframework.web.server.WebFilter;
import org.springframework.web.server.WebFilterChain;

/**
 * Mishaps on Reactor Netty.
 */
@Tag("slow")
class ReactiveMishapTests extends MishapContract {

	/**
	 * Kinds whose failure nobody notices.
	 */
	private static final Set<String> SILENT = Set.of("deferred", "deferred-error", "emitter");

	/**
	 * Kinds that fail, and run again if nobody handles that.
	 */
	private static final Set<String> FAILING = Set.of("send-error", "status-exception", "annotated-exception",
			"deferred-error");

	/**
	 * Kinds that would block an event loop.
	 */
	private static final Set<String> SYNCHRONOUS = Set.of("rendering", "status-exception", "advised-exception", "value",
			"route");

	@Override
	TestServer start(List<Class<?>> sources, String... properties) {
		List<Class<?>> all = new ArrayList<>(sources);
		all.add(Filters.class);
		return Reactive.start(all, properties);
	}

	@Override
	List<String> kinds() {
		return Stream
			.concat(ReactiveKinds.KINDS.stream().map((kind) -> kind.substring(0, kind.indexOf(' '))),
					Stream.of("sse", "raw-async"))
			.toList();
	}

	@Override
	List<Around> filters() {
		return List.of(Around.NOTHING, Around.SPRING_SECURITY, Around.BUFFERS, Around.TRIES_AGAIN,
				Around.DISPATCHES_AGAIN);
	}

	@Override
	boolean isPossible(String kind, Around around, Mishap mishap) {
		if (mishap.held() == Point.WORK && SYNCHRONOUS.contains(kind)) {
			return false;
		}
		if (FAILING.contains(kind) && (around == Around.TRIES_AGAIN || mishap.timesOut())) {
			return false;
		}
		if (mishap.timesOut()
				&& (around == Around.BUFFERS || kind.equals("exchange-response") || kind.equals("emitter"))) {
			// The handler goes on with a response of its own, which no filter changes.
			// Whether the response of an emitter has begun by then is up to chance.
			return false;
		}
		if (mishap.fails() && around == Around.TRIES_AGAIN && kind.equals("buffers")) {
			// Its response has begun
			return false;
		}
		// Reactor throws such an error past all who could respond
		boolean lost = mishap == Mishap.FAILS_TO_LINK || (mishap == Mishap.FAILS_WITH_ERROR && kind.equals("buffers"));
		return !lost && (!mishap.fails() || !SILENT.contains(kind));
	}

	@Override
	boolean isLeftToLease(Cell cell) {
		return switch (cell.mishap()) {
			case CLAIM_IS_LOST, COMPLETION_FAILS, FAILS_TO_RELEASE -> true;
			default -> false;
		};
	}

	@Override
	boolean mayBeLost(Cell cell) {
		return cell.kind().equals("sse") || cell.mishap().endsInError();
	}

	/**
	 * Only before something runs.
	 */
	@Override
	boolean noticesThatClientLeaves(Mishap mishap) {
		return mishap == Mishap.LEAVES_IN_FILTER || mishap == Mishap.LEAVES_BEFORE_CLAIM;
	}

	/**
	 * Without the library, the handler runs again.
	 */
	@Override
	Around withoutLibrary(Around around) {
		return (around == Around.DISPATCHES_AGAIN) ? Around.NOTHING : around;
	}

	static class Filters {

		private static final WebFilter SECURITY = new WebFilterChainProxy(new MatcherSecurityWebFilterChain(
				ServerWebExchangeMatchers.anyExchange(),
				List.of(new HttpHeaderWriterWebFilter(new CacheControlServerHttpHeadersWriter()),
						new ReactorContextWebFilter(NoOpServerSecurityContextRepository.getInstance()),
						new AnonymousAuthenticationWebFilter("test"), new SecurityContextServerWebExchangeWebFilter(),
						new ServerRequestCacheWebFilter(), new ExceptionTranslationWebFilter())));

		@Bean
		WebFilter filter(Mishaps mishaps) {
			return (exchange, chain) -> {
				Cell cell = mishaps.of(exchange.getRequest().getHeaders().getFirst("Idempotency-Key"));
				Mono<Void> filtered = timed(cell, exchange, around(cell.around(), exchange, chain));
				return ((cell.mishap().held() == Point.FILTER) ? deaf(cell, filtered) : filtered)
					.doOnCancel(cell::left);
			};
		}

		/**
		 * Goes on without the client.
		 */
		private static Mono<Void> deaf(Cell cell, Mono<Void> filtered) {
			Mono<Void> held = Mono.<Void>fromRunnable(() -> cell.hold(Point.FILTER))
				.subscribeOn(Schedulers.boundedElastic())
				.then(filtered);
			return Mono.create((sink) -> held.contextWrite(sink.contextView()).subscribe((nothing) -> {
			}, sink::error, sink::success));
		}

		private static Mono<Void> around(Around around, ServerWebExchange exchange, WebFilterChain chain) {
			return switch (around) {
				case SPRING_SECURITY -> SECURITY.filter(exchange, chain);
				case BUFFERS -> chain.filter(exchange.mutate()
					.request(new ServerHttpRequestDecorator(exchange.getRequest()))
					.response(new Buffering(exchange.getResponse()))
					.build());
				case TRIES_AGAIN -> chain.filter(exchange).retry(1);
				case DISPATCHES_AGAIN -> chain.filter(exchange).then(Mono.defer(() -> chain.filter(exchange)));
				default -> chain.filter(exchange);
			};
		}

		private static Mono<Void> timed(Cell cell, ServerWebExchange exchange, Mono<Void> filtered) {
			return Mono.defer(() -> !cell.isTimed() ? filtered
					: filtered.timeout(Duration.ofMillis(300)).onErrorResume(TimeoutException.class, (ex) -> {
						ServerHttpResponse response = exchange.getResponse();
						if (!response.setStatusCode(HttpStatus.GATEWAY_TIMEOUT)) {
							return Mono.error(ex);
						}
						response.getHeaders().clear();
						return response.writeWith(Mono.fromSupplier(() -> Reactive.buffer(response, "too late")));
					}));
		}

	}

	/**
	 * A response that is written in one piece.
	 */
	private static final class Buffering extends ServerHttpResponseDecorator {

		private Buffering(ServerHttpResponse delegate) {
			super(delegate);
		}

		@Override
		public Mono<Void> writeWith(Publisher<? extends DataBuffer> body) {
			getHeaders().add("X-Buffered", "yes");
			return DataBufferUtils.join(Flux.from(body)).flatMap((all) -> super.writeWith(Mono.just(all)));
		}

		@Override
		public Mono<Void> writeAndFlushWith(Publisher<? extends Publisher<? extends DataBuffer>> body) {
			return writeWith(Flux.from(body).concatMap((part) -> part));
		}

	}

}
