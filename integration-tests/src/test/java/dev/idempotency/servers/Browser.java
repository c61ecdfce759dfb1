package dev.idempotency.servers;

import java.nio.file.Files;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;

import dev.idempotency.fixtures.SlowTests;
import dev.idempotency.fixtures.Unchecked;
import org.openqa.selenium.OutputType;
import org.openqa.selenium.chrome.ChromeDriver;
import org.openqa.selenium.chrome.ChromeDriverService;
import org.openqa.selenium.chrome.ChromeOptions;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

/**
 * A Chromium without a window. Where it is not installed, tests are skipped; but not on
 * CI.
 */
public final class Browser {

	private static final List<Path> BROWSERS = List.of(Path.of("/usr/bin/chromium"), Path.of("/usr/bin/google-chrome"));

	private static final Path DRIVER = Path.of("/usr/bin/chromedriver");

	/**
	 * Where the pictures of the documentation are renewed:
	 * {@code -Dpictures=docs/images}.
	 */
	private static final String PICTURES = System.getProperty("pictures", "");

	private static final int PHONE = 390;

	private Browser() {
	}

	/**
	 * Opens a browser, which the caller quits.
	 * @param arguments further ones, such as for its size
	 */
	public static ChromeDriver open(String... arguments) {
		SlowTests.require();
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

	/**
	 * Makes a browser that of a phone in the dark for a while.
	 */
	public static void onAPhoneInTheDark(ChromeDriver browser, Runnable look) {
		browser.executeCdpCommand("Emulation.setDeviceMetricsOverride",
				new HashMap<>(Map.of("width", PHONE, "height", 844, "deviceScaleFactor", 1, "mobile", true)));
		browser.executeCdpCommand("Emulation.setEmulatedMedia",
				new HashMap<>(Map.of("features", List.of(Map.of("name", "prefers-color-scheme", "value", "dark")))));
		try {
			look.run();
			assertThat(browser.executeScript("return document.documentElement.scrollWidth"))
				.as("nothing is wider than a phone")
				.isEqualTo((long) PHONE);
			assertThat(browser.executeScript("return getComputedStyle(document.body).backgroundColor"))
				.as("the page is dark")
				.isEqualTo("rgb(17, 21, 28)");
		}
		finally {
			browser.executeCdpCommand("Emulation.clearDeviceMetricsOverride", new HashMap<>());
			browser.executeCdpCommand("Emulation.setEmulatedMedia", new HashMap<>(Map.of("features", List.of())));
		}
	}

	/**
	 * What can be operated on a page, and has no name that could be read out.
	 */
	public static List<?> withoutName(ChromeDriver browser) {
		return (List<?>) browser
			.executeScript("return [...document.querySelectorAll('button,input,select,progress,meter')].filter((it) => "
					+ "!it.textContent.trim() && !it.getAttribute('aria-label') && !it.getAttribute('aria-labelledby')"
					+ " && !(it.labels && it.labels.length)).map((it) => it.outerHTML)");
	}

	/**
	 * What the browser had to complain of since it was last asked.
	 */
	public static List<String> complaints(ChromeDriver browser) {
		return browser.manage().logs().get("browser").getAll().stream().map(Object::toString).toList();
	}

	/**
	 * Takes a picture for the documentation, if someone wants it renewed.
	 */
	public static void picture(ChromeDriver browser, String name) {
		if (!PICTURES.isEmpty()) {
			Unchecked.run(() -> {
				Path folder = Files.createDirectories(Path.of(PICTURES));
				Files.write(folder.resolve(name + ".png"), browser.getScreenshotAs(OutputType.BYTES));
			});
		}
	}

}
