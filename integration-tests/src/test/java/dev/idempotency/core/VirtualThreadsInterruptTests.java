package dev.idempotency.core;

import dev.idempotency.method.VirtualThreadFactory;
import org.junit.jupiter.api.condition.EnabledForJreRange;
import org.junit.jupiter.api.condition.JRE;

/**
 * The same on virtual threads, whose connections break when they are interrupted.
 */
@EnabledForJreRange(min = JRE.JAVA_21, disabledReason = "virtual threads came with Java 21")
class VirtualThreadsInterruptTests extends PostgresInterruptTests {

	@Override
	Thread newThread(Runnable task) {
		return VirtualThreadFactory.create().newThread(task);
	}

}
