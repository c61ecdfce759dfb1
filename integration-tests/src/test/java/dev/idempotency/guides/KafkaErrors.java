package dev.idempotency.guides;

import dev.idempotency.IdempotencyKeyInvalidException;
import dev.idempotency.IdempotencyKeyMissingException;
import dev.idempotency.OperationInProgressException;

import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.kafka.core.KafkaTemplate;
import org.springframework.kafka.listener.DeadLetterPublishingRecoverer;
import org.springframework.kafka.listener.DefaultErrorHandler;
import org.springframework.util.backoff.FixedBackOff;

/**
 * What does not go away is sorted out, and what is in progress is tried until it is not.
 */
@Configuration(proxyBeanMethods = false)
class KafkaErrors {

	@Bean
	DefaultErrorHandler errorHandler(KafkaTemplate<?, ?> template) {
		DefaultErrorHandler handler = new DefaultErrorHandler(new DeadLetterPublishingRecoverer(template));
		handler.addNotRetryableExceptions(IdempotencyKeyMissingException.class, IdempotencyKeyInvalidException.class);
		handler.setBackOffFunction((record, failure) -> (failure.getCause() instanceof OperationInProgressException)
				? new FixedBackOff(1000, FixedBackOff.UNLIMITED_ATTEMPTS) : null);
		return handler;
	}

}
