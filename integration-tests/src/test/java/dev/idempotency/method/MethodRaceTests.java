package dev.idempotency.method;

import java.util.concurrent.Executors;
import java.util.concurrent.ThreadFactory;

class MethodRaceTests extends MethodRaceContract {

	@Override
	ThreadFactory threads() {
		return Executors.defaultThreadFactory();
	}

}
