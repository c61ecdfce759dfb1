package dev.idempotency.web;

import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.concurrent.Callable;
import java.util.stream.Stream;

import dev.idempotency.web.Mishaps.Around;
import dev.idempotency.web.Mishaps.Cell;
import dev.idempotency.web.Mishaps.Mishap;
import dev.idempotency.web.Mishaps.Point;
import jakarta.servlet.AsyncContext;
import jakarta.servlet.DispatcherType;
import jakarta.servlet.Filter;
import jakarta.servlet.FilterChain;
import jakarta.servlet.ServletException;
import jakarta.servlet.ServletRequest;
import jakarta.servlet.ServletResponse;
import jakarta.servlet.http.HttpServletRequest;
import jakarta.servlet.http.HttpServletRequestWrapper;
import org.junit.jupiter.api.Tag;

import org.springframework.boot.web.servlet.FilterRegistrationBean;
import org.springframework.context.annotation.Bean;
import org.springframework.security.web.DefaultSecurityFilterChain;
import org.springframework.security.web.FilterChainProxy;
import org.springframework.security.web.access.ExceptionTranslationFilter;
import org.springframework.security.web.authentication.AnonymousAuthenticationFilter;
import org.springframework.security.web.authentication.Http403ForbiddenEntryPoint;
import org.springframework.security.web.context.RequestAttributeSecurityContextRepository;
import org.springframework.security.web.context.SecurityContextHolderFilter;
import org.springframework.security.web.context.request.async.WebAsyncManagerIntegrationFilter;
import org.springframework.security.web.header.HeaderWriterFilter;
import org.springframework.security.web.header.writers.CacheControlHeadersWriter;
import org.springframework.security.web.servletapi.SecurityContextHolderAwareRequestFilter;
import org.springframework.security.web.session.DisableEncodeUrlFilter;
import org.springframework.security.web.util.matcher.AnyRequestMatcher;
import org.springframework.web.context.request.NativeWebRequest;
import org.springframework.web.context.request.async.AsyncWebRequest;
import org.springframework.web.context.request.async.CallableProcessingInterceptor;
import org.springframework.web.context.request.async.DeferredResult;
import org.springframework.web.context.request.async.DeferredResultProcessingInterceptor;
import org.springframework.web.filter.ShallowEtagHeaderFilter;
import org.springframework.web.servlet.config.annotation.AsyncSupportConfigurer;
import org.springframework.web.servlet.config.annotation.WebMvcConfigurer;

/**
 * Mishaps on a Tomcat that gives the same objects to one request after another.
 */
@Tag("slow")
class MishapTests extends MishapContract implements Container.Choice {

	/**
	 * Kinds that time out, and whose end is known.
	 */
	private static final Set<String> TASKS = Set.of("callable", "callable-exception", "task", "streaming");

	/**
	 * Kinds that time out, and whose end nobody knows.
	 */
	private static final Set<String> RESULTS = Set.of("deferred", "deferred-error", "future", "emitter", "sse",
			"events");

	/**
	 * Kinds that go past Spring MVC.
	 */
	private static final Set<String> RAW = Set.of("raw-async", "rawest-async", "raw-pieces", "started");

	/**
	 * Those of them that do not complete it when it has timed out.
	 */
	private static final Set<String> LOST = Set.of("raw-pieces", "started");

	/**
	 * Kinds that fail when no filter can try again.
	 */
	private static final Set<String> LATE = Set.of("callable", "callable-exception", "task", "streaming", "future",
			"void-flush");

	/**
	 * Kinds whose head is sent while they run, so that they meet its failure themselves.
	 */
	private static final Set<String> FLUSHING = Set.of("streaming", "void-stream", "void-length", "void-flush");

	/**
	 * Kinds whose failure nobody notices.
	 */
	private static final Set<String> SILENT = Set.of("deferred", "deferred-error", "emitter", "sse", "events",
			"raw-async", "rawest-async", "raw-pieces", "started");

	@Override
	TestServer start(List<Class<?>> sources, String... properties) {
		List<Class<?>> all = new ArrayList<>(sources);
		all.add(Filters.class);
		all.add(ReusingTomcatResetTests.Reusing.class);
		return serve(all, properties);
	}

	@Override
	List<String> kinds() {
		return Stream.concat(ResetContract.KINDS.stream(), Stream.of("events")).toList();
	}

	@Override
	List<Around> filters() {
		return List.of(Around.values());
	}

	@Override
	boolean isPossible(String kind, Around around, Mishap mishap) {
		boolean buffers = around == Around.BUFFERS || around == Around.BUFFERS_OUTSIDE;
		if (buffers && RAW.contains(kind)) {
			// They lose their response, or do not, as it happens
			return false;
		}
		if (around == Around.SPRING_SECURITY && RAW.contains(kind)) {
			// Two threads write headers at the same time: LateTaskTests has them
			return false;
		}
		if (mishap.timesOut()) {
			// A task that fails runs again
			return (TASKS.contains(kind) || RESULTS.contains(kind) || (RAW.contains(kind) && !mishap.fails()))
					&& !kind.equals("callable-exception")
					&& !(around == Around.BUFFERS_OUTSIDE && kind.equals("emitter"));
		}
		if ((mishap.fails() || mishap == Mishap.POLICY_ERROR) && SILENT.contains(kind)) {
			return false;
		}
		if (mishap == Mishap.POLICY_ERROR && FLUSHING.contains(kind)) {
			return false;
		}
		if (mishap == Mishap.FAILS_AS_ADVISED && (kind.equals("void-writer")
				|| (around == Around.BUFFERS_OUTSIDE && (kind.equals("void-flush") || kind.equals("streaming"))))) {
			// Without the library, Tomcat refuses the stream after the writer, and the
			// filter buffers what was flushed
			return false;
		}
		// Tomcat forgets the encoding of a writer, and a header that is there twice
		return !mishap.fails() || !triesAgain(around) || !(kind.equals("void-writer") || kind.equals("send-redirect"));
	}

	private static boolean triesAgain(Around around) {
		return around == Around.TRIES_AGAIN || around == Around.TRIES_AGAIN_OUTSIDE;
	}

	@Override
	boolean isLeftToLease(Cell cell) {
		return switch (cell.mishap()) {
			case CLAIM_IS_LOST, COMPLETION_FAILS -> true;
			case FAILS_TO_RELEASE -> cell.around() != Around.TRIES_AGAIN || LATE.contains(cell.kind());
			case TIMES_OUT, TIMES_OUT_AND_FAILS -> RESULTS.contains(cell.kind()) || LOST.contains(cell.kind());
			default -> false;
		};
	}

	@Override
	boolean mayBeLost(Cell cell) {
		if (cell.kind().equals("sse") || cell.mishap().endsInError()) {
			return true;
		}
		return switch (cell.mishap()) {
			case LEAVES_IN_FILTER, LEAVES_BEFORE_CLAIM, LEAVES_AT_WORK, LEAVES_BEFORE_COMPLETION, LEAVES_READING,
					LEAVES_ANY_TIME ->
				RAW.contains(cell.kind()) || cell.kind().equals("emitter");
			case TIMES_OUT -> !isLeftToLease(cell);
			default -> false;
		};
	}

	@Override
	boolean noticesThatClientLeaves(Mishap mishap) {
		return false;
	}

	/**
	 * A filter outside of the library's does not get to the handler again.
	 */
	@Override
	Around withoutLibrary(Around around) {
		return (around == Around.TRIES_AGAIN_OUTSIDE) ? Around.NOTHING : around;
	}

	static class Filters implements WebMvcConfigurer {

		private final Mishaps mishaps;

		Filters(Mishaps mishaps) {
			this.mishaps = mishaps;
		}

		private Cell cell(ServletRequest request) {
			return this.mishaps.of(((HttpServletRequest) request).getHeader("Idempotency-Key"));
		}

		private static FilterRegistrationBean<Filter> at(int order, Filter filter) {
			FilterRegistrationBean<Filter> registration = new FilterRegistrationBean<>(filter);
			registration.setOrder(order);
			return registration;
		}

		@Bean
		FilterRegistrationBean<Filter> holding() {
			return at(IdempotencyFilter.DEFAULT_ORDER - 2, (request, response, chain) -> {
				cell(request).hold(Point.FILTER);
				chain.doFilter(request, response);
			});
		}

		/**
		 * Lets asynchronous processing that Spring MVC does not know of time out soon.
		 */
		@Bean
		FilterRegistrationBean<Filter> timing() {
			return at(IdempotencyFilter.DEFAULT_ORDER + 2, (request, response, chain) -> {
				Cell cell = cell(request);
				chain.doFilter(!RAW.contains(cell.kind()) ? request
						: new HttpServletRequestWrapper((HttpServletRequest) request) {

							@Override
							public AsyncContext startAsync() {
								return limited(super.startAsync());
							}

							@Override
							public AsyncContext startAsync(ServletRequest request, ServletResponse response) {
								return limited(super.startAsync(request, response));
							}

							private AsyncContext limited(AsyncContext started) {
								if (cell.isTimed()) {
									started.setTimeout(300);
								}
								return started;
							}

						}, response);
			});
		}

		@Bean
		FilterRegistrationBean<Filter> securing() throws ServletException {
			SecurityContextHolderAwareRequestFilter aware = new SecurityContextHolderAwareRequestFilter();
			aware.afterPropertiesSet();
			FilterChainProxy security = new FilterChainProxy(new DefaultSecurityFilterChain(AnyRequestMatcher.INSTANCE,
					new DisableEncodeUrlFilter(), new WebAsyncManagerIntegrationFilter(),
					new SecurityContextHolderFilter(new RequestAttributeSecurityContextRepository()),
					new HeaderWriterFilter(List.of(new CacheControlHeadersWriter())), aware,
					new AnonymousAuthenticationFilter("test"),
					new ExceptionTranslationFilter(new Http403ForbiddenEntryPoint())));
			security.afterPropertiesSet();
			return at(IdempotencyFilter.DEFAULT_ORDER - 1, (request, response, chain) -> {
				if (cell(request).around() == Around.SPRING_SECURITY) {
					security.doFilter(request, response, chain);
				}
				else {
					chain.doFilter(request, response);
				}
			});
		}

		@Bean
		FilterRegistrationBean<Filter> bufferingOutside() {
			return at(IdempotencyFilter.DEFAULT_ORDER - 1, new Buffering(Around.BUFFERS_OUTSIDE));
		}

		@Bean
		FilterRegistrationBean<Filter> buffering() {
			return at(IdempotencyFilter.DEFAULT_ORDER + 1, new Buffering(Around.BUFFERS));
		}

		@Bean
		FilterRegistrationBean<Filter> tryingAgainOutside() {
			return at(IdempotencyFilter.DEFAULT_ORDER - 1, tryingAgain(Around.TRIES_AGAIN_OUTSIDE));
		}

		@Bean
		FilterRegistrationBean<Filter> tryingAgainInside() {
			return at(IdempotencyFilter.DEFAULT_ORDER + 1, tryingAgain(Around.TRIES_AGAIN));
		}

		@Bean
		FilterRegistrationBean<Filter> dispatchingAgain() {
			return at(IdempotencyFilter.DEFAULT_ORDER + 1, (request, response, chain) -> {
				if (cell(request).around() == Around.DISPATCHES_AGAIN) {
					request.getRequestDispatcher(((HttpServletRequest) request).getRequestURI())
						.forward(request, response);
				}
				else {
					chain.doFilter(request, response);
				}
			});
		}

		private Filter tryingAgain(Around around) {
			return (request, response, chain) -> {
				if (cell(request).around() == around) {
					tryAgain(request, response, chain);
				}
				else {
					chain.doFilter(request, response);
				}
			};
		}

		private static void tryAgain(ServletRequest request, ServletResponse response, FilterChain chain)
				throws IOException, ServletException {
			try {
				chain.doFilter(request, response);
			}
			catch (IOException | ServletException | RuntimeException | Error ex) {
				if (response.isCommitted() || request.isAsyncStarted()
						|| request.getDispatcherType() != DispatcherType.REQUEST) {
					throw ex;
				}
				chain.doFilter(request, response);
			}
		}

		/**
		 * Lets that of Spring MVC time out soon.
		 */
		@Override
		public void configureAsyncSupport(AsyncSupportConfigurer configurer) {
			configurer.registerCallableInterceptors(new CallableProcessingInterceptor() {

				@Override
				public <T> void beforeConcurrentHandling(NativeWebRequest request, Callable<T> task) {
					limit(request);
				}

			});
			configurer.registerDeferredResultInterceptors(new DeferredResultProcessingInterceptor() {

				@Override
				public <T> void beforeConcurrentHandling(NativeWebRequest request, DeferredResult<T> result) {
					limit(request);
				}

			});
		}

		private void limit(NativeWebRequest request) {
			if (this.mishaps.of(request.getHeader("Idempotency-Key")).isTimed()) {
				((AsyncWebRequest) request).setTimeout(300L);
			}
		}

		private final class Buffering extends ShallowEtagHeaderFilter {

			private final Around around;

			private Buffering(Around around) {
				this.around = around;
			}

			@Override
			protected String getAlreadyFilteredAttributeName() {
				return super.getAlreadyFilteredAttributeName() + this.around;
			}

			@Override
			protected boolean shouldNotFilter(HttpServletRequest request) {
				return cell(request).around() != this.around;
			}

		}

	}

}
