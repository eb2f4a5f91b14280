package dev.reprise.spring;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.sun.net.httpserver.HttpServer;
import dev.reprise.testkit.VirtualTime;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandlers;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.Deque;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.springframework.beans.factory.annotation.Autowired;
import org.springframework.boot.autoconfigure.SpringBootApplication;
import org.springframework.boot.test.context.SpringBootTest;
import org.springframework.boot.test.context.SpringBootTest.WebEnvironment;
import org.springframework.boot.test.web.server.LocalServerPort;
import org.springframework.context.annotation.Bean;
import org.springframework.web.client.HttpClientErrorException;
import org.springframework.web.client.HttpServerErrorException;
import org.springframework.web.client.RestClient;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

/** A whole application: its own web server, its actuator, and a service that fails. */
@SpringBootTest(
    webEnvironment = WebEnvironment.RANDOM_PORT,
    properties = {
      "management.endpoints.web.exposure.include=reprise,metrics",
      "reprise.retry.search.policy=smithy-guide",
      "reprise.retry.search.max-attempts=3",
      "reprise.retry.search.idempotent=true"
    })
class RepriseApplicationTest {
  /** What the service answers: a status, and what it says of when to come back. */
  private record Answer(int status, String retryAfter) {}

  private static final Deque<Answer> ANSWERS = new ArrayDeque<>();
  private static HttpServer service;

  @LocalServerPort private int port;
  @Autowired private SearchClient client;
  @Autowired private VirtualTime time;

  @BeforeAll
  static void start() throws IOException {
    service = HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 0);
    service.createContext(
        "/",
        exchange -> {
          Answer answer = ANSWERS.isEmpty() ? new Answer(200, "") : ANSWERS.remove();
          if (!answer.retryAfter().isEmpty()) {
            exchange.getResponseHeaders().set("Retry-After", answer.retryAfter());
          }
          byte[] body = "found".getBytes(java.nio.charset.StandardCharsets.UTF_8);
          exchange.sendResponseHeaders(answer.status(), body.length);
          exchange.getResponseBody().write(body);
          exchange.close();
        });
    service.start();
  }

  @AfterAll
  static void stop() {
    service.stop(0);
  }

  private static String serviceUrl() {
    return "http://127.0.0.1:" + service.getAddress().getPort();
  }

  @Test
  void aStatusThatPassesIsRetriedWithTheHintOfTheService() {
    ANSWERS.add(new Answer(503, "40"));
    ANSWERS.add(new Answer(500, ""));
    int waitsBefore = time.waits().size();
    assertThat(client.find(serviceUrl())).isEqualTo("found");
    assertThat(time.waits().subList(waitsBefore, time.waits().size()))
        .hasSize(2)
        .first()
        .isEqualTo(Duration.ofSeconds(40));
  }

  @Test
  void aStatusThatDoesNotPassIsNotRetried() {
    ANSWERS.add(new Answer(404, ""));
    assertThatThrownBy(() -> client.find(serviceUrl()))
        .isInstanceOf(HttpClientErrorException.NotFound.class);
    assertThat(ANSWERS).isEmpty();
  }

  @Test
  void theActuatorShowsPolicyBudgetAndCounts() throws Exception {
    JsonNode before = actuator("/reprise/search");
    ANSWERS.add(new Answer(503, ""));
    client.find(serviceUrl());
    for (int i = 0; i < 3; i++) {
      ANSWERS.add(new Answer(503, ""));
    }
    assertThatThrownBy(() -> client.find(serviceUrl()))
        .isInstanceOf(HttpServerErrorException.class);

    JsonNode after = actuator("/reprise/search");
    assertThat(after.at("/policy/maxAttempts").intValue()).isEqualTo(3);
    assertThat(after.at("/budget/capacityTokens").intValue()).isEqualTo(500);
    assertThat(after.at("/budget/balanceTokens").doubleValue()).isLessThan(500);
    assertThat(grown(before, after, "/counts/attempts")).isEqualTo(5);
    assertThat(grown(before, after, "/counts/succeeded")).isEqualTo(1);
    assertThat(grown(before, after, "/counts/failed/ATTEMPTS")).isEqualTo(1);
    assertThat(actuator("/reprise").at("/search")).isEqualTo(after);
  }

  @Test
  void theActuatorAnswers404ForAnUnknownName() throws Exception {
    assertThat(get("/reprise/serach").statusCode()).isEqualTo(404);
  }

  @Test
  void theMetersAreAmongTheApplications() throws Exception {
    client.find(serviceUrl());
    assertThat(actuator("/metrics/reprise.retry.operations?tag=name:search").at("/measurements"))
        .isNotEmpty();
  }

  private static long grown(JsonNode before, JsonNode after, String path) {
    return after.at(path).asLong(0) - before.at(path).asLong(0);
  }

  private JsonNode actuator(String path) throws Exception {
    HttpResponse<String> response = get(path);
    assertThat(response.statusCode()).as(response.body()).isEqualTo(200);
    return JsonMapper.shared().readTree(response.body());
  }

  private HttpResponse<String> get(String path) throws Exception {
    return HttpClient.newHttpClient()
        .send(
            HttpRequest.newBuilder(URI.create("http://127.0.0.1:" + port + "/actuator" + path))
                .build(),
            BodyHandlers.ofString());
  }

  @SpringBootApplication
  static class Application {
    @Bean
    SearchClient searchClient() {
      return new SearchClient();
    }

    @Bean
    VirtualTime time() {
      return new VirtualTime();
    }

    @Bean
    RetryCustomizer onVirtualTime(VirtualTime time) {
      return (name, builder) -> builder.time(time);
    }
  }

  static class SearchClient {
    @RetryWith("search")
    public String find(String url) {
      return RestClient.create(url).get().retrieve().body(String.class);
    }
  }
}
