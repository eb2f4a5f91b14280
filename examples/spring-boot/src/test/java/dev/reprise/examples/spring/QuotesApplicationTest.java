package dev.reprise.examples.spring;

import static org.assertj.core.api.Assertions.assertThat;

import com.sun.net.httpserver.HttpServer;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse.BodyHandlers;
import java.nio.charset.StandardCharsets;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.Test;
import org.springframework.boot.test.context.SpringBootTest;
import org.springframework.boot.test.context.SpringBootTest.WebEnvironment;
import org.springframework.boot.test.web.server.LocalServerPort;
import org.springframework.test.context.DynamicPropertyRegistry;
import org.springframework.test.context.DynamicPropertySource;

@SpringBootTest(
    webEnvironment = WebEnvironment.RANDOM_PORT,
    // The deadline of the example is for its user, who sits and waits.
    properties = "reprise.retry.quotes.deadline=5m")
class QuotesApplicationTest {
  private static final HttpServer QUOTES = quotes();

  @LocalServerPort private int port;

  /** A service that is overloaded at its first two requests. */
  private static HttpServer quotes() {
    AtomicInteger requests = new AtomicInteger();
    try {
      HttpServer server =
          HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 0);
      server.createContext(
          "/",
          exchange -> {
            byte[] body = "Try again.".getBytes(StandardCharsets.UTF_8);
            exchange.sendResponseHeaders(requests.incrementAndGet() < 3 ? 500 : 200, body.length);
            exchange.getResponseBody().write(body);
            exchange.close();
          });
      server.start();
      return server;
    } catch (IOException e) {
      throw new AssertionError(e);
    }
  }

  @DynamicPropertySource
  static void urls(DynamicPropertyRegistry properties) {
    properties.add("quotes.url", () -> "http://127.0.0.1:" + QUOTES.getAddress().getPort());
  }

  @AfterAll
  static void stop() {
    QUOTES.stop(0);
  }

  @Test
  void aQuoteComesAlthoughTheServiceFailsTwiceAndTheActuatorTells() throws Exception {
    assertThat(get("/quote")).isEqualTo("Try again.");
    assertThat(get("/actuator/reprise/quotes"))
        .contains("\"attempts\":3")
        .contains("\"succeeded\":1")
        .contains("\"maxAttempts\":4");
  }

  private String get(String path) throws Exception {
    return HttpClient.newHttpClient()
        .send(
            HttpRequest.newBuilder(URI.create("http://127.0.0.1:" + port + path)).build(),
            BodyHandlers.ofString())
        .body();
  }
}
