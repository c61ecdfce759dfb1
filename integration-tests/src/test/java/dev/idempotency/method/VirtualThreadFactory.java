package dev.idempotency.method;

import java.lang.invoke.MethodHandle;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.MethodType;
import java.util.concurrent.ThreadFactory;

/**
 * Virtual threads, for sources that an older Java has to compile.
 */
public final class VirtualThreadFactory {

	private VirtualThreadFactory() {
	}

	public static ThreadFactory create() {
		try {
			MethodHandles.Lookup lookup = MethodHandles.publicLookup();
			Class<?> builder = Class.forName("java.lang.Thread$Builder");
			Class<?> virtualBuilder = Class.forName("java.lang.Thread$Builder$OfVirtual");
			MethodHandle ofVirtual = lookup.findStatic(Thread.class, "ofVirtual",
					MethodType.methodType(virtualBuilder));
			MethodHandle factory = lookup.findVirtual(builder, "factory", MethodType.methodType(ThreadFactory.class));
			return (ThreadFactory) factory.invoke(ofVirtual.invoke());
		}
		catch (Throwable ex) {
			throw new IllegalStateException("There are no virtual threads", ex);
		}
	}

}
