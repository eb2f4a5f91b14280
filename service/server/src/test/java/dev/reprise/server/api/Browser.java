package dev.reprise.server.api;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.Comparator;
import java.util.Deque;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.openqa.selenium.By;
import org.openqa.selenium.Dimension;
import org.openqa.selenium.Keys;
import org.openqa.selenium.NoSuchElementException;
import org.openqa.selenium.StaleElementReferenceException;
import org.openqa.selenium.WebDriverException;
import org.openqa.selenium.WebElement;
import org.openqa.selenium.WindowType;
import org.openqa.selenium.chrome.ChromeDriver;
import org.openqa.selenium.chrome.ChromeDriverService;
import org.openqa.selenium.chrome.ChromeOptions;
import org.openqa.selenium.support.ui.WebDriverWait;

/**
 * A browser that looks at the console of one service. It is started once for all tests of a virtual
 * machine that use one at a time, since that costs more than most of them; each finds it without
 * cookies, without a cache, and in a new tab.
 */
final class Browser implements AutoCloseable {
  /** What every browser of these tests is started with. */
  static final List<String> ARGUMENTS =
      List.of(
          "--headless=new",
          "--no-sandbox",
          "--disable-gpu",
          "--disable-quic",
          "--no-first-run",
          "--disable-background-networking",
          "--disable-component-update",
          "--disable-sync",
          "--window-size=1440,1200");

  private static final Duration PATIENCE = Duration.ofMinutes(5);
  private static final Dimension WINDOW = new Dimension(1440, 1200);

  /** Started, and not in use. */
  private static final Deque<Started> IDLE = new ArrayDeque<>();

  private record Started(ChromeDriver driver, Path profile) {
    void quit() {
      driver.quit();
      try (Stream<Path> files = Files.walk(profile)) {
        files.sorted(Comparator.reverseOrder()).forEach(file -> file.toFile().delete());
      } catch (IOException | UncheckedIOException e) {
        // The browser may still be removing its own files; the rest goes with the target folder.
      }
    }
  }

  static {
    Runtime.getRuntime().addShutdownHook(new Thread(Browser::quitIdle));
  }

  final ChromeDriver driver;
  private final Started started;
  private final String origin;

  private Browser(Started started, String origin) {
    this.started = started;
    this.driver = started.driver;
    this.origin = origin;
  }

  static Browser open(RunningService api) {
    Started started;
    synchronized (IDLE) {
      started = IDLE.poll();
    }
    return new Browser(
        started == null ? start() : started, "http://127.0.0.1:" + api.service.port());
  }

  private static Started start() {
    Path profile;
    try {
      Path parent = Path.of(System.getProperty("target.dir", "target"));
      profile = Files.createTempDirectory(Files.createDirectories(parent), "browser");
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
    ChromeOptions options = new ChromeOptions();
    options.addArguments(ARGUMENTS);
    options.addArguments("--user-data-dir=" + profile.toAbsolutePath());
    return new Started(
        new ChromeDriver(ChromeDriverService.createDefaultService(), options), profile);
  }

  private static void quitIdle() {
    synchronized (IDLE) {
      for (Started each : IDLE) {
        try {
          each.quit();
        } catch (WebDriverException e) {
          // It has ended by itself.
        }
      }
    }
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

  /**
   * Returns the texts of all such elements that are shown, at one moment: pages are drawn again.
   */
  List<?> shown(String css) {
    return (List<?>)
        driver.executeScript(
            "return [...document.querySelectorAll(arguments[0])]"
                + ".filter(e => e.checkVisibility({visibilityProperty: true}))"
                + ".map(e => e.innerText.trim())",
            css);
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
    try {
      forget();
    } catch (WebDriverException e) {
      // It shows a dialog, or has crashed: the next test gets another one.
      started.quit();
      return;
    }
    synchronized (IDLE) {
      IDLE.push(started);
    }
  }

  /** Leaves nothing of what was seen, and nothing of how this tab was made to look. */
  private void forget() {
    driver.executeCdpCommand(
        "Storage.clearDataForOrigin", Map.of("origin", origin, "storageTypes", "all"));
    Set<String> tabs = driver.getWindowHandles();
    String next = driver.switchTo().newWindow(WindowType.TAB).getWindowHandle();
    for (String tab : tabs) {
      driver.switchTo().window(tab).close();
    }
    driver.switchTo().window(next);
    driver.executeCdpCommand("Network.clearBrowserCookies", Map.of());
    driver.executeCdpCommand("Network.clearBrowserCache", Map.of());
    driver.manage().window().setSize(WINDOW);
  }
}
