package dev.reprise.server.api;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import dev.reprise.server.api.ConsoleData.Page;
import dev.reprise.server.fixture.Browser;
import dev.reprise.server.fixture.RunningService;
import java.awt.image.BufferedImage;
import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.logging.Level;
import javax.imageio.ImageIO;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.openqa.selenium.Keys;
import org.openqa.selenium.OutputType;
import org.openqa.selenium.WebElement;
import org.openqa.selenium.chrome.ChromeDriver;
import org.openqa.selenium.chrome.ChromeOptions;
import org.openqa.selenium.logging.LogEntry;
import org.openqa.selenium.logging.LogType;
import org.openqa.selenium.logging.LoggingPreferences;
import org.openqa.selenium.support.ui.WebDriverWait;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

/**
 * The looks of every page of the console: for those who cannot see it, on a telephone and on a
 * desk, by day and by night, in time. With {@code -Dreprise.pictures=true} every page is drawn into
 * {@code target/screenshots}, as on a wall as well, for a person to look at; without, only what is
 * wrong is, since drawing takes longer than all that is checked.
 */
@Tag("slow")
class ConsoleLooksTest {
  private static final List<String> THEMES = List.of("light", "dark");
  private static final boolean PICTURES = Boolean.getBoolean("reprise.pictures");
  private static final int WALL = 3840;
  private static final List<Integer> WIDTHS =
      PICTURES ? List.of(360, 1440, WALL) : List.of(360, 1440);
  private static final int MAX_BYTES = 300 * 1024;

  private static final String AXE = axe();

  private static final String FINDINGS =
      "const done = arguments[0]; axe.run(document, {resultTypes: ['violations']}).then(r => done("
          + "r.violations.map(v => v.id + ': ' + v.nodes.map(n => n.target.join(' ') + ' ('"
          + " + (n.any[0]?.message || n.all[0]?.message || n.none[0]?.message || v.help) + ')')"
          + ".slice(0, 3).join(', ')).join('\\n')), e => done(String(e)));";

  /** Elements that stand out of a narrow page, except within what scrolls by itself. */
  private static final String WIDE =
      "const w = document.scrollingElement; if (w.scrollWidth <= innerWidth) return '';"
          + " return w.scrollWidth + ' of ' + innerWidth + ': ' + [...document.querySelectorAll("
          + "'main *')].filter(e => e.getBoundingClientRect().right > innerWidth + 1)"
          + ".slice(0, 3).map(e => e.tagName + '.' + e.className).join(', ');";

  /** The room between the head of a narrow page and its content, which there must not be. */
  private static final String GAP =
      "const gap = document.querySelector('main').getBoundingClientRect().top"
          + " - document.querySelector('.side').getBoundingClientRect().bottom;"
          + " return gap < 1 ? '' : gap + ' px';";

  private static final String BYTES =
      "return performance.getEntriesByType('navigation')[0].transferSize"
          + " + performance.getEntriesByType('resource').reduce((n, e) => n + e.transferSize, 0)";

  @TempDir static Path folder;
  private static RunningService full;
  private static RunningService bare;
  private static ConsoleData data;

  @BeforeAll
  static void start() {
    full = RunningService.dev(folder.resolve("full"));
    bare = RunningService.dev(folder.resolve("bare"));
    data = ConsoleData.in(full);
  }

  @AfterAll
  static void stop() {
    if (data != null) {
      data.close();
    }
    full.close();
    bare.close();
  }

  private static String axe() {
    try (InputStream in = ConsoleLooksTest.class.getResourceAsStream("/axe.min.js")) {
      return new String(Objects.requireNonNull(in).readAllBytes(), UTF_8);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  @Test
  void everyPageHasItsLooksWithData() throws IOException {
    assertLooks(full, data.pages(), "");
  }

  @Test
  void everyPageHasItsLooksWithNothing() throws IOException {
    assertLooks(bare, ConsoleData.emptyPages(), "-empty");
  }

  private static void assertLooks(RunningService api, List<Page> pages, String suffix)
      throws IOException {
    Path pictures =
        Files.createDirectories(
            Path.of(System.getProperty("target.dir", "target")).resolve("screenshots"));
    List<String> wrong = new ArrayList<>();
    try (Browser browser = Browser.open(api)) {
      ConsoleWalk walk = new ConsoleWalk(browser);
      for (Page page : pages) {
        walk.widen(1440);
        walk.open(page);
        browser.driver.executeScript(AXE);
        for (String theme : THEMES) {
          walk.use(theme);
          for (int width : WIDTHS) {
            walk.widen(width);
            String name = page.name() + suffix + "-" + width + "-" + theme;
            int before = wrong.size();
            if (page.exists()) {
              assess(browser, width, name, wrong);
            }
            if (PICTURES || wrong.size() > before) {
              Files.write(
                  pictures.resolve(name + ".png"),
                  browser.driver.getScreenshotAs(OutputType.BYTES));
            }
          }
        }
      }
    }
    assertThat(wrong).isEmpty();
  }

  private static void assess(Browser browser, int width, String name, List<String> wrong) {
    if (width == 360) {
      note(wrong, name, "is wider than the screen", browser.run(WIDE));
      note(wrong, name, "has a gap above the content", browser.run(GAP));
    }
    if (width != WALL) {
      note(wrong, name, "axe", browser.driver.executeAsyncScript(FINDINGS));
    }
  }

  private static void note(List<String> wrong, String page, String what, Object found) {
    if (!"".equals(found)) {
      wrong.add(page + ": " + what + ": " + found);
    }
  }

  @Test
  void theFirstPageIsSmall() {
    // Nothing is kept from a page before it.
    try (Browser browser = Browser.open(full)) {
      ConsoleWalk walk = new ConsoleWalk(browser);
      walk.open(data.pages().get(0));
      browser.patiently().until(b -> walk.isQuiet());
      assertThat(((Number) browser.run(BYTES)).longValue())
          .as(() -> String.valueOf(browser.run(ConsoleWalk.RESOURCES)))
          .isBetween(10_000L, (long) MAX_BYTES);
      System.out.println("first page: " + browser.run(BYTES) + " bytes");
    }
  }

  @Test
  void noRequestLeavesTheHost() {
    ChromeOptions options = new ChromeOptions();
    options.addArguments(Browser.ARGUMENTS);
    LoggingPreferences logs = new LoggingPreferences();
    logs.enable(LogType.PERFORMANCE, Level.ALL);
    options.setCapability("goog:loggingPrefs", logs);
    ChromeDriver driver = new ChromeDriver(Browser.driverService(), options);
    try {
      for (Page page : data.pages()) {
        driver.get(full.service.baseUrl() + page.path());
        new WebDriverWait(driver, Duration.ofMinutes(5))
            .until(b -> Boolean.TRUE.equals(driver.executeScript(ConsoleWalk.LOADED)));
      }
      List<String> urls = new ArrayList<>();
      for (LogEntry entry : driver.manage().logs().get(LogType.PERFORMANCE)) {
        JsonNode message = JsonMapper.shared().readTree(entry.getMessage()).get("message");
        if (message.get("method").asString().equals("Network.requestWillBeSent")) {
          urls.add(message.at("/params/request/url").asString());
        }
      }
      assertThat(urls).hasSizeGreaterThan(50);
      assertThat(urls)
          .allMatch(
              url ->
                  url.startsWith(full.service.baseUrl() + "/")
                      || url.startsWith("data:")
                      || url.startsWith("blob:"));
    } finally {
      driver.quit();
    }
  }

  @Test
  void theKeyboardReachesTheContentFirst() {
    try (Browser browser = Browser.open(full)) {
      new ConsoleWalk(browser).open(data.pages().get(0));

      tab(browser);
      assertThat(focused(browser)).isEqualTo("A.skip");
      browser.driver.switchTo().activeElement().sendKeys(Keys.ENTER);
      assertThat(focused(browser)).isEqualTo("MAIN#main");

      new ConsoleWalk(browser).open(data.pages().get(0));
      List<String> order = new ArrayList<>();
      for (int i = 0; i < 40 && !order.contains("main"); i++) {
        tab(browser);
        order.add(
            String.valueOf(
                browser.run(
                    "const e = document.activeElement; return e.closest('main') ? 'main' :"
                        + " e.closest('nav') ? 'nav' : e.closest('footer') ? 'footer' :"
                        + " e.className || e.tagName")));
      }
      assertThat(order).startsWith("skip").containsSubsequence("skip", "brand", "nav");
      assertThat(order.stream().filter("nav"::equals)).hasSizeGreaterThanOrEqualTo(8);
    }
  }

  @Test
  void dialogsKeepTheFocusAndGiveItBack() {
    try (Browser browser = Browser.open(full)) {
      new ConsoleWalk(browser).open(data.pages().get(0));
      browser.run("document.querySelector('nav#navigation a').focus()");
      browser.driver.executeAsyncScript(
          "const done = arguments[0]; import('/console/lib/dialog.js').then(m => {"
              + " globalThis.answer = 'open'; m.ask({title: 'Delete it?', confirm: 'Delete',"
              + " consequences: ['It is gone.'], action: async () => true})"
              + ".then(a => { globalThis.answer = String(a); }); done(); })");
      WebElement dialog = browser.see("dialog[open]");
      assertThat(dialog.getAttribute("aria-labelledby")).isNotBlank();
      for (int i = 0; i < 8; i++) {
        // Between the last and the first the browser itself may have it, which is the body.
        assertThat(
                browser.run(
                    "const e = document.activeElement;"
                        + " return e === document.body || e.closest('dialog') !== null"))
            .isEqualTo(true);
        tab(browser);
      }

      browser.driver.switchTo().activeElement().sendKeys(Keys.ESCAPE);

      browser.seeNo("dialog");
      browser.read("return globalThis.answer", "undefined");
      assertThat(
              browser.run(
                  "return document.activeElement === document.querySelector('nav#navigation a')"))
          .isEqualTo(true);
    }
  }

  @Test
  void noMarkOfAPlotIsDrawnOverAnother() {
    String marks =
        "const c = globalThis.Chart?.getChart('latency-plot'); if (!c) return 'not drawn';"
            + " const at = name => c.scales[name].ticks.map("
            + "t => c.scales[name].getPixelForValue(t.value));"
            + " const apart = Math.min(...at('limit')) - Math.max(...at('latency'));"
            + " c.ctx.font = c.scales.pause.options.title.font.size + 'px '"
            + " + Chart.defaults.font.family;"
            + " const cut = c.ctx.measureText('silence').width - c.scales.pause.height;"
            + " return apart < Chart.defaults.font.size + 2 ? 'marks ' + apart"
            + " : cut > 0 ? 'title ' + cut : 'clear'";
    try (Browser browser = Browser.open(full)) {
      ConsoleWalk walk = new ConsoleWalk(browser);
      browser.open("/subscriptions/" + data.subscriptions.get(2));
      for (int width : List.of(1440, 390)) {
        walk.widen(width);
        browser.read(marks, "clear");
      }
    }
  }

  @Test
  void aWallIsUsedAndFiguresFillTheirRows() {
    String gaps =
        "const made = document.createElement('dl'); made.className = 'figures';"
            + " made.style.width = '40rem'; for (let i = 0; i < 6; i++)"
            + " made.append(document.createElement('div'));"
            + " document.querySelector('main').append(made);"
            + " const gap = Math.round(made.getBoundingClientRect().right"
            + " - made.lastElementChild.getBoundingClientRect().right);"
            + " made.remove(); return String(Math.abs(gap) <= 2)";
    try (Browser browser = Browser.open(full)) {
      ConsoleWalk walk = new ConsoleWalk(browser);
      walk.open(data.pages().get(0));
      walk.widen(WALL);
      browser.read(gaps, "true");
      browser.read(
          "return String(document.querySelector('main').getBoundingClientRect().right"
              + " > innerWidth * 0.9)",
          "true");
    }
  }

  @Test
  void aCardOfATopicHasItsFiguresInOneColumn() {
    try (Browser browser = Browser.open(full)) {
      ConsoleWalk walk = new ConsoleWalk(browser);
      browser.open("/topics");
      browser.see("table.cards td");
      walk.widen(390);
      browser.read(
          "const right = e => { const r = document.createRange(); r.selectNodeContents(e);"
              + " return Math.round(r.getBoundingClientRect().right); };"
              + " return String(new Set([...document.querySelectorAll('td[data-label]')]"
              + ".map(right)).size)",
          "1");
    }
  }

  @Test
  void nothingIsBrighterBesideADialog() throws IOException {
    try (Browser browser = Browser.open(bare)) {
      browser.open("/topics");
      browser.see("main .empty");
      browser.driver.executeAsyncScript(
          "const done = arguments[0]; document.documentElement.dataset.theme = 'light';"
              + " import('/console/lib/dialog.js').then(m => {"
              + " m.ask({title: 'Delete it?', confirm: 'Delete'});"
              + " requestAnimationFrame(() => requestAnimationFrame(() => done())); })");
      BufferedImage drawn =
          ImageIO.read(new ByteArrayInputStream(browser.driver.getScreenshotAs(OutputType.BYTES)));
      int low = drawn.getHeight() - 20;
      assertThat(grey(drawn.getRGB(drawn.getWidth() - 3, low)))
          .isCloseTo(grey(drawn.getRGB(drawn.getWidth() - 60, low)), within(6));
    }
  }

  private static int grey(int rgb) {
    return ((rgb >> 16 & 255) + (rgb >> 8 & 255) + (rgb & 255)) / 3;
  }

  @Test
  void theKeyboardReachesWhatIsCutAndWhyAButtonIsDisabled() {
    try (Browser browser = Browser.open(full)) {
      browser.resize(900, 900);
      browser.open("/subscriptions");
      browser.see("table .endpoint");
      String cut =
          "const e = [...document.querySelectorAll('table .endpoint')]"
              + ".find(e => e.scrollHeight > e.clientHeight + 1)";
      browser.read(cut + "; return String(e !== undefined)", "true");
      browser.read(
          cut
              + "; e.closest('tr').querySelector('a').focus();"
              + " return String(e.scrollHeight <= e.clientHeight + 1)",
          "true");
      browser.open("/subscriptions/" + data.subscriptions.get(5));
      browser.see("#test");
      browser.read(
          "const b = document.querySelector('#test'); b.focus(); return"
              + " document.activeElement === b"
              + " && document.getElementById(b.getAttribute('aria-describedby'))?.innerText",
          "It is suspended: release it first.");
    }
  }

  private static void tab(Browser browser) {
    browser.driver.switchTo().activeElement().sendKeys(Keys.TAB);
  }

  private static String focused(Browser browser) {
    return String.valueOf(
        browser.run(
            "const e = document.activeElement; return e.tagName + (e.id ? '#' + e.id : e.className"
                + " ? '.' + e.className : '')"));
  }
}
