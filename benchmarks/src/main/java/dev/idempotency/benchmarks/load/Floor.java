package dev.idempotency.benchmarks.load;

import java.io.IOException;
import java.nio.charset.StandardCharsets;

import jakarta.servlet.http.HttpServletRequest;
import jakarta.servlet.http.HttpServletResponse;
import org.jspecify.annotations.Nullable;

import org.springframework.beans.factory.annotation.Autowired;
import org.springframework.beans.factory.annotation.Value;
import org.springframework.web.servlet.HandlerInterceptor;
import org.springframework.web.servlet.config.annotation.InterceptorRegistry;
import org.springframework.web.servlet.config.annotation.WebMvcConfigurer;

/**
 * The minimum of round trips: one that claims the key or reads its result, and one that
 * stores the response. It compares no requests, knows no owners and no crashes, and
 * stores always the same response.
 */
abstract class Floor implements HandlerInterceptor, WebMvcConfigurer {

	static final long LEASE_MILLIS = 30_000;

	static final long TTL_MILLIS = 86_400_000;

	private byte[] answer = {};

	/**
	 * Sets the length of the note in the response that is stored.
	 */
	@Autowired
	void setNote(@Value("${load.floor.note:10}") int length) {
		this.answer = ("{\"id\":\"pay_3f1c9a7e52b84d06\",\"customer\":\"cus_81b5d0f7\","
				+ "\"amount\":4200,\"currency\":\"EUR\",\"status\":\"succeeded\","
				+ "\"createdAt\":\"2026-01-31T12:00:00.123Z\",\"note\":\"%s\"}")
			.formatted("n".repeat(length))
			.getBytes(StandardCharsets.UTF_8);
	}

	@Override
	public void addInterceptors(InterceptorRegistry registry) {
		registry.addInterceptor(this).addPathPatterns("/protected");
	}

	@Override
	public boolean preHandle(HttpServletRequest request, HttpServletResponse response, Object handler)
			throws IOException {
		byte[] answer = claim(request.getHeader("Idempotency-Key"));
		if (answer == null) {
			return true;
		}
		response.setContentType("application/json");
		response.setContentLength(answer.length);
		response.getOutputStream().write(answer);
		return false;
	}

	@Override
	public void afterCompletion(HttpServletRequest request, HttpServletResponse response, Object handler,
			@Nullable Exception ex) {
		complete(request.getHeader("Idempotency-Key"), this.answer);
	}

	/**
	 * Claims a key.
	 * @return the stored response, or {@code null} if the key was free
	 */
	abstract byte @Nullable [] claim(String key);

	abstract void complete(String key, byte[] answer);

}
