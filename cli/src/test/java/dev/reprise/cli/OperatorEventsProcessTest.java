package dev.reprise.cli;

import static org.assertj.core.api.Assertions.assertThat;

import dev.reprise.fixtures.StartedProcess;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CopyOnWriteArrayList;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

/** Operator events of a process that is killed, or started anew with another key. */
@Tag("slow")
class OperatorEventsProcessTest {
  private static final int KILLS = 3;
  private static final int PUBLISHES = 200;

  @TempDir Path data;
  @TempDir Path logs;
  private final List<JsonNode> events = new CopyOnWriteArrayList<>();
  private ServiceProcess service;
  private DrainableEndpoint endpoints;

  @AfterEach
  void end() throws IOException {
    if (service != null) {
      service.close();
    }
    if (endpoints != null) {
      endpoints.close();
    }
  }

  private int answer(String path, String body) {
    if (path.startsWith("/ops")) {
      events.add(JsonMapper.shared().readTree(body));
      return 204;
    }
    return 404;
  }

  private void subscribe(String topic, String path) throws Exception {
    service.send(
        "POST",
        "/v1/topics/" + topic + "/subscriptions",
        "{\"format\":\"raw\",\"endpoint\":\"http://127.0.0.1:%s%s\"}"
            .formatted(endpoints.port(), path));
  }

  @Test
  void secretsUnderANewKeyAreTold() throws Exception {
    endpoints = new DrainableEndpoint(this::answer);
    Path keys = logs.resolve("keys");
    List<String> options = List.of("--secret-keys", keys.toString());
    String first = "first " + "A".repeat(43) + "=\n";
    Files.writeString(keys, first);
    service =
        new ServiceProcess(data, logs.resolve("stderr"), StartedProcess.quick("-Xmx256m"), options);
    service.start(Map.of());
    subscribe("reprise:operator", "/ops");
    service.send("PUT", "/v1/topics/orders", "");
    service.send(
        "POST",
        "/v1/topics/orders/subscriptions",
        "{\"endpoint\":\"http://127.0.0.1:%s/\",\"http\":{\"token\":\"hunter2\"}}"
            .formatted(endpoints.port()));
    service.kill();
    Files.writeString(keys, "second " + "B".repeat(42) + "A=\n" + first);
    service.start(Map.of());
    service.await("the event", () -> !events.isEmpty());
    assertThat(events.get(0).get("type").asString()).isEqualTo("secret.rotated");
    assertThat(events.get(0).get("secret").asString()).isEqualTo("stored");
    assertThat(events.get(0).get("count").intValue()).isEqualTo(1);
  }

  @Test
  void theLedgerBalancesAndEventsGoOn() throws Exception {
    endpoints = new DrainableEndpoint(this::answer);
    // All are to be given up, though all are refused alike.
    List<String> options = List.of("--hold-after", "never");
    service = new ServiceProcess(data, logs.resolve("stderr"), StartedProcess.quick(), options);
    service.start(Map.of());
    subscribe("reprise:operator", "/ops");
    service.send("PUT", "/v1/topics/orders", "");
    subscribe("orders", "/orders");
    for (int i = 0; i < KILLS; i++) {
      for (int j = 0; j < PUBLISHES; j++) {
        service.send("POST", "/v1/topics/orders/messages", "{\"body\":1}");
      }
      service.kill();
      endpoints.awaitAllRead();
      int before = events.size();
      service.start(Map.of());
      // The first that is given up by the new process is told at once.
      service.send("POST", "/v1/topics/orders/messages", "{\"body\":1}");
      service.await("an event of the new process", () -> events.size() > before);
    }
    service.await(
        "nothing pending", () -> service.get("/v1/ledger").at("/total/pending").intValue() == 0);

    JsonNode ledger = service.get("/v1/ledger?verify=true");
    assertThat(ledger.at("/total/unexplained").intValue()).isZero();
    assertThat(ledger.at("/verified/agrees").booleanValue()).as("%s", ledger).isTrue();
    int givenUp = KILLS * (PUBLISHES + 1);
    assertThat(ledger.at("/total/deadLettered").intValue()).isEqualTo(givenUp);
    assertThat(events).extracting(e -> e.get("subscription").asString()).containsOnly("orders-2");
    assertThat(events.stream().mapToLong(e -> e.get("count").longValue()).sum())
        .as("what was not yet told is lost, and nothing is told that was not")
        .isLessThanOrEqualTo(givenUp + KILLS);
  }
}
