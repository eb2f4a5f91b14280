package dev.reprise.server.api;

import static org.assertj.core.api.Assertions.assertThat;

import dev.reprise.server.fixture.Browser;
import dev.reprise.server.fixture.RunningService;
import java.net.URLEncoder;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.assertj.core.api.InstanceOfAssertFactories;
import org.assertj.core.data.Offset;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.openqa.selenium.By;
import org.openqa.selenium.Dimension;
import org.openqa.selenium.Keys;
import org.openqa.selenium.Rectangle;
import org.openqa.selenium.WebElement;
import org.openqa.selenium.support.ui.Select;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

/** The policy editor and the lab, as a browser shows them. */
@Tag("slow")
class PolicyPagesTest {
  /** The rows of the schedule as the page has them: {@code stage delay times}, one a line. */
  private static final String ROWS =
      "return [...document.querySelectorAll('#schedule-table tbody tr')].map(r => "
          + "r.dataset.stage + ' ' + r.dataset.delayMillis + ' ' + r.dataset.times).join('\\n')";

  /** The bars that Chart.js has drawn, in milliseconds. */
  private static final String BARS =
      "const c = document.querySelector('#schedule'); const d = c && globalThis.Chart?.getChart(c);"
          + " return d ? d.data.datasets.find(s => s.label === 'delay').data.join(' ') : ''";

  /** The fields of the form that nothing is said about. */
  private static final String WITHOUT_HINT =
      "return [...document.querySelectorAll('.fields .field')].filter(f =>"
          + " !f.querySelector('.hint')?.textContent.trim() || !f.querySelector('.range'))"
          + ".map(f => f.querySelector('.name').textContent).join(' ')";

  /** Pixels that the longest line of the JSON leaves. */
  private static final String SPARE_WIDTH =
      "const t = document.querySelector('#json'); const s = getComputedStyle(t);"
          + " const c = document.createElement('canvas').getContext('2d'); c.font = s.font;"
          + " const longest = Math.max(...t.value.split('\\n').map(l => c.measureText(l).width));"
          + " return t.clientWidth - parseFloat(s.paddingLeft) - parseFloat(s.paddingRight)"
          + " - longest + 0.001";

  /** How many panels begin at the top of the page's columns. */
  private static final String BESIDE_EACH_OTHER =
      "const tops = [...document.querySelectorAll('.editor .panel')]"
          + ".map(p => Math.round(p.getBoundingClientRect().top));"
          + " return tops.filter(t => t === Math.min(...tops)).length";

  private static final int MAX_BARS = 300;

  @TempDir static Path folder;
  private static RunningService api;
  private static Browser browser;

  @BeforeAll
  static void start() {
    api = RunningService.dev(folder);
    browser = Browser.open(api);
  }

  @AfterAll
  static void stop() {
    if (browser != null) {
      browser.close();
    }
    api.close();
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
      browser.open("/policies?document=" + encoded(document));
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
      browser.read(ROWS, String.join("\n", rows));
      if (!bars.isEmpty()) {
        browser.read(BARS, String.join(" ", bars));
        drawn++;
      }
    }
    assertThat(drawn).isGreaterThan(3);
  }

  @Test
  void theScheduleIsDrawnAsOneTypesAndTheJsonFollows() {
    browser.open("/policies");
    WebElement retries = browser.see("#f-healthyRetryPolicy-numNoDelayRetries");
    retries.sendKeys(Keys.chord(Keys.CONTROL, "a"), "1");

    browser.patiently().until(b -> String.valueOf(browser.run(ROWS)).startsWith("immediate 0 1\n"));
    assertThat(browser.see("#json").getDomProperty("value")).contains("\"numNoDelayRetries\": 1");
    browser.see(".figures");
    browser
        .patiently()
        .until(b -> b.findElement(By.cssSelector(".sentences")).getText().contains("outage of"));

    WebElement json = browser.see("#json");
    json.sendKeys(Keys.chord(Keys.CONTROL, "a"), "{\"healthyRetryPolicy\":{\"numRetries\":101}}");
    browser
        .patiently()
        .until(b -> b.findElement(By.cssSelector("[role=alert]")).getText().contains("100"));
  }

  @Test
  void everyFieldSaysItsUnitRangeAndDefault() {
    browser.open("/policies");
    browser.see("#f-healthyRetryPolicy-numRetries");

    assertThat(hint("healthyRetryPolicy-numRetries")).contains("0 to 100; default 3");
    assertThat(hint("healthyRetryPolicy-numNoDelayRetries")).contains("0 or more; default 0");
    assertThat(hint("healthyRetryPolicy-minDelayTarget"))
        .contains("in seconds", "250ms", "0 to 3600; default 20");
    assertThat(hint("healthyRetryPolicy-maxDelayTarget"))
        .contains("in seconds", "at least minDelayTarget", "0 to 3600; default 20");
    assertThat(hint("healthyRetryPolicy-backoffFunction")).contains("default linear");
    assertThat(hint("disableSubscriptionOverrides"))
        .contains("Ignore Subscription Replace", "default false");
    assertThat(String.valueOf(browser.run(WITHOUT_HINT))).isEmpty();

    browser.open("/policies?document=" + encoded("{\"backoff\":{\"type\":\"exponential\"}}"));
    new Select(browser.see("#format")).selectByValue("general");
    browser.see("#f-maxAttempts");
    assertThat(hint("maxAttempts")).contains("default 3");
    assertThat(String.valueOf(browser.run(WITHOUT_HINT))).isEmpty();
  }

  @Test
  void theRateAndEachBackoffFunctionAreOfferedOnce() {
    browser.open(
        "/policies?document=" + encoded("{\"healthyRetryPolicy\":{},\"throttlePolicy\":{}}"));
    Select function = new Select(browser.see("#f-healthyRetryPolicy-backoffFunction"));
    assertThat(function.getOptions().stream().map(WebElement::getText))
        .containsExactly(
            "linear (default)",
            "linear (α = 1)",
            "arithmetic (α = 2)",
            "geometric (also geometry, α = 4)",
            "exponential (also indicator, α = 10)");
    assertThat(rates()).isEqualTo("f-throttlePolicy-maxReceivesPerSecond");

    browser.open(
        "/policies?document="
            + encoded(
                "{\"healthyRetryPolicy\":{\"backoffFunction\":\"Indicator\",\"maxReceivesPerSecond\":5}}"));
    function = new Select(browser.see("#f-healthyRetryPolicy-backoffFunction"));
    assertThat(function.getFirstSelectedOption().getText()).startsWith("exponential");
    assertThat(rates()).isEqualTo("f-healthyRetryPolicy-maxReceivesPerSecond");
    assertThat(hint("healthyRetryPolicy-maxReceivesPerSecond")).contains("that one holds");
  }

  @Test
  void aBrokenPolicyHasNoScheduleAndIsToldOnce() {
    browser.open("/policies");
    browser.see("#schedule-table");
    browser.see(".figures");

    type("#f-healthyRetryPolicy-numRetries", "5");
    browser.see("#no-schedule");
    browser.see("#no-forecast");
    String page = browser.see("main").getText();
    assertThat(page.split("3 \\+ 4 \\+ 4 = 11", -1)).hasSize(2);
    assertThat(page).doesNotContain("Try again", "21 attempts");
    assertThat(browser.driver.findElements(By.cssSelector("#schedule-table, .figures"))).isEmpty();

    type("#f-healthyRetryPolicy-numRetries", "20");
    browser.see("#schedule-table");
    browser.see(".figures");
    type("#outage-span", "x");
    browser
        .patiently()
        .until(b -> browser.see("main").getText().contains("outage is x: must be a span"));
    assertThat(browser.see("main").getText()).doesNotContain("Try again");
    assertThat(browser.driver.findElements(By.cssSelector(".figures"))).isEmpty();

    type("#json", "{");
    assertThat(browser.see("#json-wrong").getText()).contains("not JSON");
    browser.see("#no-schedule");
  }

  /** Replaces what stands in a field. */
  private static void type(String field, String text) {
    browser.see(field).sendKeys(Keys.chord(Keys.CONTROL, "a"), text);
  }

  private static String rates() {
    return String.valueOf(
        browser.run(
            "return [...document.querySelectorAll('input[id$=maxReceivesPerSecond]')]"
                + ".map(i => i.id).join(' ')"));
  }

  private static String hint(String field) {
    return browser.see("#f-" + field + "-s").getText();
  }

  private static String encoded(String document) {
    return URLEncoder.encode(document, StandardCharsets.UTF_8);
  }

  @Test
  void theJsonOfAPolicyFitsItsColumn() {
    browser.open(
        "/policies?document="
            + encoded(
                "{\"healthyRetryPolicy\":{\"backoffFunction\":\"linear\"},\"disableSubscriptionOverrides\":false}"));
    browser.see("#schedule-table");
    assertThat(browser.run(SPARE_WIDTH))
        .asInstanceOf(InstanceOfAssertFactories.DOUBLE)
        .isPositive();
  }

  @Test
  void aWallHasNoEmptyPartsOfThePage() {
    Dimension desk = browser.driver.manage().window().getSize();
    try {
      browser.resize(3840, 2160);
      browser.open("/policies");
      browser.see("#schedule-table");
      browser.see(".figures");
      assertThat(rightEdge("section[aria-labelledby=outage-h]")).isGreaterThan(0.9 * 3840);
      assertThat(rightEdge(".figures > :last-child"))
          .isCloseTo(rightEdge(".figures"), Offset.offset(3.0));
      assertThat(browser.run(BESIDE_EACH_OTHER)).isEqualTo(4L);
    } finally {
      browser.resize(desk.getWidth(), desk.getHeight());
    }
  }

  private static double rightEdge(String element) {
    WebElement found = browser.see(element);
    Rectangle place = found.getRect();
    return (double) place.getX() + place.getWidth();
  }

  @Test
  void aPolicyIsSavedOnceItsConsequencesWereSeen() {
    api.put("/v1/topics/orders", "{}");
    api.post("/v1/topics/orders/subscriptions", "{\"endpoint\":\"http://127.0.0.1:1/x\"}");
    browser.open("/policies?document=" + encoded("{\"healthyRetryPolicy\":{\"numRetries\":7}}"));
    browser.see("#schedule-table");
    new Select(browser.see("#topic")).selectByValue("orders");
    browser.see("form.filter button.primary").click();

    assertThat(browser.see("dialog .consequences").getText())
        .contains("1 subscription will follow it");
    browser.see("dialog button.primary").click();

    browser
        .patiently()
        .until(
            b ->
                api.get("/v1/topics/orders")
                        .json()
                        .at("/policy/healthyRetryPolicy/numRetries")
                        .asInt(0)
                    == 7);
  }

  @Test
  void aSubscriptionSaysThatItsTopicOverridesIt() {
    api.put("/v1/topics/insisting", "{\"disableSubscriptionOverrides\":true}");
    String id =
        api.post(
                "/v1/topics/insisting/subscriptions",
                "{\"endpoint\":\"http://127.0.0.1:1/x\",\"policy\":{\"healthyRetryPolicy\":{\"numRetries\":7}}}")
            .json()
            .get("id")
            .stringValue();
    browser.open("/subscriptions/" + id);
    assertThat(browser.see("#overridden").getText())
        .contains("Its own policy has no effect: topic insisting overrides it");
    browser.see("#edit").click();
    assertThat(browser.see("dialog #sub-policy-hint").getText())
        .contains("no effect", "topic insisting", "Ignore Subscription Replace");

    api.put("/v1/topics/insisting", "{}");
    browser.open("/subscriptions/" + id);
    browser.see("#edit").click();
    browser.see("dialog #sub-policy");
    assertThat(browser.driver.findElements(By.cssSelector("#overridden, #sub-policy-hint")))
        .isEmpty();
  }

  @Test
  void theLabRunsAFleetAndShowsItsReport() {
    browser.open("/lab");
    WebElement devices = browser.see("#fleet-devices");
    devices.sendKeys(Keys.chord(Keys.CONTROL, "a"), "2000");
    browser.see("#run").click();

    browser.see("#result[data-state=done] .sentences li");
    // Until it has loaded, the frame holds another document; so it is entered anew each time.
    browser.patiently().until(b -> isReportDrawn());
    // The report has said how high it is.
    browser
        .patiently()
        .until(b -> b.findElement(By.cssSelector("#result iframe")).getSize().getHeight() > 1200);
  }

  private static boolean isReportDrawn() {
    browser.driver.switchTo().defaultContent();
    browser.driver.switchTo().frame(browser.see("#result iframe"));
    try {
      return Boolean.TRUE.equals(
          browser.run(
              "const c = document.querySelector('#connected canvas');"
                  + " return Boolean(c && Chart.getChart(c))"));
    } finally {
      browser.driver.switchTo().defaultContent();
    }
  }
}
