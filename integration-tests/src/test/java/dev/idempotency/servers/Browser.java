package dev.idempotency.servers;

import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Optional;

import org.openqa.selenium.chrome.ChromeDriver;
import org.openqa.selenium.chrome.ChromeDriverService;
import org.openqa.selenium.chrome.ChromeOptions;

import static org.junit.jupiter.api.Assumptions.assumeTrue;

/**
 * A Chromium without a window. Where it is not installed, tests are skipped; but not on
 * CI.
 */
public final class Browser {

	private static final List<Path> BROWSERS = List.of(Path.of("/usr/bin/chromium"), Path.of("/usr/bin/google-chrome"));

	private static final Path DRIVER = Path.of("/usr/bin/chromedriver");

	private Browser() {
	}

	/**
	 * Opens a browser, which the caller quits.
	 * @param arguments further ones, such as for its size
	 */
	public static ChromeDriver open(String... arguments) {
		Optional<Path> browser = BROWSERS.stream().filter(Files::isExecutable).findFirst();
		assumeTrue((browser.isPresent() && Files.isExecutable(DRIVER)) || "true".equals(System.getenv("CI")),
				"Chromium and its driver are not installed");
		ChromeOptions options = new ChromeOptions();
		options.setBinary(browser.orElseThrow().toFile());
		options.addArguments("--headless=new", "--no-sandbox", "--disable-gpu", "--disable-dev-shm-usage",
				"--hide-scrollbars", "--lang=en-GB");
		options.addArguments(arguments);
		return new ChromeDriver(new ChromeDriverService.Builder().usingDriverExecutable(DRIVER.toFile()).build(),
				options);
	}

}
