package dev.idempotency.method;

import java.io.IOException;
import java.io.InputStream;
import java.lang.reflect.Method;
import java.util.Collection;
import java.util.LinkedHashSet;
import java.util.Set;
import java.util.TreeSet;
import java.util.stream.Collectors;

import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

import org.springframework.asm.ClassReader;
import org.springframework.asm.ClassVisitor;
import org.springframework.asm.Handle;
import org.springframework.asm.MethodVisitor;
import org.springframework.asm.Opcodes;
import org.springframework.asm.SpringAsmInfo;
import org.springframework.asm.Type;
import org.springframework.util.ClassUtils;

/**
 * Finds places where a class calls a protected method of its own, which bypasses the
 * proxy. A method that uses another object of its class, such as the proxy itself, is not
 * reported.
 */
final class SelfCalls {

	private static final Logger logger = LoggerFactory.getLogger(SelfCalls.class);

	/**
	 * The prefix of the code of a lambda, before the name of its method.
	 */
	private static final String LAMBDA = "lambda$";

	private SelfCalls() {
	}

	/**
	 * Reads the code of a class.
	 * @return a sentence for each place
	 */
	static Set<String> find(Class<?> type, Collection<Method> methods) {
		Set<String> signatures = methods.stream()
			.map((method) -> method.getName() + Type.getMethodDescriptor(method))
			.collect(Collectors.toSet());
		Set<String> owners = new LinkedHashSet<>();
		for (Class<?> current = type; current != null && current != Object.class; current = current.getSuperclass()) {
			owners.add(Type.getInternalName(current));
		}
		Set<String> found = new TreeSet<>();
		for (Class<?> current = type; current != null && current != Object.class; current = current.getSuperclass()) {
			read(current, owners, signatures, found);
		}
		return found;
	}

	private static void read(Class<?> declaring, Set<String> owners, Set<String> signatures, Set<String> found) {
		try (InputStream code = declaring.getResourceAsStream(ClassUtils.getClassFileName(declaring))) {
			if (code != null) {
				new ClassReader(code).accept(new CodeReader(declaring, owners, signatures, found),
						ClassReader.SKIP_DEBUG | ClassReader.SKIP_FRAMES);
			}
		}
		catch (IOException | RuntimeException ex) {
			// Perhaps a newer class file. Only a warning is lost
			logger.debug("Failed to read the code of {}", declaring, ex);
		}
	}

	private static final class CodeReader extends ClassVisitor {

		private final Class<?> declaring;

		private final Set<String> owners;

		private final Set<String> signatures;

		private final Set<String> found;

		private CodeReader(Class<?> declaring, Set<String> owners, Set<String> signatures, Set<String> found) {
			super(SpringAsmInfo.ASM_VERSION);
			this.declaring = declaring;
			this.owners = owners;
			this.signatures = signatures;
			this.found = found;
		}

		@Override
		public @Nullable MethodVisitor visitMethod(int access, String name, String descriptor,
				@Nullable String signature, String @Nullable [] exceptions) {
			boolean isStatic = (access & Opcodes.ACC_STATIC) != 0;
			boolean isBridge = (access & Opcodes.ACC_BRIDGE) != 0;
			return (isStatic || isBridge) ? null : new Caller(name, descriptor);
		}

		/**
		 * The code of one method.
		 */
		private final class Caller extends MethodVisitor {

			private final String name;

			private final Set<String> calls = new TreeSet<>();

			private boolean hasAnother;

			private Caller(String name, String descriptor) {
				super(SpringAsmInfo.ASM_VERSION);
				this.name = name.startsWith(LAMBDA) ? name.substring(LAMBDA.length(), name.lastIndexOf('$')) : name;
				for (Type parameter : Type.getArgumentTypes(descriptor)) {
					gets(parameter);
				}
			}

			private void gets(Type type) {
				this.hasAnother |= type.getSort() == Type.OBJECT
						&& CodeReader.this.owners.contains(type.getInternalName());
			}

			@Override
			public void visitMethodInsn(int opcode, String owner, String name, String descriptor, boolean isInterface) {
				gets(Type.getReturnType(descriptor));
				if (opcode == Opcodes.INVOKEVIRTUAL) {
					calls(owner, name, descriptor);
				}
			}

			@Override
			public void visitInvokeDynamicInsn(String name, String descriptor, Handle bootstrap, Object... arguments) {
				for (Object argument : arguments) {
					if (argument instanceof Handle handle && handle.getTag() == Opcodes.H_INVOKEVIRTUAL) {
						calls(handle.getOwner(), handle.getName(), handle.getDesc());
					}
				}
			}

			private void calls(String owner, String name, String descriptor) {
				if (CodeReader.this.owners.contains(owner) && CodeReader.this.signatures.contains(name + descriptor)) {
					this.calls.add(name);
				}
			}

			@Override
			public void visitFieldInsn(int opcode, String owner, String name, String descriptor) {
				gets(Type.getType(descriptor));
			}

			@Override
			public void visitTypeInsn(int opcode, String type) {
				this.hasAnother |= CodeReader.this.owners.contains(type);
			}

			@Override
			public void visitEnd() {
				if (!this.hasAnother) {
					this.calls.forEach((called) -> CodeReader.this.found
						.add("%s.%s calls %s".formatted(CodeReader.this.declaring.getName(), this.name, called)));
				}
			}

		}

	}

}
