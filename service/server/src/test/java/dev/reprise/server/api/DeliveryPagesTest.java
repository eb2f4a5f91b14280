package dev.reprise.server.api;

import static org.assertj.core.api.Assertions.assertThat;

import dev.reprise.server.fixture.Browser;
import dev.reprise.server.fixture.RunningService;
import dev.reprise.server.fixture.ScriptedEndpoint;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.openqa.selenium.Keys;
import tools.jackson.databind.JsonNode;

/** Deliveries, endpoints and dead letters, as a browser shows them. */
@Tag("slow")
class DeliveryPagesTest {
  private static final String HOSTILE =
      "<script>window.owned=1</script><img src=x onerror=\"window.owned=2\">";

  private static final String ONE_ATTEMPT =
      "\"policy\":{\"healthyRetryPolicy\":{\"numRetries\":0,\"numMaxDelayRetries\":0}}";

  /** Waits a minute before the first retry. */
  private static final String PATIENT =
      "\"policy\":{\"healthyRetryPolicy\":{\"numRetries\":5,\"minDelayTarget\":60,"
          + "\"maxDelayTarget\":60}}";

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

  private static String subscribe(String topic, ScriptedEndpoint endpoint, String more) {
    return api.subscribe(
        topic,
        "{\"endpoint\":\"" + endpoint.url() + "\"" + (more.isEmpty() ? "" : "," + more) + "}");
  }

  private static String publish(String topic, int number) {
    return api.publish(
        topic,
        "{\"body\":{\"n\":"
            + number
            + "},\"attributes\":{\"n\":\""
            + number
            + "\",\"note\":\"<b>bold</b>\"}}");
  }

  private static JsonNode awaitStatus(String message, String id, String status) {
    return api.await(
        "/v1/deliveries/" + message + "@" + id, d -> d.get("status").asString().equals(status));
  }

  private static void awaitAttempts(String message, String id, int attempts) {
    api.await(
        "/v1/deliveries/" + message + "@" + id,
        d -> d.get("attempts").asInt() == attempts && !d.get("inFlight").asBoolean());
  }

  private static void ranNothing() {
    assertThat(browser.run("return window.owned ?? null")).isNull();
    assertThat(browser.run("return document.querySelector('main img')")).isNull();
  }

  @Test
  void aFailingDeliveryIsFoundByDrillingDown() {
    try (ScriptedEndpoint endpoint = new ScriptedEndpoint().withBody(HOSTILE).always(503)) {
      endpoint.withHeader("Retry-After", "120");
      String id = subscribe("drilled", endpoint, PATIENT);
      String message = publish("drilled", 1);
      awaitAttempts(message, id, 1);

      browser.open("/deliveries");
      browser.press("main th a", "drilled");
      browser.press("main th a", id);
      browser.see("nav.tabs", "Pending 1");
      browser.press("main .rows a", message);

      browser.see("#sentence", "Retry 1 is due at");
      browser.see(
          "#sentence", "stage “backoff” says 60 s, the endpoint asked for 120 s by Retry-After.");
      browser.see(".timeline", "Attempt 1 503 Service Unavailable");
      browser.see(".timeline .response", HOSTILE);
      browser.see("main", "<b>bold</b>");
      ranNothing();
    }
  }

  @Test
  void aListSaysWhatCameOfTheLastAttemptAndCutsNothing() {
    try (ScriptedEndpoint endpoint = new ScriptedEndpoint().always(503)) {
      endpoint.withHeader("Retry-After", "120");
      String id = subscribe("reasoned", endpoint, PATIENT);
      awaitAttempts(publish("reasoned", 1), id, 1);

      browser.open("/subscriptions/" + id + "/deliveries?status=pending");
      browser.see("main .rows .why", "503 Service Unavailable");
      browser.see("main .rows .why", "retry 1, backoff stage: the endpoint asked for 120 s");
      browser.read(
          "const e = document.querySelector('.rows .why');"
              + " return String(e.scrollWidth <= e.clientWidth && e.scrollHeight <= e.clientHeight"
              + " && getComputedStyle(e).whiteSpace !== 'nowrap')",
          "true");
    }
  }

  @Test
  void aListSaysThatASuspendedSubscriptionHoldsItsDeliveries() {
    try (ScriptedEndpoint endpoint = new ScriptedEndpoint()) {
      String id = subscribe("resting", endpoint, "\"startSuspended\":true");
      String message = publish("resting", 1);

      for (String path :
          List.of("/subscriptions/" + id + "/deliveries", "/deliveries?message=" + message)) {
        browser.open(path);
        browser.see("main tbody", "held: the subscription is suspended");
        assertThat(browser.see("main tbody").getText()).doesNotContain("due at once");
      }
    }
  }

  @Test
  void aMessageIsFoundByItsId() {
    try (ScriptedEndpoint endpoint = new ScriptedEndpoint()) {
      String id = subscribe("found", endpoint, "");
      String message = publish("found", 1);
      awaitStatus(message, id, "delivered");

      browser.open("/deliveries");
      browser.type("#find", "42" + Keys.ENTER);
      browser.see("#find-wrong", "A message id looks like");
      browser.type("#find", message + Keys.ENTER);
      browser.press("main th a", id);

      browser.see("#sentence", "Delivered at");
      browser.see("#sentence", "by attempt 1");
      browser.open("/subscriptions/" + id + "/deliveries?status=delivered&limit=1000");
      browser.see("main .rows", message);
    }
  }

  @Test
  void whatThereIsNotHasAHeadingAndAWayOn() {
    api.put("/v1/topics/unheard", "{}");
    String message = publish("unheard", 1);
    Map<String, String> pages =
        Map.of(
            "/deliveries/nope",
            "This address is not right",
            "/deliveries?message=nope",
            "This address is not right",
            "/deliveries/" + message + "@nope-1",
            "No such delivery",
            "/topics/nope",
            "No such topic",
            "/policies/nope",
            "There is no such thing",
            "/subscriptions/nope",
            "No such subscription",
            "/subscriptions/nope/deliveries",
            "There is no such thing",
            "/subscriptions/nope/dead-letters",
            "No such subscription");
    pages.forEach(
        (path, heading) -> {
          browser.open(path);
          browser.see("main h1", heading);
          browser.see("main a[href]");
          assertThat(browser.shown("main button").contains("Try again")).as(path).isFalse();
        });
  }

  @Test
  void anAttemptIsMadeNow() {
    try (ScriptedEndpoint endpoint = new ScriptedEndpoint().then(503, "3600")) {
      String id = subscribe("hurried", endpoint, PATIENT);
      String message = publish("hurried", 1);
      awaitAttempts(message, id, 1);

      browser.open("/deliveries/" + message + "@" + id);
      browser.see("#attempt").click();
      browser.see("dialog .consequences", "If the endpoint has asked for silence, that ends.");
      browser.press("dialog button", "Attempt now");
      browser.see("dialog", "1 delivery was made due.");
      browser.press("dialog button", "Close");

      awaitStatus(message, id, "delivered");
      browser.see("#sentence", "by attempt 2");
      browser.see(".timeline", "Somebody asked for an attempt now");
    }
  }

  @Test
  void aDeliveryIsCancelledAndRedriven() {
    try (ScriptedEndpoint endpoint = new ScriptedEndpoint().then(503, null)) {
      String id = subscribe("cancelled", endpoint, PATIENT);
      String message = publish("cancelled", 1);
      awaitAttempts(message, id, 1);

      browser.open("/deliveries/" + message + "@" + id);
      browser.see("#cancel").click();
      browser.press("dialog button", "Cancel the delivery");
      browser.see("dialog", "1 delivery was given up.");
      browser.press("dialog button", "Close");
      JsonNode cancelled = awaitStatus(message, id, "dead-lettered");
      assertThat(cancelled.get("stopReason").asString()).isEqualTo("CANCELLED");
      browser.see("#sentence", "it was cancelled");

      browser.see("#redrive").click();
      browser.press("dialog button", "Redrive 1");
      browser.see("dialog", "1 dead letter was redriven.");
      browser.press("dialog button", "Close");
      awaitStatus(message, id, "delivered");
      browser.see(".timeline", "Redriven from the dead letters");
    }
  }

  @Test
  void allThatIsPendingIsCancelledOnceTheNameIsTyped() {
    try (ScriptedEndpoint endpoint = new ScriptedEndpoint()) {
      String id = subscribe("swept", endpoint, "\"startSuspended\":true");
      for (int i = 0; i < 12; i++) {
        publish("swept", i);
      }
      browser.open("/subscriptions/" + id + "/deliveries");
      browser.see("#due", "12 deliveries pending");
      browser.see("#cancel-all").click();
      browser.see("dialog .consequences", "12 deliveries are given up");
      assertThat(browser.see("dialog button.danger").isEnabled()).isFalse();
      browser.type("dialog input", id);
      browser.press("dialog button", "Cancel all that is pending");
      browser.see("dialog", "12 deliveries were given up.");
      browser.press("dialog button", "Close");

      browser.see("#due", "Nothing is pending.");
      JsonNode counts = api.get("/v1/subscriptions/" + id + "/counts").json();
      assertThat(counts.get("pending").asInt()).isZero();
      assertThat(counts.get("deadLettered").asInt()).isEqualTo(12);
    }
  }

  @Test
  void attemptAllNowSaysWhyItCanDoNothing() {
    String why =
        "const b = document.querySelector('#attempt-all'); b.focus();"
            + " return document.activeElement === b && b.getAttribute('aria-disabled') === 'true'"
            + " ? document.getElementById(b.getAttribute('aria-describedby')).innerText : ''";
    try (ScriptedEndpoint endpoint = new ScriptedEndpoint().thenHeld(204)) {
      String id = subscribe("stopped", endpoint, "\"startSuspended\":true");
      publish("stopped", 1);
      browser.open("/subscriptions/" + id + "/deliveries");
      browser.see("#attempt-all");
      browser.read(why, "It is suspended: release it first.");
      browser.see("#attempt-all").click();
      assertThat(browser.shown("dialog")).isEmpty();

      String under = subscribe("under-way", endpoint, "");
      publish("under-way", 1);
      browser.open("/subscriptions/" + under + "/deliveries");
      browser.see("#attempt-all");
      browser.read(why, "Nothing waits for a later retry.");
    }
  }

  @Test
  void charactersThatTurnTextAroundAreShownAsEscapes() {
    try (ScriptedEndpoint endpoint = new ScriptedEndpoint().always(503)) {
      endpoint.withBody("no \u202eevil\u202c");
      String id = subscribe("turned", endpoint, PATIENT);
      String message =
          api.publish(
              "turned",
              "{\"body\":\"\u202eevil\u202c"
                  + " \u2067x\u2069\",\"attributes\":{\"a\":\"\u202eevil\"}}");
      awaitAttempts(message, id, 1);

      browser.open("/deliveries/" + message + "@" + id);
      browser.see("main", "\\u202eevil\\u202c \\u2067x\\u2069");
      browser.see("main .timeline .response", "no \\u202eevil\\u202c");
      browser.read(
          "return String(/[\\u202a-\\u202e\\u2066-\\u2069]/.test("
              + "document.querySelector('main').textContent))",
          "false");
    }
  }

  @Test
  void aPageOfAnyOtherSizeGoesOnByCursor() {
    try (ScriptedEndpoint endpoint = new ScriptedEndpoint()) {
      String id = subscribe("paged", endpoint, "\"startSuspended\":true");
      for (int i = 0; i < 60; i++) {
        publish("paged", i);
      }
      String rows = "return String(document.querySelectorAll('.rows tbody tr').length)";
      browser.open("/subscriptions/" + id + "/deliveries");
      browser.read(rows, "50");
      browser.press("main .paging a", "Next page");
      browser.read(rows, "10");
      assertThat(browser.driver.getCurrentUrl()).contains("cursor=");
      browser.press("main .paging a", "First page");
      browser.read(rows, "50");
      browser.open("/subscriptions/" + id + "/deliveries?limit=200");
      browser.read(rows, "60");
    }
  }

  @Test
  void anEndpointIsSuspendedAndReleased() {
    try (ScriptedEndpoint endpoint = new ScriptedEndpoint()) {
      String id = subscribe("held", endpoint, "");
      String path = "/v1/subscriptions/" + id;
      browser.open("/subscriptions/" + id);
      browser.see("#state", "Nothing is pending.");
      browser.see("#suspend").click();
      browser.type("#suspend-reason", "move to <b>another</b> host");
      browser.type("#suspend-age", "yesterday");
      browser.press("dialog button", "Suspend");
      browser.see("dialog [role=alert]", "maxAge");
      browser.type("#suspend-age", "72h");
      browser.press("dialog button", "Suspend");
      api.await(path, s -> s.at("/suspended/by").asString("").equals("operator"));
      browser.see("#suspension", "move to <b>another</b> host");
      publish("held", 1);
      browser.see("#suspension", "1 delivery is held");
      browser.see("#suspension", "The first of them will be dropped at");

      browser.see("#release").click();
      browser.see("dialog .consequences", "1 delivery that is held will be attempted");
      browser.press("dialog button", "Release");
      api.await(path, s -> !s.has("suspended") && s.at("/ledger/delivered").asInt() == 1);
      browser.seeNo("#suspension");
    }
  }

  @Test
  void aTestMessageLeadsToItsDelivery() {
    try (ScriptedEndpoint endpoint = new ScriptedEndpoint()) {
      String id = subscribe("tested", endpoint, "");
      browser.open("/subscriptions/" + id);
      browser.see("#test").click();
      browser.see("#sentence", "Delivered at");
      assertThat(endpoint.posts()).hasSize(1);
    }
  }

  @Test
  void thePlotHasTheLimitAndThePauses() {
    try (ScriptedEndpoint endpoint = new ScriptedEndpoint().then(503, "2")) {
      String id = subscribe("plotted", endpoint, "");
      String message = publish("plotted", 1);
      awaitStatus(message, id, "delivered");
      api.await(
          "/v1/subscriptions/" + id + "/minutes",
          m -> m.at("/items").valueStream().anyMatch(i -> i.get("pausedMillis").asInt() > 0));

      browser.open("/subscriptions/" + id + "?range=24h");
      String drawn =
          "const c = globalThis.Chart?.getChart('latency-plot'); return c ? c.data.datasets"
              + ".filter(d => d.data.some(v => v > 0)).map(d => d.label).join(', ') : ''";
      browser.read(drawn, "longest, p99, p50, limit, asked for silence");
      browser.read(
          "const c = Chart.getChart('outcomes-plot');"
              + " return c ? c.data.datasets.map(d => d.label).join(', ') : ''",
          "2xx, 5xx");
      browser.see("#health-words", "In the last 24 hours: 2 attempts, 50 % delivered");
      browser.see("#health-words", "it asked for silence for");
      // The table is the text of the plot.
      browser.press("main summary", "The same figures as a table");
      browser.see("#minutes tbody tr");
      browser.press("main .segments button", "7 d");
      browser.see("#health-words", "In the last 7 days");
      assertThat(browser.driver.getCurrentUrl()).contains("range=7d");
      browser.read(drawn, "longest, p99, p50, limit, asked for silence");
    }
  }

  @Test
  void aReceiverIsCheckedByRealRequests() {
    try (ScriptedEndpoint endpoint = new ScriptedEndpoint()) {
      String id = subscribe("probed", endpoint, "");
      browser.open("/subscriptions/" + id);
      browser.see("#check").click();
      browser.see(".checks", "A message is taken");
      browser.see(".checks", "It takes a large body");
      assertThat(endpoint.posts()).isNotEmpty();
      assertThat(api.get("/v1/subscriptions/" + id).json().at("/ledger/accepted").asInt()).isZero();
    }
  }

  @Test
  void whatTheReceiverCheckAnswersIsText() {
    try (ScriptedEndpoint endpoint = new ScriptedEndpoint()) {
      String id = subscribe("checked", endpoint, "");
      browser.open("/subscriptions/" + id);
      browser.see("#check");
      browser.driver.executeScript(
          "const text = arguments[0]; const real = window.fetch; window.fetch = (url, ...more) =>"
              + " String(url).endsWith('/check') ? Promise.resolve(new Response(JSON.stringify("
              + "{checks: [{name: 'signature', passed: true, text: 'It answered 401.'},"
              + " {name: 'timestamp', passed: false, text},"
              + " {name: 'body', passed: null, text: 'Not reached.'}]}),"
              + " {headers: {'Content-Type': 'application/json'}})) : real(url, ...more);",
          HOSTILE);
      browser.see("#check").click();
      browser.see(".checks", "passed");
      browser.see(".checks", "failed");
      browser.see(".checks", HOSTILE);
      browser.see(".checks", "not checked");
      ranNothing();
    }
  }

  @Test
  void deadLettersAreRedrivenAfterADryRun() {
    try (ScriptedEndpoint endpoint = new ScriptedEndpoint().always(404)) {
      String id = subscribe("dead", endpoint, "");
      for (int i = 0; i < 3; i++) {
        publish("dead", i);
      }
      String path = "/v1/subscriptions/" + id;
      api.await(path, s -> s.at("/ledger/deadLettered").asInt() == 3);
      endpoint.always(204);

      browser.open("/dead-letters?topic=dead");
      browser.see("#matches", "3 dead letters");
      browser.press("#reasons a", "not retryable");
      browser.see("#matches", "3 match");
      browser.type("#text", "404" + Keys.ENTER);
      browser.see("#matches", "3 match");
      browser.press("main summary", "Attributes, message and time");
      browser.type("#attributes", "{\"n\":[\"1\"" + Keys.ENTER);
      browser.see("#attributes-wrong", "This is no filter");
      browser.type("#attributes", "{\"n\":[\"1\",\"2\"]}" + Keys.ENTER);
      browser.see("#matches", "2 match");

      browser.see("#redrive").click();
      browser.see(".dry-run", "2 dead letters match.");
      browser.type("#redrive-rate", "100");
      browser.see("dialog .consequences", "At 100 a second");
      browser.press("dialog button", "Redrive 2");
      browser.see("dialog", "2 dead letters were redriven.");
      browser.press("dialog button", "Close");
      api.await(path, s -> s.at("/ledger/delivered").asInt() == 2);
      browser.see("main", "No dead letter matches");
      assertThat(api.get(path).json().at("/ledger/deadLettered").asInt()).isEqualTo(1);
    }
  }

  @Test
  void deadLettersGoIntoAnotherSubscription() {
    try (ScriptedEndpoint failing = new ScriptedEndpoint().always(404);
        ScriptedEndpoint taking = new ScriptedEndpoint()) {
      String from = subscribe("moved", failing, "");
      String to = subscribe("moved-to", taking, "");
      publish("moved", 1);
      api.await("/v1/subscriptions/" + from, s -> s.at("/ledger/deadLettered").asInt() == 1);

      browser.open("/subscriptions/" + from + "/dead-letters");
      browser.see("#redrive").click();
      browser.see("#redrive-to", to + " · moved-to · " + taking.url());
      browser.run(
          "const s = document.querySelector('#redrive-to'); s.value = '"
              + to
              + "'; s.dispatchEvent(new Event('change'))");
      browser.see("dialog .consequences", "new messages of " + to);
      browser.see("dialog .consequences", "of the topic moved-to, to " + taking.url());
      assertThat(browser.see("#redrive-rate").isEnabled()).isFalse();
      browser.see("#redrive-rate-why", "has a pace of its own");
      browser.press("dialog button", "Redrive 1");
      browser.see("dialog", "1 dead letter was moved into " + to);
      browser.press("dialog button", "Close");
      api.await("/v1/subscriptions/" + to, s -> s.at("/ledger/delivered").asInt() == 1);
      assertThat(api.get("/v1/subscriptions/" + from).json().at("/ledger/moved").asInt())
          .isEqualTo(1);
    }
  }

  @Test
  void deadLettersArePurgedOnceTheNameIsTyped() {
    try (ScriptedEndpoint endpoint = new ScriptedEndpoint().always(500).withBody(HOSTILE)) {
      String id = subscribe("purged", endpoint, ONE_ATTEMPT);
      publish("purged", 1);
      publish("purged", 2);
      String path = "/v1/subscriptions/" + id;
      api.await(path, s -> s.at("/ledger/deadLettered").asInt() == 2);

      browser.open("/subscriptions/" + id + "/dead-letters?text=500");
      browser.see("#matches", "2 match");
      browser.see("#purge").click();
      browser.see("dialog .consequences", "2 dead letters are deleted");
      assertThat(browser.see("dialog button.danger").isEnabled()).isFalse();
      browser.type("dialog input", id);
      browser.press("dialog button", "Purge 2");
      browser.see("dialog", "2 dead letters were deleted.");
      browser.press("dialog button", "Close");
      browser.see("main", "No dead letter matches");
      JsonNode ledger = api.get(path).json().get("ledger");
      assertThat(ledger.get("deadLettered").asInt()).isZero();
      assertThat(ledger.get("discarded").asInt()).isEqualTo(2);
      assertThat(ledger.get("unexplained").asInt()).isZero();
      ranNothing();
    }
  }
}
