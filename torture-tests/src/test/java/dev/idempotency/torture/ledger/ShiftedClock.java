package dev.idempotency.torture.ledger;

import java.lang.instrument.ClassFileTransformer;
import java.lang.instrument.Instrumentation;
import java.security.ProtectionDomain;
import java.time.Clock;
import java.time.Duration;
import java.time.Instant;
import java.time.ZoneId;
import java.util.Map;

import org.jspecify.annotations.Nullable;

import org.springframework.asm.ClassReader;
import org.springframework.asm.ClassVisitor;
import org.springframework.asm.ClassWriter;
import org.springframework.asm.MethodVisitor;
import org.springframework.asm.Opcodes;
import org.springframework.asm.SpringAsmInfo;

/**
 * A wall clock that is wrong: an agent that lets everything but the JDK itself ask this
 * class for the time. {@link System#nanoTime()} stays what it is, since a wrong clock
 * runs as fast as a right one.
 */
public final class ShiftedClock implements ClassFileTransformer {

	private static final String SELF = "dev/idempotency/torture/ledger/ShiftedClock";

	/**
	 * Calls that ask for the time, and what they become.
	 */
	private static final Map<String, String> CALLS = Map.of("java/lang/System.currentTimeMillis()J",
			"currentTimeMillis", "java/time/Instant.now()Ljava/time/Instant;", "now",
			"java/time/Clock.systemUTC()Ljava/time/Clock;", "systemUTC",
			"java/time/Clock.systemDefaultZone()Ljava/time/Clock;", "systemDefaultZone");

	private static volatile long shiftMillis;

	private ShiftedClock() {
	}

	/**
	 * Begins with the JVM.
	 * @param shift by how many seconds the clock is wrong
	 */
	public static void premain(String shift, Instrumentation instrumentation) {
		shiftMillis = Duration.ofSeconds(Long.parseLong(shift)).toMillis();
		instrumentation.addTransformer(new ShiftedClock());
	}

	public static long currentTimeMillis() {
		return System.currentTimeMillis() + shiftMillis;
	}

	public static Instant now() {
		return Instant.now().plusMillis(shiftMillis);
	}

	public static Clock systemUTC() {
		return Clock.offset(Clock.systemUTC(), Duration.ofMillis(shiftMillis));
	}

	public static Clock systemDefaultZone() {
		return Clock.offset(Clock.system(ZoneId.systemDefault()), Duration.ofMillis(shiftMillis));
	}

	@Override
	public byte @Nullable [] transform(@Nullable ClassLoader loader, String name, @Nullable Class<?> type,
			ProtectionDomain domain, byte[] bytes) {
		if (loader == null || name.startsWith("java/") || name.startsWith("jdk/") || name.startsWith("sun/")
				|| name.equals(SELF) || name.startsWith(SELF + "$")) {
			return null;
		}
		ClassReader reader = new ClassReader(bytes);
		Rewriter rewriter = new Rewriter(new ClassWriter(reader, ClassWriter.COMPUTE_MAXS));
		reader.accept(rewriter, 0);
		return rewriter.changed ? ((ClassWriter) rewriter.delegate()).toByteArray() : null;
	}

	private static final class Rewriter extends ClassVisitor {

		private boolean changed;

		Rewriter(ClassWriter writer) {
			super(SpringAsmInfo.ASM_VERSION, writer);
		}

		ClassVisitor delegate() {
			return this.cv;
		}

		@Override
		public MethodVisitor visitMethod(int access, String name, String descriptor, @Nullable String signature,
				String @Nullable [] exceptions) {
			MethodVisitor method = super.visitMethod(access, name, descriptor, signature, exceptions);
			return new MethodVisitor(SpringAsmInfo.ASM_VERSION, method) {

				@Override
				public void visitMethodInsn(int opcode, String owner, String called, String type, boolean inInterface) {
					String replacement = CALLS.get(owner + "." + called + type);
					if (replacement != null) {
						Rewriter.this.changed = true;
						super.visitMethodInsn(Opcodes.INVOKESTATIC, SELF, replacement, type, false);
					}
					else if (owner.equals("java/util/Date") && called.equals("<init>") && type.equals("()V")) {
						Rewriter.this.changed = true;
						super.visitMethodInsn(Opcodes.INVOKESTATIC, SELF, "currentTimeMillis", "()J", false);
						super.visitMethodInsn(opcode, owner, called, "(J)V", false);
					}
					else {
						super.visitMethodInsn(opcode, owner, called, type, inInterface);
					}
				}

			};
		}

	}

}
