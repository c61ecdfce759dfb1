package dev.idempotency.method;

import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.ThreadFactory;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;

import dev.idempotency.Idempotent;
import dev.idempotency.core.IdempotencyEngine;
import jdk.jfr.Recording;
import jdk.jfr.consumer.RecordedEvent;
import jdk.jfr.consumer.RecordedFrame;
import jdk.jfr.consumer.RecordedStackTrace;
import jdk.jfr.consumer.RecordingFile;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.condition.EnabledForJreRange;
import org.junit.jupiter.api.condition.JRE;
import org.junit.jupiter.api.io.TempDir;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * The same storms on virtual threads: nothing of ours keeps one from leaving its carrier.
 */
@EnabledForJreRange(min = JRE.JAVA_21, disabledReason = "virtual threads came with Java 21")
class VirtualThreadsMethodTests extends MethodRaceContract {

	@TempDir
	private Path folder;

	@Override
	ThreadFactory threads() {
		return VirtualThreadFactory.create();
	}

	@Override
	void storm(int rounds, Round round) throws Exception {
		// Loading a class pins, and is nobody's fault
		super.storm(3, round);
		assertThat(pinnedByUs(() -> super.storm(rounds, round))).isEmpty();
	}

	@Test
	void wouldSeeAPinnedThread() {
		MethodRunner.plain().withBean(Pinning.class).run((context) -> {
			Pinning bean = context.getBean(Pinning.class);
			assertThat(pinnedByUs(() -> {
				Thread thread = threads().newThread(() -> bean.pin("1"));
				thread.start();
				thread.join();
			})).isNotEmpty();
		});
	}

	private List<RecordedEvent> pinnedByUs(Storm storm) throws Exception {
		Path file = this.folder.resolve("pinned.jfr");
		try (Recording recording = new Recording()) {
			recording.enable("jdk.VirtualThreadPinned").withoutThreshold().withStackTrace();
			recording.start();
			storm.run();
			recording.stop();
			recording.dump(file);
		}
		return RecordingFile.readAllEvents(file).stream().filter(VirtualThreadsMethodTests::isOurs).toList();
	}

	private static boolean isOurs(RecordedEvent event) {
		RecordedStackTrace trace = event.getStackTrace();
		return trace != null && trace.getFrames().stream().anyMatch(VirtualThreadsMethodTests::isOurs);
	}

	/**
	 * Whether a frame belongs to the library, whose packages tests share.
	 */
	private static boolean isOurs(RecordedFrame frame) {
		try {
			Class<?> type = Class.forName(frame.getMethod().getType().getName(), false,
					VirtualThreadsMethodTests.class.getClassLoader());
			return type.getProtectionDomain().getCodeSource() != null && type.getProtectionDomain()
				.getCodeSource()
				.equals(IdempotencyEngine.class.getProtectionDomain().getCodeSource());
		}
		catch (ClassNotFoundException | LinkageError ex) {
			return frame.getMethod().getType().getName().startsWith("dev.idempotency.");
		}
	}

	@FunctionalInterface
	private interface Storm {

		void run() throws Exception;

	}

	static class Pinning {

		@Idempotent(key = "#id")
		public void pin(String id) {
			SlowToInitialize.touch();
		}

	}

	/**
	 * The virtual machine calls its initializer, and a thread with such a call on its
	 * stack cannot leave its carrier.
	 */
	private static final class SlowToInitialize {

		static {
			LockSupport.parkNanos(TimeUnit.MILLISECONDS.toNanos(50));
		}

		private static void touch() {
		}

	}

}
