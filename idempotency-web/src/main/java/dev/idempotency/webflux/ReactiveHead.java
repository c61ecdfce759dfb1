package dev.idempotency.webflux;

import java.util.List;
import java.util.Map;

import dev.idempotency.Effect;
import dev.idempotency.http.AnswerBody;
import dev.idempotency.http.EffectHeader;
import dev.idempotency.http.HttpAnswer;
import dev.idempotency.http.HttpAnswer.Delivery;
import dev.idempotency.http.ProtectedOperation;
import org.jspecify.annotations.Nullable;

import org.springframework.http.HttpHeaders;
import org.springframework.http.HttpStatus;
import org.springframework.http.HttpStatusCode;
import org.springframework.http.server.reactive.ServerHttpResponse;
import org.springframework.web.server.ServerWebExchange;

/**
 * The head of a handler's response while it is written: its status, its headers and its
 * effect.
 */
final class ReactiveHead {

	private final ReactiveResponse response;

	private final ServerWebExchange webExchange;

	private final ProtectedOperation operation;

	private final ReactiveAnswerRules rules;

	private volatile @Nullable IsolatedHeaders written;

	private volatile Effect effect;

	private volatile boolean handlerReached = true;

	ReactiveHead(ReactiveResponse response, ServerWebExchange webExchange, ProtectedOperation operation,
			ReactiveAnswerRules rules) {
		this.response = response;
		this.webExchange = webExchange;
		this.operation = operation;
		this.rules = rules;
		this.effect = operation.effect();
	}

	/**
	 * Keeps the headers that the handler writes to.
	 */
	void writeTo(IsolatedHeaders headers) {
		this.written = headers;
	}

	/**
	 * The headers of the response, as the handler sees them.
	 */
	HttpHeaders headers() {
		return this.response.getHeaders();
	}

	void effect(Effect effect) {
		this.effect = effect;
	}

	void handlerNotReached() {
		this.handlerReached = false;
	}

	/**
	 * The head as it is now. Nothing is passed on to the server.
	 */
	Final end() {
		HttpStatusCode code = server().getStatusCode();
		int status = (code != null) ? code.value() : HttpStatus.OK.value();
		IsolatedHeaders own = this.written;
		Map<String, List<String>> changed = (own != null) ? own.changed() : Map.of();
		return new Final(status, changed, ReactiveAnswers.kept(changed, headers(), this.rules.keptHeaders()),
				isToBeStored(status));
	}

	private boolean isToBeStored(int status) {
		return switch (this.operation.store()) {
			case ALL -> true;
			case SUCCESSFUL -> status < 400;
			case BY_POLICY -> this.rules.policy().shouldStore(new ExchangeFacts(this.webExchange, null), status);
		};
	}

	/**
	 * Passes a head on to the server.
	 */
	void letThrough(Final head) {
		this.response.letHeadersThrough(head.changed());
		ReactiveAnswers.writeEffect(this.handlerReached
				? EffectHeader.of(this.effect, this.webExchange.getRequest().getMethod().name(), head.status())
				: EffectHeader.NONE, server());
	}

	private ServerHttpResponse server() {
		return this.response.server();
	}

	/**
	 * A head that is final.
	 *
	 * @param status the status
	 * @param changed the headers that are not as they were before the handler
	 * @param kept the headers that are stored
	 * @param stored whether such a response is stored
	 */
	record Final(int status, Map<String, List<String>> changed, Map<String, List<String>> kept, boolean stored) {

		HttpAnswer with(Delivery delivery, AnswerBody body) {
			return new HttpAnswer(this.status, delivery, this.kept, body);
		}

	}

}
