package dev.idempotency.client;

import java.util.Map;

import org.springframework.web.bind.annotation.RequestBody;
import org.springframework.web.service.annotation.HttpExchange;
import org.springframework.web.service.annotation.PostExchange;

/**
 * A provider as an HTTP interface.
 */
@HttpExchange("/charges")
interface ChargeService {

	@PostExchange
	Map<String, String> charge(@RequestBody Map<String, Object> charge);

}
