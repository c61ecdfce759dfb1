package dev.idempotency.build;

import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.zip.ZipEntry;
import java.util.zip.ZipFile;

import dev.idempotency.IdempotencyKey;
import dev.idempotency.test.IdempotencyStoreContract;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

/**
 * A jar says nothing of when and where it was built: all its entries have one date, and a
 * fixed order.
 */
class ReproducibleJarTests {

	@ParameterizedTest
	@ValueSource(classes = { IdempotencyKey.class, IdempotencyStoreContract.class })
	void hasOneDateAndNoTraceOfTheMachine(Class<?> inside) throws Exception {
		Path jar = Path.of(inside.getProtectionDomain().getCodeSource().getLocation().toURI());
		assumeTrue(Files.isRegularFile(jar), "Not packaged: run 'mvn verify' rather than 'mvn test'");
		try (ZipFile zip = new ZipFile(jar.toFile())) {
			List<? extends ZipEntry> entries = zip.stream().toList();
			assertThat(entries).extracting((entry) -> entry.getTimeLocal()).containsOnly(entries.get(0).getTimeLocal());
			assertThat(entries).extracting(ZipEntry::getName).doesNotHaveDuplicates();
			ZipEntry manifest = zip.getEntry("META-INF/MANIFEST.MF");
			String text = new String(zip.getInputStream(manifest).readAllBytes(), StandardCharsets.UTF_8);
			assertThat(text).doesNotContainIgnoringCase("Built-By").doesNotContainIgnoringCase("Build-Time");
		}
	}

}
