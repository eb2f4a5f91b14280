package dev.reprise.server.api;

import static org.assertj.core.api.Assertions.assertThat;

import java.net.URLEncoder;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.openqa.selenium.By;
import org.openqa.selenium.Keys;
import org.openqa.selenium.NoSuchElementException;
import org.openqa.selenium.WebElement;
import org.openqa.selenium.chrome.ChromeDriver;
import org.openqa.selenium.chrome.ChromeDriverService;
import org.openqa.selenium.chrome.ChromeOptions;
import org.openqa.selenium.support.ui.Select;
import org.openqa.selenium.support.ui.WebDriverWait;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

/** The policy editor and the lab, as a browser shows them. */
@Tag("slow")
@Tag("one-jdk")
class PolicyPagesTest {
  /** The rows of the schedule as the page has them: {@code stage delay times}, one a line. */
  private static final String ROWS =
      "return [...document.querySelectorAll('#schedule-table tbody tr')].map(r => "
          + "r.dataset.stage + ' ' + r.dataset.delayMillis + ' ' + r.dataset.times).join('\\n')";

  /** The bars that Chart.js has drawn, in milliseconds. */
  private static final String BARS =
      "const c = document.querySelector('#schedule'); const d = c && globalThis.Chart?.getChart(c);"
          + " return d ? d.data.datasets.find(s => s.label === 'delay').data.join(' ') : ''";

  private static final int MAX_BARS = 300;

  @TempDir static Path folder;
  private static RunningService api;
  private static ChromeDriver browser;

  @BeforeAll
  static void start() {
    api = RunningService.dev(folder);
    ChromeOptions options = new ChromeOptions();
    options.addArguments("--headless=new", "--no-sandbox", "--window-size=1440,1200");
    browser = new ChromeDriver(ChromeDriverService.createDefaultService(), options);
  }

  @AfterAll
  static void stop() {
    if (browser != null) {
      browser.quit();
    }
    api.close();
  }

  private static void open(String path) {
    browser.get("http://127.0.0.1:" + api.service.port() + path);
  }

  private static WebDriverWait patiently() {
    return new WebDriverWait(browser, Duration.ofMinutes(1));
  }

  private static WebElement see(String css) {
    return patiently()
        .ignoring(NoSuchElementException.class)
        .until(b -> b.findElement(By.cssSelector(css)));
  }

  private static void read(String script, String expected) {
    patiently()
        .withMessage(
            () -> "expected " + expected + ", and there is " + browser.executeScript(script))
        .until(b -> expected.equals(browser.executeScript(script)));
  }

  @Test
  void theDrawnScheduleIsTheOneOfTheVectors() {
    JsonNode vectors =
        JsonMapper.shared()
            .readTree(PolicyPagesTest.class.getResourceAsStream("/vectors/staged-schedules.json"));
    int drawn = 0;
    for (JsonNode vector : vectors) {
      JsonNode fields = vector.get("healthyRetryPolicy");
      if (fields.get("numRetries").intValue() > 100) {
        // Only presets may have so many, and documents may not.
        continue;
      }
      String document = "{\"healthyRetryPolicy\":" + fields + "}";
      open("/policies?document=" + URLEncoder.encode(document, StandardCharsets.UTF_8));
      List<String> rows = new ArrayList<>();
      List<String> bars = new ArrayList<>();
      for (JsonNode delay : vector.get("delays")) {
        String millis = delay.get("delayMillis").toString();
        int times = delay.get("times").intValue();
        rows.add(delay.get("stage").stringValue() + " " + millis + " " + times);
        for (int i = 0; i < times && bars.size() < MAX_BARS; i++) {
          bars.add(millis);
        }
      }
      read(ROWS, String.join("\n", rows));
      if (!bars.isEmpty()) {
        read(BARS, String.join(" ", bars));
        drawn++;
      }
    }
    assertThat(drawn).isGreaterThan(3);
  }

  @Test
  void theScheduleIsDrawnAsOneTypesAndTheJsonFollows() {
    open("/policies");
    WebElement retries = see("#f-healthyRetryPolicy-numNoDelayRetries");
    retries.sendKeys(Keys.chord(Keys.CONTROL, "a"), "1");

    patiently()
        .until(b -> String.valueOf(browser.executeScript(ROWS)).startsWith("immediate 0 1\n"));
    assertThat(see("#json").getDomProperty("value")).contains("\"numNoDelayRetries\": 1");
    see(".figures");
    patiently()
        .until(b -> b.findElement(By.cssSelector(".sentences")).getText().contains("outage of"));

    WebElement json = see("#json");
    json.sendKeys(Keys.chord(Keys.CONTROL, "a"), "{\"healthyRetryPolicy\":{\"numRetries\":101}}");
    patiently().until(b -> b.findElement(By.cssSelector("[role=alert]")).getText().contains("100"));
  }

  @Test
  void aPolicyIsSavedOnceItsConsequencesWereSeen() {
    api.put("/v1/topics/orders", "{}");
    api.post("/v1/topics/orders/subscriptions", "{\"endpoint\":\"http://127.0.0.1:1/x\"}");
    open(
        "/policies?document="
            + URLEncoder.encode(
                "{\"healthyRetryPolicy\":{\"numRetries\":7}}", StandardCharsets.UTF_8));
    see("#schedule-table");
    new Select(see("#topic")).selectByValue("orders");
    see("form.filter button.primary").click();

    assertThat(see("dialog .consequences").getText()).contains("1 subscription will follow it");
    see("dialog button.primary").click();

    patiently()
        .until(
            b ->
                api.get("/v1/topics/orders")
                        .json()
                        .at("/policy/healthyRetryPolicy/numRetries")
                        .asInt(0)
                    == 7);
  }

  @Test
  void theLabRunsAFleetAndShowsItsReport() {
    open("/lab");
    WebElement devices = see("#fleet-devices");
    devices.sendKeys(Keys.chord(Keys.CONTROL, "a"), "2000");
    see("#run").click();

    see("#result[data-state=done] .sentences li");
    // Until it has loaded, the frame holds another document; so it is entered anew each time.
    patiently().until(b -> isReportDrawn());
    // The report has said how high it is.
    patiently()
        .until(b -> b.findElement(By.cssSelector("#result iframe")).getSize().getHeight() > 1200);
  }

  private static boolean isReportDrawn() {
    browser.switchTo().defaultContent();
    browser.switchTo().frame(see("#result iframe"));
    try {
      return Boolean.TRUE.equals(
          browser.executeScript(
              "const c = document.querySelector('#connected canvas');"
                  + " return Boolean(c && Chart.getChart(c))"));
    } finally {
      browser.switchTo().defaultContent();
    }
  }
}
