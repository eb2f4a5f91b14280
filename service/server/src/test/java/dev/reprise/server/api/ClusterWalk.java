package dev.reprise.server.api;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import tools.jackson.databind.JsonNode;

/** Asks for every operation of the API, most of them several times. */
final class ClusterWalk {
  private ClusterWalk() {}

  static void walk(SameAnswers api) {
    try (ScriptedEndpoint good = new ScriptedEndpoint();
        ScriptedEndpoint bad = new ScriptedEndpoint().always(400)) {
      topics(api, good, bad);
      deliveries(api);
      bad.always(204);
      deadLetters(api);
      suspended(api);
      carriers(api);
      figures(api);
      tenancy(api);
      policies(api);
      ends(api);
    }
  }

  private static void topics(SameAnswers api, ScriptedEndpoint good, ScriptedEndpoint bad) {
    String topic = "/v1/topics/{topic}";
    api.change("PUT", topic, "/v1/topics/t", "{}");
    api.ask(topic, "/v1/topics/t");
    api.change(
        "PUT",
        topic,
        "/v1/topics/t",
        "{\"healthyRetryPolicy\":{\"numRetries\":1,\"minDelayTarget\":\"50ms\",\"maxDelayTarget\":1}}");
    api.ask("/v1/topics", "/v1/topics");
    String subscriptions = "/v1/topics/{topic}/subscriptions";
    for (ScriptedEndpoint each : List.of(good, bad, good, bad)) {
      api.change(
          "POST",
          subscriptions,
          "/v1/topics/t/subscriptions",
          "{\"endpoint\":\"" + each.url() + "\",\"filter\":{\"a\":[\"b\"]}}");
    }
    api.change("POST", subscriptions, "/v1/topics/none/subscriptions", "{\"endpoint\":\"x\"}");
    String one = "/v1/subscriptions/{id}";
    for (int i = 1; i <= 4; i++) {
      api.ask(one, "/v1/subscriptions/t-" + i);
    }
    api.change("PATCH", one, "/v1/subscriptions/t-1", "{\"maxInFlight\":9}");
    api.change("POST", one, "/v1/subscriptions/t-2", "{\"maxInFlight\":8}");
    api.change("POST", one + "/check", "/v1/subscriptions/t-1/check", "{}");
    api.ask("/v1/subscriptions", "/v1/subscriptions");
    api.ask("/v1/subscriptions", "/v1/subscriptions?search=t-3");
    api.ask("/v1/subscriptions", "/v1/subscriptions?limit=2");
    api.ask("/v1/topics", "/v1/topics");
  }

  private static void deliveries(SameAnswers api) {
    String path = "/v1/topics/t/messages";
    for (int i = 0; i < 4; i++) {
      api.change(
          "POST",
          "/v1/topics/{topic}/messages",
          path,
          "{\"body\":{\"n\":" + i + "},\"attributes\":{\"a\":\"b\"}}");
    }
    api.change("POST", "/v1/topics/{topic}/messages", path, "{\"body\":1,\"attributes\":{}}");
    api.change("POST", "/v1/topics/{topic}/messages", path, "{\"attributes\":{\"a\":[{}]}}");
    for (int i = 1; i <= 4; i++) {
      String list = "/v1/deliveries?subscription=t-" + i;
      String ended = i % 2 == 1 ? "delivered" : "dead-lettered";
      api.settle(
          "/v1/deliveries",
          list,
          found ->
              found.get("items").size() == 4
                  && found
                      .get("items")
                      .valueStream()
                      .allMatch(each -> each.get("status").asString().equals(ended)));
      api.ask("/v1/deliveries", list + "&limit=3");
      api.ask("/v1/subscriptions/{id}", "/v1/subscriptions/t-" + i);
      api.ask("/v1/subscriptions/{id}/counts", "/v1/subscriptions/t-" + i + "/counts");
    }
    api.change(
        "POST",
        "/v1/topics/{topic}/messages",
        path,
        "{\"body\":{\"n\":5},\"attributes\":{\"a\":\"b\"}}",
        "Idempotency-Key",
        "k");
    JsonNode again =
        api.change(
                "POST",
                "/v1/topics/{topic}/messages",
                path,
                "{\"body\":{\"n\":5},\"attributes\":{\"a\":\"b\"}}",
                "Idempotency-Key",
                "k")
            .json();
    assertThat(again.get("repeated").asBoolean()).isTrue();
    for (int i = 0; i < 2; i++) {
      // To one node and to the other.
      api.change(
          "POST",
          "/v1/topics/{topic}/messages",
          path,
          "{\"body\":{\"n\":6},\"attributes\":{\"a\":\"b\"}}",
          "Idempotency-Key",
          "k");
    }
    String message = again.get("messageId").asString();
    api.settle(
        "/v1/deliveries",
        "/v1/deliveries?message=" + message,
        found ->
            found.get("items").size() == 4
                && found
                    .get("items")
                    .valueStream()
                    .noneMatch(each -> each.get("status").asString().equals("pending")));
    api.ask("/v1/deliveries/{id}", "/v1/deliveries/" + message + "@t-1");
    api.ask("/v1/deliveries/{id}", "/v1/deliveries/" + message + "@t-2");
    api.ask("/v1/deliveries/{id}", "/v1/deliveries/" + message + "@t-9");
  }

  private static void deadLetters(SameAnswers api) {
    String one = "/v1/subscriptions/{id}/dead-letters";
    for (String id : List.of("t-2", "t-4")) {
      String path = "/v1/subscriptions/" + id;
      api.ask(one, path + "/dead-letters");
      api.ask(one, path + "/dead-letters?limit=2");
      api.ask(one, path + "/dead-letters?text=400");
      api.ask(one + "/summary", path + "/dead-letters/summary");
      String redrive = "/v1/subscriptions/{id}/redrive";
      api.change("POST", redrive, path + "/redrive", "{\"dryRun\":true}");
      api.change("POST", redrive, path + "/redrive", "{\"limit\":2}");
      api.settle(
          "/v1/subscriptions/{id}/counts",
          path + "/counts",
          counts -> counts.get("delivered").asInt() == 2);
      api.change("POST", redrive, path + "/redrive", "{\"to\":\"t-1\",\"limit\":1}");
      api.settle(
          "/v1/subscriptions/{id}/counts",
          path + "/counts",
          counts -> counts.get("moved").asInt() == 1);
      api.change("DELETE", one, path + "/dead-letters?limit=1", null);
      api.change("DELETE", one, path + "/dead-letters?limit=100", null);
      api.ask(one, path + "/dead-letters");
    }
    api.settle(
        "/v1/subscriptions/{id}/counts",
        "/v1/subscriptions/t-1/counts",
        counts -> counts.get("delivered").asInt() == 7);
  }

  private static void suspended(SameAnswers api) {
    String pattern = "/v1/subscriptions/{id}/";
    for (String id : List.of("t-3", "t-4")) {
      String path = "/v1/subscriptions/" + id + "/";
      api.change("POST", pattern + "test", path + "test", "{}");
      for (int i = 1; i <= 4; i++) {
        api.settle(
            pattern + "counts",
            "/v1/subscriptions/t-" + i + "/counts",
            counts -> counts.get("pending").asInt() == 0);
      }
      api.change("POST", pattern + "suspend", path + "suspend", "{\"reason\":\"noon\"}");
      api.change("POST", pattern + "test", path + "test", "{}");
      api.ask("/v1/subscriptions", "/v1/subscriptions?suspended=true");
      api.change(
          "POST",
          "/v1/topics/{topic}/messages",
          "/v1/topics/t/messages",
          "{\"body\":7,\"attributes\":{\"a\":\"b\"}}");
      api.settle(
          "/v1/subscriptions/{id}/counts",
          path + "counts",
          counts -> counts.get("pending").asInt() == 1);
      api.ask("/v1/deliveries", "/v1/deliveries?subscription=" + id + "&status=pending");
      api.change("POST", pattern + "attempt-now", path + "attempt-now", "{\"limit\":10}");
      api.change("POST", pattern + "cancel", path + "cancel", "{\"limit\":10}");
      api.ask("/v1/subscriptions/{id}", "/v1/subscriptions/" + id);
      api.change("POST", pattern + "release", path + "release", "{}");
      api.ask("/v1/subscriptions/{id}", "/v1/subscriptions/" + id);
      api.ask("/v1/subscriptions/{id}/minutes", path + "minutes");
    }
  }

  private static void carriers(SameAnswers api) {
    String one = "/v1/carriers/{name}";
    String path = "/v1/carriers/c";
    api.ask("/v1/carrier-types", "/v1/carrier-types");
    api.change(
        "POST",
        "/v1/carriers",
        "/v1/carriers",
        "{\"name\":\"c\",\"type\":\"scripted\",\"settings\":{\"addresses\":[\"192.0.2.1:7\"]}}");
    api.ask(one, path);
    api.change("PATCH", one, path, "{\"maxPerSecond\":90}");
    api.change("POST", one, path, "{\"maxInFlight\":9}");
    api.change("POST", one + "/resume", path + "/resume", null);
    api.change("POST", "/v1/cluster/acknowledge", "/v1/cluster/acknowledge", null);
    api.ask("/v1/carriers", "/v1/carriers");
    api.change("POST", one + "/test", path + "/test", null);
    api.change(
        "POST",
        "/v1/topics/{topic}/subscriptions",
        "/v1/topics/t/subscriptions",
        "{\"protocol\":\"sms\",\"carrier\":\"c\",\"endpoint\":\"+4915112345678\"}");
    api.ask("/v1/subscriptions/{id}", "/v1/subscriptions/t-5");
    api.change("DELETE", one, path, null);
    api.change("DELETE", "/v1/subscriptions/{id}", "/v1/subscriptions/t-5", null);
    api.ask("/v1/subscriptions/{id}", "/v1/subscriptions/t-5");
    api.change("POST", one + "/reports", path + "/reports", "{}");
    api.change("DELETE", one, path, null);
    api.ask(one, path);
  }

  private static void figures(SameAnswers api) {
    api.settle("/v1/ledger", "/v1/ledger", found -> found.at("/total/pending").asInt() == 0);
    api.ask("/v1/ledger", "/v1/ledger?verify=true");
    api.ask("/v1/overview", "/v1/overview");
    api.ask("/health/live", "/health/live");
    api.ask("/openapi.json", "/openapi.json");
    api.ask("/openapi-3.0.json", "/openapi-3.0.json");
  }

  private static void tenancy(SameAnswers api) {
    String one = "/v1/projects/{name}";
    api.change("POST", "/v1/projects", "/v1/projects", "{\"name\":\"shop\"}");
    api.change("PUT", one, "/v1/projects/shop", "{\"quotas\":{\"topics\":1}}");
    api.ask(one, "/v1/projects/shop");
    api.ask("/v1/projects", "/v1/projects");
    String[] inShop = {"Reprise-Project", "shop"};
    api.change("PUT", "/v1/topics/{topic}", "/v1/topics/s", "{}", inShop);
    api.change("PUT", "/v1/topics/{topic}", "/v1/topics/s2", "{}", inShop);
    api.ask("/v1/topics", "/v1/topics", inShop);
    api.ask("/v1/subscriptions/{id}", "/v1/subscriptions/t-1", inShop);
    api.ask("/v1/ledger", "/v1/ledger", inShop);
    api.change(
        "POST", "/v1/subscriptions/{id}/suspend", "/v1/subscriptions/t-1/suspend", "{}", inShop);
    api.change("DELETE", "/v1/subscriptions/{id}", "/v1/subscriptions/t-1", null, inShop);
    api.change("DELETE", "/v1/topics/{topic}", "/v1/topics/s", null, inShop);
    api.ask("/v1/topics", "/v1/topics", inShop);
    JsonNode key = api.change("POST", "/v1/keys", "/v1/keys", "{\"name\":\"a\"}").json();
    api.ask("/v1/keys", "/v1/keys");
    String id = key.get("id").asString();
    api.change("POST", "/v1/keys/{id}/rotate", "/v1/keys/" + id + "/rotate", "{}");
    api.change("DELETE", "/v1/keys/{id}", "/v1/keys/" + id, null);
    api.ask("/v1/keys", "/v1/keys");
    api.change("DELETE", one, "/v1/projects/shop", null);
    api.ask(one, "/v1/projects/shop");
    api.ask("/v1/audit", "/v1/audit?limit=200");
  }

  private static void policies(SameAnswers api) {
    api.change("POST", "/v1/preview", "/v1/preview", "{\"preset\":\"notification-queue\"}");
    api.change("POST", "/v1/preview", "/v1/preview", "{\"a\":1}");
    api.change(
        "POST", "/v1/preview/outage", "/v1/preview/outage", "{\"policy\":\"notification-sms\"}");
    api.ask("/v1/presets", "/v1/presets");
    api.ask("/v1/schemas/{kind}", "/v1/schemas/topic");
    api.ask("/v1/lab/scenarios", "/v1/lab/scenarios");
    String scenario =
        "{\"name\":\"x\",\"policies\":{\"a\":\"no-retry\"},\"contention\":{\"clients\":10}}";
    String one = "/v1/lab/runs/{id}";
    api.change("POST", "/v1/lab/runs", "/v1/lab/runs", scenario);
    api.settle(one, "/v1/lab/runs/1", run -> run.path("state").asString("").equals("done"));
    api.ask("/v1/lab/runs", "/v1/lab/runs");
    api.ask(one + "/results", "/v1/lab/runs/1/results");
    api.ask(one + "/report", "/v1/lab/runs/1/report");
    api.change("DELETE", one, "/v1/lab/runs/1", null);
    api.ask(one, "/v1/lab/runs/1");
  }

  private static void ends(SameAnswers api) {
    api.change(
        "POST",
        "/v1/subscriptions/{id}/signing-secret",
        "/v1/subscriptions/t-1/signing-secret",
        "{\"overlap\":\"1h\"}");
    api.change("DELETE", "/v1/topics/{topic}", "/v1/topics/t", null);
    for (int i = 1; i <= 4; i++) {
      api.change("DELETE", "/v1/subscriptions/{id}", "/v1/subscriptions/t-" + i, null);
    }
    api.change("DELETE", "/v1/topics/{topic}", "/v1/topics/t", null);
    api.ask("/v1/topics", "/v1/topics");
    api.settle("/v1/ledger", "/v1/ledger?verify=true", ClusterWalk::isAllRemoved);
  }

  /** A removal ends some turns after it was answered. */
  private static boolean isAllRemoved(JsonNode ledger) {
    return ledger.at("/total/pending").asInt() == 0
        && ledger.at("/total/deadLettered").asInt() == 0
        && ledger.at("/verified/seen").asInt() == 0;
  }
}
