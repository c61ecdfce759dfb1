package dev.idempotency.web;

import java.io.IOException;
import java.util.List;

import dev.idempotency.IdempotencyContext;
import dev.idempotency.Idempotent;
import jakarta.persistence.Entity;
import jakarta.persistence.EntityManager;
import jakarta.persistence.Id;
import jakarta.persistence.Table;
import jakarta.servlet.FilterChain;
import jakarta.servlet.ServletException;
import jakarta.servlet.http.HttpServletRequest;
import jakarta.servlet.http.HttpServletResponse;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

import org.springframework.boot.persistence.autoconfigure.EntityScan;
import org.springframework.boot.test.context.TestConfiguration;
import org.springframework.context.annotation.Import;
import org.springframework.stereotype.Service;
import org.springframework.transaction.annotation.Transactional;
import org.springframework.web.bind.annotation.PostMapping;
import org.springframework.web.bind.annotation.RequestBody;
import org.springframework.web.bind.annotation.RestController;
import org.springframework.web.filter.OncePerRequestFilter;
import org.springframework.web.util.ContentCachingResponseWrapper;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * With JPA, whose session stays open until the answer is rendered.
 */
@Tag("slow")
class JpaTransactionalHttpTests extends TransactionalHttpContract {

	@Override
	String url() {
		return "jdbc:h2:mem:jpa";
	}

	@Override
	String autoConfiguration() {
		return TestServer.WITH_JPA;
	}

	@Override
	List<Class<?>> surroundings() {
		return List.of(WithEntities.class);
	}

	@Test
	void commitsWhatIsWrittenNoEarlierThanAtTheCommit() {
		assertCommitted(pay("entity"), 200);
		Answer replay = pay("entity");
		assertThat(replay.isReplay()).isTrue();
		assertThat(replay.text()).contains("\"text\"");
		assertThat(rows()).isEqualTo(1);
	}

	@Test
	void undoesTheWorkOfAHandlerThatFailsLater() {
		assertUndone(pay("failing-entity"), 500);
	}

	@Test
	void saysThatNothingWasDoneWhenTheDatabaseRefusesTheCommit() {
		assertUndone(pay("wrong-entity"), 500);
	}

	@Test
	void runsOnceAndCannotBeReplayedWhereAFilterHoldsTheAnswer() {
		Answer first = pay("entity?hold");
		assertCommitted(first, 200);
		assertThat(first.text()).contains("entity of 1");
		Answer second = pay("entity?hold");
		assertThat(second.status()).isEqualTo(409);
		assertThat(second.text()).contains("not-replayable");
		assertThat(rows()).isEqualTo(1);
	}

	@Test
	void undoesTheWorkOfAHandlerThatFailsWhereAFilterHoldsTheAnswer() {
		assertUndone(pay("failing-entity?hold"), 500);
		assertUndone(pay("wrong-entity?hold"), 500);
	}

	/**
	 * A filter that holds some answers itself, as those that log them do.
	 */
	static class HoldingFilter extends OncePerRequestFilter {

		@Override
		protected void doFilterInternal(HttpServletRequest request, HttpServletResponse response, FilterChain chain)
				throws ServletException, IOException {
			if (request.getParameter("hold") == null) {
				chain.doFilter(request, response);
				return;
			}
			ContentCachingResponseWrapper wrapper = new ContentCachingResponseWrapper(response);
			chain.doFilter(request, wrapper);
			wrapper.copyBodyToResponse();
		}

	}

	@TestConfiguration(proxyBeanMethods = false)
	@EntityScan(basePackageClasses = JpaTransactionalHttpTests.class)
	@Import({ Ledger.class, EntityController.class, HoldingFilter.class })
	static class WithEntities {

	}

	@Entity
	@Table(name = "payment")
	static class PaymentEntity {

		@Id
		private String text = "";

		protected PaymentEntity() {
		}

		PaymentEntity(String text) {
			this.text = text;
		}

		public String getText() {
			return this.text;
		}

	}

	@Service
	static class Ledger {

		private final EntityManager entityManager;

		Ledger(EntityManager entityManager) {
			this.entityManager = entityManager;
		}

		@Transactional
		PaymentEntity enter(String text) {
			PaymentEntity entity = new PaymentEntity(text);
			this.entityManager.persist(entity);
			return entity;
		}

	}

	@RestController
	record EntityController(Ledger ledger) {

		@Idempotent(transactional = true)
		@PostMapping("/transactional/entity")
		PaymentEntity entity(@RequestBody String text, IdempotencyContext context) {
			return this.ledger.enter("entity of " + context.attempt());
		}

		@Idempotent(transactional = true)
		@PostMapping("/transactional/failing-entity")
		PaymentEntity failing(@RequestBody String text) {
			this.ledger.enter("entity");
			throw new IllegalStateException("the handler fails");
		}

		@Idempotent(transactional = true)
		@PostMapping("/transactional/wrong-entity")
		PaymentEntity wrong(@RequestBody String text) {
			return this.ledger.enter("x".repeat(101));
		}

	}

}
