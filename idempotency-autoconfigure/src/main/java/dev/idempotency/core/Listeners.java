package dev.idempotency.core;

import java.util.List;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;

import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * All listeners, none of which can do harm.
 */
final class Listeners {

	private static final Logger logger = LoggerFactory.getLogger(IdempotencyListener.class);

	private final List<IdempotencyListener> listeners;

	private final Set<IdempotencyListener> failed = ConcurrentHashMap.newKeySet();

	Listeners(List<? extends IdempotencyListener> listeners) {
		this.listeners = List.copyOf(listeners);
	}

	void publish(IdempotencyEvent event) {
		for (IdempotencyListener listener : this.listeners) {
			try {
				listener.onEvent(event);
			}
			catch (VirtualMachineError ex) {
				throw ex;
			}
			catch (Throwable ex) {
				contained(listener, ex);
			}
		}
	}

	private void contained(IdempotencyListener listener, Throwable ex) {
		if (this.failed.add(listener)) {
			logger.warn("The listener {} failed; the operation goes on. Further failures of it are logged at DEBUG",
					listener.getClass().getName(), ex);
		}
		else {
			logger.debug("The listener {} failed again", listener.getClass().getName(), ex);
		}
	}

}
