package dev.idempotency.method;

import java.util.concurrent.Executors;
import java.util.concurrent.ThreadFactory;

import org.junit.jupiter.api.Tag;

@Tag("slow")
class MethodRaceTests extends MethodRaceContract {

	@Override
	ThreadFactory threads() {
		return Executors.defaultThreadFactory();
	}

}
