package dev.idempotency.autoconfigure;

import java.util.List;

import javax.sql.DataSource;

import dev.idempotency.Idempotent;
import dev.idempotency.core.IdempotencyEngine;
import dev.idempotency.core.Transactions;
import dev.idempotency.http.HttpStrategies;
import dev.idempotency.http.KeyResolver;
import dev.idempotency.http.ProblemFormat;
import dev.idempotency.http.ReplayAuthorizer;
import dev.idempotency.http.RequestFingerprinter;
import dev.idempotency.http.ResponsePolicy;
import dev.idempotency.http.ScopeResolver;
import dev.idempotency.web.IdempotencyFilter;
import dev.idempotency.web.IdempotencyRouteFilter;
import dev.idempotency.web.IdempotencyWeb;
import jakarta.servlet.DispatcherType;
import org.junit.jupiter.api.Test;

import org.springframework.beans.factory.NoSuchBeanDefinitionException;
import org.springframework.boot.autoconfigure.AutoConfigurations;
import org.springframework.boot.jdbc.autoconfigure.DataSourceAutoConfiguration;
import org.springframework.boot.jdbc.autoconfigure.DataSourceTransactionManagerAutoConfiguration;
import org.springframework.boot.security.autoconfigure.web.servlet.SecurityFilterProperties;
import org.springframework.boot.test.context.FilteredClassLoader;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;
import org.springframework.boot.test.context.runner.ReactiveWebApplicationContextRunner;
import org.springframework.boot.test.context.runner.WebApplicationContextRunner;
import org.springframework.boot.web.servlet.FilterRegistrationBean;
import org.springframework.boot.webmvc.autoconfigure.DispatcherServletAutoConfiguration;
import org.springframework.boot.webmvc.autoconfigure.WebMvcAutoConfiguration;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.jdbc.datasource.DataSourceTransactionManager;
import org.springframework.transaction.PlatformTransactionManager;
import org.springframework.web.bind.annotation.PostMapping;
import org.springframework.web.bind.annotation.RestController;
import org.springframework.web.servlet.DispatcherServlet;
import org.springframework.web.servlet.HandlerExceptionResolver;
import org.springframework.web.servlet.config.annotation.WebMvcConfigurer;
import org.springframework.web.servlet.function.RouterFunction;
import org.springframework.web.servlet.function.RouterFunctions;
import org.springframework.web.servlet.function.ServerResponse;
import org.springframework.web.servlet.handler.HandlerExceptionResolverComposite;

import static org.assertj.core.api.Assertions.assertThat;

class IdempotencyWebMvcAutoConfigurationTests {

	private static final AutoConfigurations OURS = AutoConfigurations.of(IdempotencyAutoConfiguration.class,
			IdempotencyTransactionAutoConfiguration.class, IdempotencyWebMvcAutoConfiguration.class,
			IdempotencySwitchAutoConfiguration.class);

	private final WebApplicationContextRunner runner = new WebApplicationContextRunner()
		.withPropertyValues("idempotency.store=memory")
		.withConfiguration(
				AutoConfigurations.of(DispatcherServletAutoConfiguration.class, WebMvcAutoConfiguration.class))
		.withConfiguration(OURS);

	@Test
	void protectsHandlersOfSpringMvc() {
		this.runner.run((context) -> assertThat(context).hasNotFailed()
			.hasSingleBean(IdempotencyWeb.class)
			.hasSingleBean(IdempotencyFilter.class)
			.hasSingleBean(IdempotencyRouteFilter.class)
			.hasSingleBean(KeyResolver.class)
			.hasSingleBean(ScopeResolver.class)
			.hasSingleBean(RequestFingerprinter.class)
			.hasSingleBean(ResponsePolicy.class));
	}

	@Test
	void staysAwayFromOtherApplications() {
		new ApplicationContextRunner().withPropertyValues("idempotency.store=memory")
			.withConfiguration(OURS)
			.run((context) -> assertThat(context).hasNotFailed()
				.hasSingleBean(IdempotencyEngine.class)
				.doesNotHaveBean(IdempotencyWeb.class)
				.doesNotHaveBean(IdempotencyRouteFilter.class));
		new ReactiveWebApplicationContextRunner().withPropertyValues("idempotency.store=memory")
			.withConfiguration(OURS)
			.run((context) -> assertThat(context).hasNotFailed()
				.hasSingleBean(IdempotencyEngine.class)
				.doesNotHaveBean(IdempotencyWeb.class));
	}

	@Test
	void staysAwayWithoutSpringMvc() {
		for (String property : List.of("idempotency.enabled=true", "idempotency.enabled=false")) {
			new WebApplicationContextRunner().withConfiguration(OURS)
				.withPropertyValues("idempotency.store=memory", property)
				.withClassLoader(new FilteredClassLoader(DispatcherServlet.class))
				.run((context) -> assertThat(context).hasNotFailed().doesNotHaveBean(IdempotencyRouteFilter.class));
		}
	}

	@Test
	void rollsDryRunsBackWithTheTransactionManager() {
		withDatabase().run((context) -> assertThat(context).hasNotFailed()
			.hasSingleBean(PlatformTransactionManager.class)
			.getBean(Transactions.class)
			.isInstanceOf(SpringTransactions.class));
	}

	@Test
	void rollsNothingBackWithoutTransactions() {
		this.runner.run((context) -> assertThat(context).hasNotFailed().doesNotHaveBean(Transactions.class));
		this.runner.withClassLoader(new FilteredClassLoader(PlatformTransactionManager.class))
			.run((context) -> assertThat(context).hasNotFailed()
				.hasSingleBean(IdempotencyWeb.class)
				.doesNotHaveBean(Transactions.class));
	}

	@Test
	void rollsNothingBackWhereTwoTransactionManagersCompete() {
		withDatabase().withUserConfiguration(TwoTransactionManagers.class)
			.run((context) -> assertThat(context.getBeanProvider(Transactions.class).getIfAvailable()).isNull());
	}

	private WebApplicationContextRunner withDatabase() {
		return this.runner.withConfiguration(AutoConfigurations.of(DataSourceAutoConfiguration.class,
				DataSourceTransactionManagerAutoConfiguration.class));
	}

	@Test
	void backsOffForTheApplicationsOwnStrategies() {
		this.runner.withUserConfiguration(OwnStrategies.class)
			.run((context) -> assertThat(context.getBean(HttpStrategies.class))
				.isEqualTo(new HttpStrategies(context.getBean("ownKeyResolver", KeyResolver.class),
						context.getBean("ownScopeResolver", ScopeResolver.class),
						context.getBean("ownFingerprinter", RequestFingerprinter.class),
						context.getBean("ownResponsePolicy", ResponsePolicy.class),
						List.of(context.getBean("ownProblemFormat", ProblemFormat.class)),
						context.getBean("ownReplayAuthorizer", ReplayAuthorizer.class))));
	}

	@Test
	void backsOffForTheApplicationsOwnRollback() {
		withDatabase().withBean("ownTransactions", Transactions.class, () -> () -> {
			throw new IllegalStateException("not begun here");
		}).run((context) -> assertThat(context).hasSingleBean(Transactions.class).hasBean("ownTransactions"));
	}

	@Test
	void keepsRoutesAndArgumentsWorkingWhenDisabled() {
		this.runner.withPropertyValues("idempotency.enabled=false")
			.withUserConfiguration(Routes.class, Handlers.class)
			.run((context) -> {
				assertThat(context).hasNotFailed()
					.hasSingleBean(IdempotencyRouteFilter.class)
					.doesNotHaveBean(IdempotencyEngine.class)
					.hasSingleBean(IdempotencyFilter.class);
				assertThat(context.getBean("idempotencyFilterRegistration", FilterRegistrationBean.class).isEnabled())
					.isFalse();
				assertThat(context.getBean("idempotencyWebMvcConfigurer")).isInstanceOf(WebMvcConfigurer.class);
			});
	}

	@Test
	void startsInSpiteOfWrongSettingsElsewhereWhenDisabled() {
		this.runner.withPropertyValues("idempotency.enabled=false", "idempotency.ttl=forever")
			.run((context) -> assertThat(context).hasNotFailed());
		this.runner.withPropertyValues("idempotency.enabled=false", "idempotency.http.header=no header")
			.run((context) -> assertThat(context).hasFailed());
	}

	@Test
	void refusesToStartWithoutAnEngineInsteadOfProtectingNothing() {
		new WebApplicationContextRunner()
			.withConfiguration(AutoConfigurations.of(DispatcherServletAutoConfiguration.class,
					WebMvcAutoConfiguration.class, IdempotencyWebMvcAutoConfiguration.class))
			.withUserConfiguration(Handlers.class)
			.run((context) -> assertThat(context).getFailure()
				.hasRootCauseInstanceOf(NoSuchBeanDefinitionException.class)
				.rootCause()
				.hasMessageContaining("dev.idempotency"));
	}

	@Test
	void standsBehindTheFilterOfSpringSecurity() {
		assertThat(SecurityFilterProperties.DEFAULT_FILTER_ORDER).isEqualTo(-100);
		this.runner.run((context) -> {
			FilterRegistrationBean<?> registration = context.getBean("idempotencyFilterRegistration",
					FilterRegistrationBean.class);
			assertThat(registration.getFilter()).isSameAs(context.getBean(IdempotencyFilter.class));
			assertThat(registration.getOrder()).isGreaterThan(SecurityFilterProperties.DEFAULT_FILTER_ORDER);
		});
	}

	@Test
	void takesPartInEveryDispatchOfARequest() {
		this.runner.run((context) -> {
			FilterRegistrationBean<?> registration = context.getBean("idempotencyFilterRegistration",
					FilterRegistrationBean.class);
			assertThat(registration.determineDispatcherTypes()).containsExactlyInAnyOrder(DispatcherType.REQUEST,
					DispatcherType.ASYNC, DispatcherType.ERROR);
		});
	}

	@Test
	void letsTheApplicationRegisterTheFilterItself() {
		this.runner.withUserConfiguration(OwnRegistration.class)
			.run((context) -> assertThat(context).hasSingleBean(FilterRegistrationBean.class)
				.getBean(FilterRegistrationBean.class)
				.satisfies((registration) -> assertThat(registration.getOrder()).isEqualTo(7)));
	}

	@Test
	void letsTheApplicationRegisterTheFilterItselfWhenDisabled() {
		this.runner.withPropertyValues("idempotency.enabled=false")
			.withUserConfiguration(OwnRegistration.class)
			.run((context) -> assertThat(context).hasNotFailed().hasSingleBean(FilterRegistrationBean.class));
	}

	@Test
	void resolvesItsExceptionsBeforeEveryoneElse() {
		this.runner.run((context) -> {
			HandlerExceptionResolverComposite all = context.getBean("handlerExceptionResolver",
					HandlerExceptionResolverComposite.class);
			assertThat(all.getExceptionResolvers()).first()
				.extracting(HandlerExceptionResolver::getClass)
				.isEqualTo(context.getBean(IdempotencyWeb.class).exceptionResolver().getClass());
		});
	}

	@Configuration(proxyBeanMethods = false)
	static class OwnStrategies {

		@Bean
		ProblemFormat ownProblemFormat() {
			return ProblemFormat.markdown();
		}

		@Bean
		KeyResolver ownKeyResolver() {
			return (request) -> null;
		}

		@Bean
		ScopeResolver ownScopeResolver() {
			return ScopeResolver.principal();
		}

		@Bean
		RequestFingerprinter ownFingerprinter() {
			return RequestFingerprinter.none();
		}

		@Bean
		ResponsePolicy ownResponsePolicy() {
			return (request, status) -> true;
		}

		@Bean
		ReplayAuthorizer ownReplayAuthorizer() {
			return (request, key, status) -> true;
		}

	}

	@Configuration(proxyBeanMethods = false)
	static class TwoTransactionManagers {

		@Bean
		PlatformTransactionManager one(DataSource dataSource) {
			return new DataSourceTransactionManager(dataSource);
		}

		@Bean
		PlatformTransactionManager two(DataSource dataSource) {
			return new DataSourceTransactionManager(dataSource);
		}

	}

	@Configuration(proxyBeanMethods = false)
	static class OwnRegistration {

		@Bean
		FilterRegistrationBean<IdempotencyFilter> idempotencyFilterRegistration(IdempotencyFilter filter) {
			FilterRegistrationBean<IdempotencyFilter> registration = new FilterRegistrationBean<>(filter);
			registration.setOrder(7);
			return registration;
		}

	}

	@Configuration(proxyBeanMethods = false)
	static class Routes {

		@Bean
		RouterFunction<ServerResponse> routes(IdempotencyRouteFilter idempotency) {
			return RouterFunctions.route()
				.POST("/route", (request) -> ServerResponse.ok().build())
				.filter(idempotency.withOptionalKey().withKey("header('X-Key')"))
				.build();
		}

	}

	@RestController
	static class Handlers {

		@PostMapping("/orders")
		@Idempotent
		void order() {
		}

	}

}
