package dev.reprise.cli.base;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.sun.net.httpserver.HttpServer;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.URI;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CopyOnWriteArrayList;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** Requests of one client through a proxy that asks for user and password. */
class ProxyLoginTest {
  private static final String URL = "http://reprise.example";

  private final List<String> logins = new CopyOnWriteArrayList<>();
  private final Set<InetSocketAddress> connections = ConcurrentHashMap.newKeySet();
  private HttpServer proxy;

  @BeforeEach
  void listen() throws IOException {
    proxy = HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 0);
    proxy.createContext(
        "/",
        exchange -> {
          try (exchange) {
            String login =
                String.valueOf(exchange.getRequestHeaders().getFirst("Proxy-Authorization"));
            logins.add(login);
            connections.add(exchange.getRemoteAddress());
            boolean right = login.equals("Basic dTpw");
            if (!right) {
              exchange.getResponseHeaders().set("Proxy-Authenticate", "Basic realm=\"any\"");
            }
            byte[] answer = "{\"items\":[]}".getBytes(UTF_8);
            exchange.sendResponseHeaders(right ? 200 : 407, answer.length);
            exchange.getResponseBody().write(answer);
          }
        });
    proxy.start();
  }

  @AfterEach
  void stop() {
    proxy.stop(0);
  }

  private ApiClient client(String user) {
    String url = "http://" + user + "@127.0.0.1:" + proxy.getAddress().getPort();
    Route route = Route.to(URI.create(URL), Map.of("http_proxy", url)::get);
    return new ApiClient(URL, null, null, null, route);
  }

  @Test
  void requestsShareTheirConnectionAndOneRefusal() {
    ApiClient client = client("u:p");

    for (int i = 0; i < 5; i++) {
      client.get("/v1/topics", "items");
    }

    // Java makes another one after the first refusal.
    assertThat(connections).hasSizeLessThanOrEqualTo(2);
    assertThat(logins)
        .containsExactly(
            "null", "Basic dTpw", "Basic dTpw", "Basic dTpw", "Basic dTpw", "Basic dTpw");
  }

  @Test
  void aWrongPasswordIsGivenOnceForEachRequest() {
    ApiClient client = client("u:q");

    for (int i = 0; i < 2; i++) {
      assertThatThrownBy(() -> client.get("/v1/topics", "items"))
          .hasMessageContaining("refuses its user or password");
    }

    assertThat(logins.stream().filter(login -> login.equals("Basic dTpx"))).hasSize(2);
  }
}
