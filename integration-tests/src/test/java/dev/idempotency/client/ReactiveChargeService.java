package dev.idempotency.client;

import java.util.Map;

import reactor.core.publisher.Mono;

import org.springframework.web.bind.annotation.RequestBody;
import org.springframework.web.service.annotation.HttpExchange;
import org.springframework.web.service.annotation.PostExchange;

/**
 * A provider as a reactive HTTP interface.
 */
@HttpExchange("/charges")
interface ReactiveChargeService {

	@PostExchange
	Mono<Map<String, String>> charge(@RequestBody Map<String, Object> charge);

}
