package dev.idempotency.test;

import java.util.concurrent.atomic.AtomicInteger;

import ch.qos.logback.classic.Logger;
import ch.qos.logback.classic.spi.ILoggingEvent;
import ch.qos.logback.core.AppenderBase;
import org.slf4j.LoggerFactory;

/**
 * Fails a thread with an error when it logs.
 */
public final class DeadlyAppender extends AppenderBase<ILoggingEvent> implements AutoCloseable {

	private final Logger logger;

	private final String thread;

	private final AtomicInteger errors = new AtomicInteger();

	private volatile boolean deadly;

	/**
	 * Create an appender.
	 * @param of whose logger it belongs to
	 * @param thread the name of the thread
	 */
	public DeadlyAppender(Class<?> of, String thread) {
		this.logger = (Logger) LoggerFactory.getLogger(of);
		this.thread = thread;
		setContext(this.logger.getLoggerContext());
		start();
		this.logger.addAppender(this);
	}

	public void fail(boolean deadly) {
		this.deadly = deadly;
	}

	/**
	 * How often the thread has failed.
	 */
	public int errors() {
		return this.errors.get();
	}

	@Override
	protected void append(ILoggingEvent event) {
		if (this.deadly && Thread.currentThread().getName().equals(this.thread)) {
			this.errors.incrementAndGet();
			throw new NoClassDefFoundError("as planned");
		}
	}

	@Override
	public void close() {
		this.logger.detachAppender(this);
	}

}
