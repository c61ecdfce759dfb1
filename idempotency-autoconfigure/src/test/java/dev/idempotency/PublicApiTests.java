package dev.idempotency;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Stream;

import javax.lang.model.element.Modifier;
import javax.tools.JavaCompiler;
import javax.tools.StandardJavaFileManager;
import javax.tools.ToolProvider;

import com.sun.source.tree.ClassTree;
import com.sun.source.tree.CompilationUnitTree;
import com.sun.source.tree.MethodTree;
import com.sun.source.tree.ModifiersTree;
import com.sun.source.tree.Tree;
import com.sun.source.util.DocTrees;
import com.sun.source.util.JavacTask;
import com.sun.source.util.TreePathScanner;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Every public type and method says in a sentence what it is for. A constructor creates
 * what its type says.
 */
class PublicApiTests {

	@Test
	void everyPublicTypeAndMethodHasASentence() {
		List<Path> sources = Stream.of("core", "jdbc", "redis", "spring", "web", "ai", "autoconfigure", "test")
			.flatMap((module) -> sources(Path.of("../idempotency-" + module, "src/main/java")))
			.toList();
		assertThat(sources).hasSizeGreaterThan(30);
		assertThat(undocumented(sources)).isEmpty();
	}

	private static Stream<Path> sources(Path folder) {
		try (Stream<Path> files = Files.walk(folder)) {
			return files.filter((file) -> file.toString().endsWith(".java")).toList().stream();
		}
		catch (IOException ex) {
			throw new UncheckedIOException(ex);
		}
	}

	private static List<String> undocumented(List<Path> sources) {
		JavaCompiler compiler = ToolProvider.getSystemJavaCompiler();
		try (StandardJavaFileManager files = compiler.getStandardFileManager(null, null, null)) {
			JavacTask task = (JavacTask) compiler.getTask(null, files, null, null, null,
					files.getJavaFileObjectsFromPaths(sources));
			List<String> found = new ArrayList<>();
			for (CompilationUnitTree unit : task.parse()) {
				new Scanner(DocTrees.instance(task), found).scan(unit, null);
			}
			return found;
		}
		catch (IOException ex) {
			throw new UncheckedIOException(ex);
		}
	}

	private static final class Scanner extends TreePathScanner<@Nullable Void, @Nullable Void> {

		private final DocTrees docs;

		private final List<String> found;

		private Scanner(DocTrees docs, List<String> found) {
			this.docs = docs;
			this.found = found;
		}

		@Override
		public @Nullable Void visitClass(ClassTree type, @Nullable Void unused) {
			if (!isPublic(type.getModifiers())) {
				return null;
			}
			check(type.getSimpleName().toString());
			return super.visitClass(type, null);
		}

		@Override
		public @Nullable Void visitMethod(MethodTree method, @Nullable Void unused) {
			Tree type = getCurrentPath().getParentPath().getLeaf();
			boolean constructor = method.getReturnType() == null;
			if (isPublic(method.getModifiers()) && !isAnnotated(method, "Override") && !isAnnotated(method, "Test")
					&& !constructor) {
				check(((ClassTree) type).getSimpleName() + "." + method.getName());
			}
			return null;
		}

		/**
		 * What is inside an interface is public without saying so.
		 */
		private boolean isPublic(ModifiersTree modifiers) {
			boolean inInterface = getCurrentPath().getParentPath().getLeaf().getKind() == Tree.Kind.INTERFACE;
			return modifiers.getFlags().contains(Modifier.PUBLIC)
					|| (inInterface && !modifiers.getFlags().contains(Modifier.PRIVATE));
		}

		private static boolean isAnnotated(MethodTree method, String annotation) {
			return method.getModifiers()
				.getAnnotations()
				.stream()
				.anyMatch((present) -> present.getAnnotationType().toString().equals(annotation));
		}

		private void check(String name) {
			String comment = this.docs.getDocComment(getCurrentPath());
			if (comment == null || comment.isBlank()) {
				this.found.add(name);
			}
		}

	}

}
