package dev.reprise.server.api;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Comparator;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.openqa.selenium.By;
import org.openqa.selenium.Dimension;
import org.openqa.selenium.Keys;
import org.openqa.selenium.NoSuchElementException;
import org.openqa.selenium.StaleElementReferenceException;
import org.openqa.selenium.WebElement;
import org.openqa.selenium.chrome.ChromeDriver;
import org.openqa.selenium.chrome.ChromeDriverService;
import org.openqa.selenium.chrome.ChromeOptions;
import org.openqa.selenium.support.ui.WebDriverWait;

/** A browser with a profile of its own, which looks at the console of one service. */
final class Browser implements AutoCloseable {
  private static final Duration PATIENCE = Duration.ofMinutes(1);

  final ChromeDriver driver;
  private final Path profile;
  private final String origin;

  private Browser(ChromeDriver driver, Path profile, String origin) {
    this.driver = driver;
    this.profile = profile;
    this.origin = origin;
  }

  static Browser open(RunningService api) {
    Path profile;
    try {
      Path parent = Path.of(System.getProperty("target.dir", "target"));
      profile = Files.createTempDirectory(Files.createDirectories(parent), "browser");
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
    ChromeOptions options = new ChromeOptions();
    options.addArguments(
        "--headless=new",
        "--no-sandbox",
        "--disable-gpu",
        "--disable-quic",
        "--no-first-run",
        "--disable-background-networking",
        "--disable-component-update",
        "--disable-sync",
        "--window-size=1440,1200",
        "--user-data-dir=" + profile.toAbsolutePath());
    return new Browser(
        new ChromeDriver(ChromeDriverService.createDefaultService(), options),
        profile,
        "http://127.0.0.1:" + api.service.port());
  }

  /** Opens a page of the console, such as {@code /topics}. */
  void open(String path) {
    driver.get(origin + path);
  }

  /** Signs in with a key, and waits for the page behind. */
  void signIn(String key) {
    open("/");
    see("#key").sendKeys(key + Keys.ENTER);
    see("main#main");
  }

  WebDriverWait patiently() {
    WebDriverWait wait = new WebDriverWait(driver, PATIENCE);
    // A page that is drawn again while a test looks at it is looked at again.
    wait.ignoring(NoSuchElementException.class, StaleElementReferenceException.class);
    return wait;
  }

  /** Waits for an element that is shown. */
  WebElement see(String css) {
    return patiently()
        .withMessage(() -> "expected " + css + " in: " + text())
        .until(
            b -> {
              WebElement found = b.findElement(By.cssSelector(css));
              return found.isDisplayed() ? found : null;
            });
  }

  /** Waits for an element that has a text. */
  void see(String css, String text) {
    patiently()
        .withMessage(() -> "expected " + text + " in " + css + " of: " + text())
        .until(b -> b.findElement(By.cssSelector(css)).getText().contains(text));
  }

  /** Waits until no such element is left. */
  void seeNo(String css) {
    patiently()
        .withMessage(() -> "expected no " + css)
        .until(b -> b.findElements(By.cssSelector(css)).isEmpty());
  }

  /** Waits for a button or a link with a text, below what the selector names, and presses it. */
  void press(String css, String text) {
    patiently()
        .withMessage(() -> "expected " + text + " to press in " + css + " of: " + text())
        .until(
            b -> {
              for (WebElement each : b.findElements(By.cssSelector(css))) {
                if (each.getText().strip().equals(text) && each.isEnabled()) {
                  each.click();
                  return true;
                }
              }
              return false;
            });
  }

  /** Types a text in the place of what a field has. */
  void type(String css, String text) {
    WebElement field = see(css);
    field.sendKeys(Keys.chord(Keys.CONTROL, "a"), Keys.BACK_SPACE);
    field.sendKeys(text);
  }

  /** Waits until a script returns a text. */
  void read(String script, String expected) {
    patiently()
        .withMessage(
            () -> "expected " + expected + ", and there is " + driver.executeScript(script))
        .until(b -> expected.equals(driver.executeScript(script)));
  }

  @Nullable Object run(String script) {
    return driver.executeScript(script);
  }

  void resize(int width, int height) {
    driver.manage().window().setSize(new Dimension(width, height));
  }

  private String text() {
    return driver.findElement(By.tagName("body")).getText();
  }

  @Override
  public void close() {
    driver.quit();
    try (Stream<Path> files = Files.walk(profile)) {
      files.sorted(Comparator.reverseOrder()).forEach(file -> file.toFile().delete());
    } catch (IOException | UncheckedIOException e) {
      // The browser may still be removing its own files; the rest goes with the target folder.
    }
  }
}
