package dev.idempotency.webflux;

import org.junit.platform.launcher.LauncherSession;
import org.junit.platform.launcher.LauncherSessionListener;

/**
 * Tells Netty of {@link LeakDetector}, before any test has made a buffer.
 */
public final class LeakDetectorListener implements LauncherSessionListener {

	@Override
	public void launcherSessionOpened(LauncherSession session) {
		System.setProperty("io.netty.customResourceLeakDetector", "dev.idempotency.webflux.LeakDetector");
	}

}
