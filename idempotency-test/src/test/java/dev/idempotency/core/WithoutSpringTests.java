package dev.idempotency.core;

import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

/**
 * The tests of this module run without Spring, and so does what they test: the engine,
 * the store in memory and the contract of stores.
 */
class WithoutSpringTests {

	@Test
	void thereIsNone() {
		assertThatExceptionOfType(ClassNotFoundException.class)
			.isThrownBy(() -> Class.forName("org.springframework.core.SpringVersion"));
	}

}
