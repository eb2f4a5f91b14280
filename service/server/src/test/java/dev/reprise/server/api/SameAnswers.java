package dev.reprise.server.api;

import static org.assertj.core.api.Assertions.assertThat;

import dev.reprise.server.api.RunningService.Reply;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import java.util.regex.Pattern;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;
import tools.jackson.databind.node.ArrayNode;
import tools.jackson.databind.node.ObjectNode;

/**
 * Asks a single service, or the nodes of a cluster, the same things. What one run has recorded
 * another must answer: changes by the nodes in turn, questions by each of them, as soon as it has
 * heard of the change before. Times, ids and addresses differ and are left out.
 */
final class SameAnswers {
  /** Numbers and texts that depend on time. */
  private static final Set<String> VARYING =
      Set.of(
          "next",
          "millis",
          "rates",
          "durationMillis",
          "p50Millis",
          "p99Millis",
          "maxMillis",
          "lastAttemptMillis",
          "failuresPerMinute",
          "id",
          "key",
          "url",
          "port",
          "worst",
          "client",
          "took",
          "minutes",
          "etaSeconds",
          "limit",
          "limitReason",
          "connections",
          "publishesPerSecond");

  private static final Pattern TIME = Pattern.compile("[0-9]{4}-[0-9]{2}-[0-9]{2}T[0-9:.]+Z");
  private static final Pattern UUID =
      Pattern.compile("[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}");
  private static final Pattern KEY = Pattern.compile("rk_[0-9a-f]{12}_[A-Za-z0-9_-]{43}");
  private static final Pattern KEY_ID = Pattern.compile("\\b[0-9a-f]{12}\\b");
  private static final Pattern PORT = Pattern.compile("127\\.0\\.0\\.1:[0-9]+");
  private static final Pattern DURATION = Pattern.compile("[0-9.]+ ?(ms|s|µs)\\b");

  private final List<RunningService> nodes;
  private final List<String> expected;
  private final List<String> recorded = new ArrayList<>();
  private final Set<String> seen = new TreeSet<>();
  private int turn;

  SameAnswers(List<RunningService> nodes, List<String> expected) {
    this.nodes = nodes;
    this.expected = expected;
  }

  List<String> recorded() {
    return recorded;
  }

  /** The operations that were asked, as METHOD and pattern. */
  Set<String> seen() {
    return seen;
  }

  /** A change, sent to one of the nodes. */
  Reply change(String method, String pattern, String path, String body, String... headers) {
    seen.add(method + " " + pattern);
    RunningService node = nodes.get(turn++ % nodes.size());
    String type = body == null ? "" : "application/json";
    String name = method + " " + path;
    Reply reply = node.send(method, path, body, type, headers);
    compare(name, reply);
    return reply;
  }

  /** A question, sent to all nodes; asked again until a node has what it must have. */
  JsonNode ask(String pattern, String path, String... headers) {
    seen.add("GET " + pattern);
    if (expected.isEmpty()) {
      Reply reply = nodes.get(0).send("GET", path, null, "", headers);
      recorded.add(normal("GET " + path, reply));
      return reply.json();
    }
    String wanted = expected.get(recorded.size());
    JsonNode last = null;
    for (RunningService node : nodes) {
      Reply reply;
      try {
        reply =
            RunningService.await(
                () -> node.send("GET", path, null, "", headers),
                each -> normal("GET " + path, each).equals(wanted));
      } catch (AssertionError e) {
        reply = node.send("GET", path, null, "", headers);
        assertSame(normal("GET " + path, reply), wanted, "node " + nodes.indexOf(node));
      }
      last = reply.json();
    }
    recorded.add(wanted);
    return last;
  }

  /** Waits until every node has what the whole must come to, and then compares. */
  JsonNode settle(String pattern, String path, java.util.function.Predicate<JsonNode> wanted) {
    for (RunningService node : nodes) {
      node.await(path, wanted);
    }
    return ask(pattern, path);
  }

  private void compare(String name, Reply reply) {
    String normal = normal(name, reply);
    if (!expected.isEmpty()) {
      assertSame(normal, expected.get(recorded.size()), name);
    }
    recorded.add(normal);
  }

  /** Line by line, so that a failure shows the difference alone. */
  private static void assertSame(String answered, String wanted, String name) {
    List<String> lines = wanted.lines().toList();
    assertThat(answered.lines().filter(line -> !lines.contains(line)).toList())
        .as("%s answers what a single service does not: %s", name, wanted.lines().findFirst())
        .isEmpty();
    assertThat(answered).as(name).isEqualTo(wanted);
  }

  private static String normal(String name, Reply reply) {
    // Minutes begin when they do.
    String text =
        reply.json() == null || name.endsWith("/minutes")
            ? name.endsWith("/minutes") ? "" : reply.text()
            : JsonMapper.shared()
                .writerWithDefaultPrettyPrinter()
                .writeValueAsString(masked(reply.json().deepCopy()));
    String all = name + " " + reply.status() + " " + reply.header("Content-Type") + "\n" + text;
    if (name.equals("POST /v1/lab/runs")) {
      // It may wait for its thread, or be done before this is answered.
      all = all.replaceAll("\"(state|done)\" : \"?\\w+\"?", "\"$1\" : VARIES");
    }
    all = TIME.matcher(all).replaceAll("TIME");
    all = UUID.matcher(all).replaceAll("UUID");
    all = KEY.matcher(all).replaceAll("KEY");
    all = KEY_ID.matcher(all).replaceAll("KEYID");
    all = PORT.matcher(all).replaceAll("HOST");
    return DURATION.matcher(all).replaceAll("DURATION");
  }

  private static JsonNode masked(JsonNode node) {
    if (node instanceof ObjectNode object) {
      for (String field : List.copyOf(object.propertyNames())) {
        JsonNode value = object.get(field);
        boolean varies = VARYING.contains(field) && !value.isNull();
        if (varies && !(field.equals("id") && value.asString("").contains("-"))) {
          object.put(field, "VARIES");
        } else {
          object.set(field, masked(value));
        }
      }
    } else if (node instanceof ArrayNode array) {
      for (int i = 0; i < array.size(); i++) {
        array.set(i, masked(array.get(i)));
      }
    }
    return node;
  }
}
