package dev.reprise.server.api;

import static org.assertj.core.api.Assertions.assertThat;

import dev.reprise.server.fixture.Browser;
import dev.reprise.server.fixture.RunningService;
import dev.reprise.server.fixture.ScriptedEndpoint;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The overview, the project that pages are of, and pages of a service that is away. */
@Tag("slow")
class OverviewPagesTest {
  @TempDir Path folder;
  private RunningService api;
  private ScriptedEndpoint sink;
  private Browser browser;

  @BeforeEach
  void start() {
    api = RunningService.dev(folder);
    sink = new ScriptedEndpoint();
    browser = Browser.open(api);
  }

  @AfterEach
  void stop() {
    browser.close();
    api.close();
    sink.close();
  }

  private String subscribe(String topic, String more) {
    api.put("/v1/topics/" + topic, "{}");
    return api.post(
            "/v1/topics/" + topic + "/subscriptions",
            "{\"endpoint\":\"" + sink.url() + "\"" + more + "}")
        .json()
        .get("id")
        .asString();
  }

  @Test
  void theOverviewIsLiveAndItsLedgerSumsToZero() {
    sink.then(400, null);
    String id = subscribe("orders", "");
    api.post("/v1/subscriptions/" + subscribe("held", "") + "/suspend", "{}");
    browser.open("/");
    browser.see("[data-term=delivered]");
    browser.see(".live", "Live");

    for (int i = 0; i < 5; i++) {
      api.publish("orders", "{\"body\":1}");
      api.publish("held", "{\"body\":1}");
    }

    browser.read("return document.querySelector('[data-term=delivered]').textContent", "4");
    browser.read("return document.querySelector('[data-term=pending]').textContent", "5");
    browser.read("return document.querySelector('[data-term=deadLettered]')?.textContent", "1");
    browser.see("#ledger", "10 accepted");
    browser.read("return document.querySelector('#ledger').dataset.rest", "0");
    browser.see("#rate-delivered", "per second");
    // The plot has the rates as they come.
    browser
        .patiently()
        .until(
            b ->
                Boolean.TRUE.equals(
                    browser.run(
                        "const c = globalThis.Chart?.getChart(document.querySelector('#rates'));"
                            + " return Boolean(c && c.data.datasets[1].data.length > 60 &&"
                            + " c.data.datasets[1].data.some((point) => point.y > 0))")));
    // Whoever arrives is shown what has failed before, and what is held apart from it.
    browser.open("/");
    browser.read(
        "return document.querySelectorAll('#worst td.bad').length > 1 ? 'yes' : 'no'", "yes");
    browser.see("#worst", id);
    browser.see("#suspended", "5");
    browser.press("table a", id);
    browser.read("return location.pathname", "/subscriptions/" + id);
  }

  @Test
  void anOperatorChoosesTheProjectThatPagesAreOf() {
    sink.then(400, null);
    browser.open("/");
    browser.see("h1", "Overview");
    browser.seeNo("#project");
    api.post("/v1/projects", "{\"name\": \"alpha\"}");
    inAlpha("PUT", "/v1/topics/orders", "{}");
    String id =
        inAlpha("POST", "/v1/topics/orders/subscriptions", "{\"endpoint\":\"" + sink.url() + "\"}")
            .json()
            .get("id")
            .asString();
    inAlpha("POST", "/v1/topics/orders/messages", "{\"body\":1}");

    browser.open("/");
    browser.read("return document.querySelector('#project')?.value", "");
    browser.see("#worst", "project alpha");
    browser.press("#worst a", id);
    browser.see("h1", id);
    browser.read("return document.querySelector('#project')?.value", "alpha");
    browser.read("return location.search", "?project=alpha");
    browser.press("nav a", "Topics");
    browser.see("main", "orders");
    browser.press("nav a", "Overview");
    // The stream as well is of the chosen project.
    browser.read("return document.querySelector('[data-term=deadLettered]')?.textContent", "1");
    choose("default");
    browser.see("main", "Nothing is published yet");
    browser.open("/subscriptions/" + id + "?project=alpha");
    browser.see("h1", id);
    choose("");
    browser.see("h1", "Overview");
    browser.read("return location.search", "");
    browser.press("nav a", "Topics");
    browser.read("return document.querySelector('#project')?.value", "default");
  }

  private void choose(String project) {
    browser.run(
        "const select = document.querySelector('#project'); select.value = '"
            + project
            + "'; select.dispatchEvent(new Event('change'))");
  }

  private RunningService.Reply inAlpha(String method, String path, String body) {
    return api.send(method, path, body, "application/json", "Reprise-Project", "alpha");
  }

  @Test
  void aLedgerThatDoesNotSumToZeroIsSaidLoudly() {
    subscribe("orders", "");
    browser.open("/");
    browser.see("#ledger");

    browser.run(
        "const page = document.querySelector('overview-page'); page.deaf(); page.overview ="
            + " {...page.overview, ledger: {...page.overview.ledger, accepted: 7}}");

    browser.see("[role=alert]", "does not sum to zero");
    browser.see("[role=alert]", "7 deliveries in no state");
  }

  @Test
  void aBrokenStreamIsSaidAndOpenedAgain() {
    subscribe("orders", "");
    browser.open("/");
    browser.see(".live", "Live");
    browser.driver.executeCdpCommand("Network.enable", Map.of());
    offline(true);
    browser.run("document.querySelector('overview-page').lost()");
    browser.see(".live", "Not live, last seen");

    offline(false);
    browser.see(".live.ok", "Live");
    api.publish("orders", "{\"body\":1}");
    browser.read("return document.querySelector('[data-term=delivered]').textContent", "1");
  }

  @Test
  void aPageFirstGoneToWhileTheServiceIsAwayComesAfterwards() {
    browser.open("/");
    browser.see("main h1");
    browser.driver.executeCdpCommand("Network.enable", Map.of());
    offline(true);
    browser.press("nav a", "Topics");
    browser.see("main [role=alert]", "The service cannot be reached");
    browser.press("nav a", "Carriers");
    browser.see("main [role=alert]", "The service cannot be reached");

    offline(false);
    browser.press("main button", "Try again");
    browser.see("carriers-page h1", "Carriers");
    browser.press("nav a", "Topics");
    browser.see("topics-page h1", "Topics");
  }

  @Test
  void aModuleThatTheBrowserKeepsAsFailedIsLoadedAnew() {
    browser.open("/");
    browser.see("main h1");
    browser.driver.executeCdpCommand("Network.enable", Map.of());
    // The page itself arrives, and what it imports does not.
    browser.driver.executeCdpCommand(
        "Network.setBlockedURLs", Map.of("urls", List.of("*/pages/topic-actions.js")));
    browser.press("nav a", "Topics");
    browser.see("main [role=alert]", "This page could not be loaded");

    browser.driver.executeCdpCommand("Network.setBlockedURLs", Map.of("urls", List.of()));
    browser.press("main button", "Try again");
    browser.see("topics-page h1", "Topics");
  }

  @Test
  void anAddressWithoutAPageIsSaidInTheFrame() {
    for (String path : List.of("/nope", "/keys", "/topics/a/b/c", "/no/such/page/")) {
      browser.open(path);
      browser.see("main h1", "There is no such page");
      browser.see("nav a");
      browser.read("return document.title", "Not found · Reprise");
    }
    browser.press("main a", "Go to the overview");
    browser.see("overview-page h1");
    subscribe("orders", "");
    browser.open("/subscriptions/");
    browser.see("subscriptions-page h1", "Subscriptions");
    browser.open("/topics/orders/");
    browser.see("topic-page h1", "orders");

    String html = "text/html,*/*;q=0.8";
    for (String path : List.of("/nope", "/no/such/page/", "/subscriptions//x")) {
      RunningService.Reply page = api.send("GET", path, null, "", "Accept", html);
      assertThat(page.status()).as(path).isEqualTo(404);
      assertThat(page.header("Content-Type")).as(path).startsWith("text/html");
      assertThat(page.header("Content-Security-Policy")).contains("default-src 'none'");
    }
    for (String path : List.of("/v1/nope", "/health/nope", "/console/x/y/z", "/metrics/x")) {
      RunningService.Reply refused = api.send("GET", path, null, "", "Accept", html);
      assertThat(refused.status()).as(path).isEqualTo(404);
      assertThat(refused.code()).as(path).isEqualTo("not_found");
    }
    assertThat(api.get("/nope").code()).isEqualTo("not_found");
    assertThat(api.send("DELETE", "/nope", null, "", "Accept", html).code()).isEqualTo("not_found");
    assertThat(api.send("GET", "/a".repeat(40), null, "", "Accept", html).code())
        .isEqualTo("not_found");
  }

  private void offline(boolean offline) {
    browser.driver.executeCdpCommand(
        "Network.emulateNetworkConditions",
        Map.of("offline", offline, "latency", 0, "downloadThroughput", -1, "uploadThroughput", -1));
  }
}
