package dev.reprise.server.api;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import dev.reprise.delivery.ShardSettings;
import dev.reprise.fixtures.Looks;
import dev.reprise.server.serve.Service;
import dev.reprise.server.settings.ServeSettings;
import dev.reprise.server.settings.Settings;
import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Predicate;
import java.util.function.Supplier;
import java.util.function.UnaryOperator;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

/** A service in this process, and a client that speaks to it over HTTP. */
final class RunningService implements AutoCloseable {
  private static final Duration PATIENCE = Duration.ofMinutes(5);

  /** Ends a wait for answers that always differ, such as those with the time in them. */
  private static final Duration LONGEST = Duration.ofMinutes(10);

  /** So long that no attempt of a test ends by it. */
  private static final Duration ATTEMPT_TIMEOUT = Duration.ofMinutes(10);

  final Service service;
  private final HttpClient client =
      HttpClient.newBuilder().version(HttpClient.Version.HTTP_1_1).build();
  private final String authorization;

  /** An answer. {@code json} is null where the body is not JSON. */
  record Reply(int status, String text, JsonNode json, HttpResponse<String> response) {
    String header(String name) {
      return response.headers().firstValue(name).orElse("");
    }

    String code() {
      return json.at("/error/code").asString();
    }

    String message() {
      return json.at("/error/message").asString();
    }

    List<String> fields() {
      List<String> fields = new ArrayList<>();
      json.at("/error/violations").forEach(v -> fields.add(v.get("field").asString()));
      return fields;
    }
  }

  private RunningService(Service service) {
    this(service, service.firstKey().orElse(""));
  }

  private RunningService(Service service, String key) {
    this.service = service;
    this.authorization = key.isEmpty() ? "" : "Bearer " + key;
  }

  /** A service that was started elsewhere; without a key if that is empty. */
  static RunningService of(Service service, String key) {
    return new RunningService(service, key);
  }

  static RunningService dev(Path folder) {
    return dev(folder, Duration.ofSeconds(2));
  }

  /**
   * A service without keys.
   *
   * @param grace how long its end waits for attempts under way
   */
  static RunningService dev(Path folder, Duration grace) {
    return start(folder, true, grace);
  }

  /**
   * A service with keys; the client has the first one.
   *
   * @param allow addresses that endpoints may have
   */
  static RunningService withKeys(Path folder, String... allow) {
    return start(folder, false, Duration.ofSeconds(2), UnaryOperator.identity(), List.of(allow));
  }

  private static RunningService start(Path folder, boolean dev, Duration grace) {
    return start(folder, dev, grace, UnaryOperator.identity());
  }

  static RunningService start(
      Path folder, boolean dev, Duration grace, UnaryOperator<ServeSettings> change) {
    return start(folder, dev, grace, change, List.of());
  }

  /** A service without keys whose attempts end after this time. */
  static RunningService devWithTimeout(Path folder, Duration attemptTimeout) {
    return start(
        folder, true, Duration.ofSeconds(2), UnaryOperator.identity(), List.of(), attemptTimeout);
  }

  private static RunningService start(
      Path folder,
      boolean dev,
      Duration grace,
      UnaryOperator<ServeSettings> change,
      List<String> allow) {
    return start(folder, dev, grace, change, allow, ATTEMPT_TIMEOUT);
  }

  private static RunningService start(
      Path folder,
      boolean dev,
      Duration grace,
      UnaryOperator<ServeSettings> change,
      List<String> allow,
      Duration attemptTimeout) {
    return start(folder, dev, grace, change, allow, attemptTimeout, 0);
  }

  /**
   * As {@link #devWithTimeout}; holds what is refused alike, as a service does unless told not to.
   */
  static RunningService devThatHolds(Path folder, Duration attemptTimeout) {
    return start(
        folder,
        true,
        Duration.ofSeconds(2),
        UnaryOperator.identity(),
        List.of(),
        attemptTimeout,
        ShardSettings.DEFAULT_HOLD_AFTER);
  }

  // Many a test is about deliveries that are given up, and wants more than ten of them: so none is
  // held unless that is asked for.
  private static RunningService start(
      Path folder,
      boolean dev,
      Duration grace,
      UnaryOperator<ServeSettings> change,
      List<String> allow,
      Duration attemptTimeout,
      int holdAfter) {
    return new RunningService(
        Service.start(
            change.apply(
                ServeSettings.in(folder)
                    .with(Settings.PORT, 0)
                    .with(Settings.DEV, dev)
                    .with(Settings.ALLOW, allow)
                    .with(Settings.SHARDS, 2)
                    .with(Settings.ATTEMPT_TIMEOUT, attemptTimeout)
                    .with(Settings.GRACE, grace)
                    .with(Settings.DRAIN, Duration.ZERO)
                    .with(Settings.HOLD_AFTER, holdAfter))));
  }

  Reply get(String path) {
    return send("GET", path, null, "");
  }

  Reply delete(String path) {
    return send("DELETE", path, null, "");
  }

  Reply post(String path, String body) {
    return send("POST", path, body, "application/json");
  }

  Reply put(String path, String body) {
    return send("PUT", path, body, "application/json");
  }

  Reply patch(String path, String body) {
    return send("PATCH", path, body, "application/json");
  }

  Reply send(String method, String path, String body, String contentType, String... headers) {
    return sendBytes(
        method, path, body == null ? null : body.getBytes(UTF_8), contentType, headers);
  }

  private Reply sendBytes(
      String method, String path, byte[] body, String contentType, String... headers) {
    HttpRequest.Builder request =
        HttpRequest.newBuilder(URI.create(service.baseUrl() + path)).timeout(PATIENCE);
    request.method(
        method,
        body == null
            ? HttpRequest.BodyPublishers.noBody()
            : HttpRequest.BodyPublishers.ofByteArray(body));
    if (!contentType.isEmpty()) {
      request.header("Content-Type", contentType);
    }
    boolean given = List.of(headers).contains("Authorization");
    if (!authorization.isEmpty() && !given) {
      request.header("Authorization", authorization);
    }
    if (headers.length > 0) {
      request.headers(headers);
    }
    try {
      HttpResponse<String> response =
          client.send(request.build(), HttpResponse.BodyHandlers.ofString());
      String type = response.headers().firstValue("Content-Type").orElse("");
      JsonNode json =
          type.equals("application/json") ? JsonMapper.shared().readTree(response.body()) : null;
      return new Reply(response.statusCode(), response.body(), json, response);
    } catch (IOException e) {
      throw new AssertionError(method + " " + path + " failed", e);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new AssertionError(e);
    }
  }

  /** Creates the topic and a subscription of it; answers the subscription's id. */
  String subscribe(String topic, String settings) {
    put("/v1/topics/" + topic, "{}");
    Reply reply = post("/v1/topics/" + topic + "/subscriptions", settings);
    if (reply.status() != 201) {
      throw new AssertionError(reply.text());
    }
    return reply.json().get("id").asString();
  }

  /** Publishes; answers the message's id. */
  String publish(String topic, String message) {
    Reply reply = post("/v1/topics/" + topic + "/messages", message);
    if (reply.status() != 202) {
      throw new AssertionError(reply.text());
    }
    return reply.json().get("messageId").asString();
  }

  /** Asks until the answer is as wanted, and fails with the last one if it never is. */
  JsonNode await(String path, Predicate<JsonNode> wanted) {
    return await(() -> get(path).json(), wanted);
  }

  /** Asks until the service is ready: it says it is not when a shard was silent for two seconds. */
  Reply awaitReady() {
    return await(() -> get("/health/ready"), reply -> reply.status() == 200);
  }

  /**
   * Asks until the answer is as wanted, and fails with the last one when it has not changed for a
   * minute: a thousand deliveries may take longer on a machine that is busy.
   */
  static <T> T await(Supplier<T> ask, Predicate<T> wanted) {
    long start = System.nanoTime();
    long changed = start;
    T last = ask.get();
    while (!wanted.test(last)) {
      long now = System.nanoTime();
      if (now - changed > PATIENCE.toNanos() || now - start > LONGEST.toNanos()) {
        throw new AssertionError(
            "not in " + Duration.ofNanos(now - start).toSeconds() + " s; the last answer: " + last);
      }
      try {
        // From the last change on: what goes on is looked at closely.
        Looks.pause(changed);
      } catch (InterruptedException e) {
        Thread.currentThread().interrupt();
        throw new AssertionError(e);
      }
      T next = ask.get();
      if (!next.equals(last)) {
        changed = System.nanoTime();
      }
      last = next;
    }
    return last;
  }

  @Override
  public void close() {
    service.close();
  }

  /** Returns a field of each item of a list, of all its pages. */
  List<String> all(String path, String field) {
    List<String> found = new ArrayList<>();
    String next = "";
    do {
      Reply reply = get(path + next);
      assertThat(reply.status()).as(reply.text()).isEqualTo(200);
      reply.json().get("items").forEach(item -> found.add(item.get(field).asString()));
      JsonNode cursor = reply.json().get("next");
      next = cursor.isNull() ? "" : "&cursor=" + cursor.asString();
    } while (!next.isEmpty());
    return found;
  }
}
