package dev.reprise.server.api;

import static java.nio.charset.StandardCharsets.UTF_8;

import dev.reprise.server.fixture.RunningService;
import dev.reprise.server.fixture.RunningService.Reply;
import dev.reprise.server.fixture.ScriptedEndpoint;
import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.net.URLEncoder;
import java.util.ArrayList;
import java.util.Collection;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Objects;
import java.util.Set;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import tools.jackson.databind.json.JsonMapper;
import tools.jackson.databind.node.ObjectNode;

/**
 * Something of everything that the console shows, in a service that listens to endpoints on this
 * machine: endpoints that work, fail and hang, dead letters, a suspension, runs of the lab; and
 * markup wherever the API takes text. Closing it lets go of the endpoints.
 */
final class ConsoleData implements AutoCloseable {
  /** Makes an element that a test can find, and runs a script that it can see, if it is markup. */
  static final String MARKUP =
      "\"'><xss-probe data-hostile onclick=\"globalThis.hostile=1\"></xss-probe>"
          + "<img data-hostile src=x onerror=\"globalThis.hostile=1\">"
          + "<a data-hostile href=\"javascript:globalThis.hostile=1\">x</a>"
          + "<script data-hostile>globalThis.hostile=1</script>${globalThis.hostile=1}";

  private static final Pattern ROUTE = Pattern.compile("\\['(/[^']*)', '([a-z-]+)']");

  final ScriptedEndpoint healthy = new ScriptedEndpoint();
  final ScriptedEndpoint failing = new ScriptedEndpoint().always(500).withBody(MARKUP);
  final ScriptedEndpoint gone = new ScriptedEndpoint().always(400).withBody(MARKUP);
  final ScriptedEndpoint hanging = new ScriptedEndpoint();

  final String topic = "orders";
  final List<String> subscriptions = new ArrayList<>();
  final List<String> deliveries = new ArrayList<>();
  String labRun = "";

  /**
   * A page of the console.
   *
   * @param module the name of its module
   * @param path its URL, with what there is in the place of variables
   * @param name a name for files
   */
  record Page(String module, String path, String name) {
    /** Returns whether this version of the console has it. */
    boolean exists() {
      return ConsoleData.class.getResource("/dev/reprise/server/console/pages/" + module + ".js")
          != null;
    }
  }

  private ConsoleData() {}

  /** Fills a service with all of it. */
  static ConsoleData in(RunningService api) {
    ConsoleData data = new ConsoleData();
    try {
      data.fill(api);
      return data;
    } catch (RuntimeException | Error e) {
      data.close();
      throw e;
    }
  }

  private void fill(RunningService api) {
    String works = subscribe(api, topic, healthy, settings());
    ObjectNode hostile = settings();
    hostile.putObject("filter").putArray("kind").add("other").add(MARKUP);
    hostile.putObject("http").putObject("headers").put("X-Markup", MARKUP);
    subscribe(api, topic, healthy, hostile);
    String fails = subscribe(api, topic, failing, settings());
    for (int i = 0; i < 8; i++) {
      hanging.thenHeld(204);
    }
    String hangs = subscribe(api, topic, hanging, settings());
    ObjectNode once = settings();
    once.put("policy", "no-retry");
    String dead = subscribe(api, "payments_.+-a", gone, once);
    String held = subscribe(api, "payments_.+-a", healthy, settings());
    expect(
        api.post(
            "/v1/subscriptions/" + held + "/suspend",
            JsonMapper.shared()
                .createObjectNode()
                .put("reason", MARKUP.substring(0, 60))
                .toString()),
        200);
    expect(api.put("/v1/topics/empty", "{}"), 201);
    ObjectNode message = JsonMapper.shared().createObjectNode();
    message.put("contentType", "text/html");
    message.put("body", MARKUP);
    message.putObject("attributes").put("kind", MARKUP).put("a", "javascript:globalThis.hostile=1");
    for (int i = 0; i < 3; i++) {
      String id = api.publish(topic, message.toString());
      deliveries.add(id + "@" + works);
      deliveries.add(id + "@" + fails);
      deliveries.add(id + "@" + hangs);
      String other = api.publish("payments_.+-a", message.toString());
      deliveries.add(other + "@" + dead);
      deliveries.add(other + "@" + held);
    }
    api.await("/v1/subscriptions/" + dead, each -> each.at("/ledger/deadLettered").asInt() == 3);
    api.await("/v1/subscriptions/" + works, each -> each.at("/ledger/delivered").asInt() == 3);
    api.await("/v1/subscriptions/" + fails, each -> each.at("/ledger/attempts").asInt() > 0);
    runLab(api);
  }

  private void runLab(RunningService api) {
    ObjectNode scenario = JsonMapper.shared().createObjectNode();
    scenario.put("name", "small").put("description", MARKUP);
    // The names of policies are the only names here that may be almost anything.
    scenario
        .putObject("policies")
        .put("<img data-hostile src=x onerror=globalThis&#46;hostile=1>", "notification-http")
        .put("'\"><xss-probe data-hostile>", "azure-iot");
    ObjectNode fleet = scenario.putObject("fleet");
    fleet.put("devices", 500).put("quota", "100/s");
    fleet.putArray("failures").addObject().put("type", "outage").put("to", "5s");
    Reply begun = api.post("/v1/lab/runs", scenario.toString());
    expect(begun, 202);
    labRun = begun.json().get("id").asString();
    api.await("/v1/lab/runs/" + labRun, run -> run.get("state").asString().equals("done"));
  }

  private static ObjectNode settings() {
    return JsonMapper.shared().createObjectNode();
  }

  private String subscribe(
      RunningService api, String of, ScriptedEndpoint endpoint, ObjectNode settings) {
    // A URL's query may say anything as long as it is escaped.
    settings.put("endpoint", endpoint.url() + "?q=" + URLEncoder.encode(MARKUP, UTF_8));
    String id = api.subscribe(of, settings.toString());
    subscriptions.add(id);
    return id;
  }

  private static void expect(Reply reply, int status) {
    if (reply.status() != status) {
      throw new AssertionError(reply.text());
    }
  }

  /** The pages that the console's router knows, with what there is in the place of variables. */
  List<Page> pages() {
    return pages(
        List.of(topic, "empty"),
        List.of(subscriptions.get(1), subscriptions.get(2), subscriptions.get(5)),
        List.of(deliveries.get(0), deliveries.get(1), deliveries.get(3)));
  }

  /** The pages of a service in which there is nothing. */
  static List<Page> emptyPages() {
    return pages(List.of("none"), List.of("none-1"), List.of("none@none-1"));
  }

  private static List<Page> pages(
      List<String> topics, List<String> subscriptions, List<String> deliveries) {
    Set<Page> pages = new LinkedHashSet<>();
    Matcher route = ROUTE.matcher(router());
    while (route.find()) {
      String pattern = route.group(1);
      Collection<String> values =
          pattern.startsWith("/deliveries/")
              ? deliveries
              : pattern.startsWith("/subscriptions/") ? subscriptions : topics;
      int number = 0;
      for (String value : pattern.contains(":") ? values : List.of("")) {
        String path = pattern.replaceAll(":[a-z]+", URLEncoder.encode(value, UTF_8));
        String name = pattern.equals("/") ? "overview" : pattern.substring(1).replace("/:", "-");
        pages.add(
            new Page(
                route.group(2), path, name.replace('/', '-') + (number == 0 ? "" : "-" + number)));
        number++;
      }
    }
    if (pages.size() < 10) {
      throw new AssertionError("router.js is written otherwise: " + pages);
    }
    return List.copyOf(pages);
  }

  private static String router() {
    try (InputStream in =
        ConsoleData.class.getResourceAsStream("/dev/reprise/server/console/lib/router.js")) {
      return new String(Objects.requireNonNull(in).readAllBytes(), UTF_8);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  @Override
  public void close() {
    Stream.of(healthy, failing, gone, hanging).forEach(ScriptedEndpoint::close);
  }
}
