package dev.idempotency.torture.ledger;

import java.io.IOException;
import java.nio.file.Path;
import java.security.Principal;

import dev.idempotency.core.IdempotencyListener;
import dev.idempotency.torture.PortFile;
import dev.idempotency.store.IdempotencyStore;
import io.lettuce.core.internal.HostAndPort;
import io.lettuce.core.resource.MappingSocketAddressResolver;
import jakarta.servlet.FilterChain;
import jakarta.servlet.ServletException;
import jakarta.servlet.http.HttpServletRequest;
import jakarta.servlet.http.HttpServletRequestWrapper;
import jakarta.servlet.http.HttpServletResponse;

import org.springframework.beans.factory.config.BeanPostProcessor;
import org.springframework.boot.SpringApplication;
import org.springframework.boot.SpringBootConfiguration;
import org.springframework.boot.autoconfigure.EnableAutoConfiguration;
import org.springframework.boot.data.redis.autoconfigure.ClientResourcesBuilderCustomizer;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Import;
import org.springframework.core.Ordered;
import org.springframework.core.annotation.Order;
import org.springframework.core.env.Environment;
import org.springframework.web.filter.OncePerRequestFilter;

/**
 * An application that keeps a ledger, in a process of its own to which everything
 * happens.
 */
@SpringBootConfiguration(proxyBeanMethods = false)
@EnableAutoConfiguration
@Import({ PortFile.class, LedgerHandlers.class, LedgerHandlers.Transactional.class, Tenants.class })
class LedgerApplication {

	static final String CALLER_HEADER = "X-Caller";

	/**
	 * Where the way to a node of a cluster begins, by the port of the node.
	 */
	static final String LINKS = "torture.links";

	public static void main(String[] args) {
		SpringApplication.run(LedgerApplication.class, args);
	}

	@Bean
	static Journal journal(Environment environment) {
		Journal journal = new Journal(Path.of(environment.getRequiredProperty("torture.journal")));
		StallWatch.start(journal, environment.getRequiredProperty("torture.instance"));
		return journal;
	}

	/**
	 * Puts bugs into the store where they are wanted, and watches the result.
	 */
	@Bean
	static BeanPostProcessor watchedStore(Environment environment) {
		Journal journal = new Journal(Path.of(environment.getRequiredProperty("torture.journal")));
		String instance = environment.getRequiredProperty("torture.instance");
		boolean infested = environment.getProperty("torture.infested", Boolean.class, false);
		return new BeanPostProcessor() {

			@Override
			public Object postProcessAfterInitialization(Object bean, String name) {
				return (bean instanceof IdempotencyStore store)
						? WatchedStore.watch(infested ? PlantedBug.allIn(store) : store, journal, instance) : bean;
			}

		};
	}

	@Bean
	ClientResourcesBuilderCustomizer linksToNodes(Environment environment) {
		return (resources) -> resources.socketAddressResolver(
				MappingSocketAddressResolver.create((HostAndPort node) -> HostAndPort.of(node.getHostText(),
						environment.getProperty(LINKS + "." + node.getPort(), Integer.class, node.getPort()))));
	}

	@Bean
	IdempotencyListener unstoredAnswers(LedgerHandlers handlers) {
		return handlers::hearOf;
	}

	@Bean
	@Order(Ordered.HIGHEST_PRECEDENCE)
	OncePerRequestFilter callers() {
		return new OncePerRequestFilter() {

			@Override
			protected void doFilterInternal(HttpServletRequest request, HttpServletResponse response, FilterChain chain)
					throws ServletException, IOException {
				String caller = request.getHeader(CALLER_HEADER);
				Tenants.CALLER.set(caller);
				try {
					chain.doFilter(new HttpServletRequestWrapper(request) {

						@Override
						public Principal getUserPrincipal() {
							return () -> caller;
						}

					}, response);
				}
				finally {
					Tenants.CALLER.remove();
				}
			}

		};
	}

}
