package dev.reprise.cli.apply;

import static org.assertj.core.api.Assertions.assertThat;

import com.sun.net.httpserver.HttpServer;
import dev.reprise.cli.CommandRun;
import dev.reprise.server.serve.Service;
import dev.reprise.server.settings.ServeSettings;
import dev.reprise.server.settings.Settings;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** What keys of projects may apply and export, and services that break off. */
class ApplyKeysTest {
  @TempDir private Path folder;

  private String file(String name, String text) throws IOException {
    Path file = folder.resolve(name);
    Files.writeString(file, text);
    return file.toString();
  }

  private static CommandRun.Result run(String url, String key, String... args) {
    return new CommandRun().with("REPRISE_URL", url).with("REPRISE_KEY", key).execute(args);
  }

  @Test
  void aProjectsKeyAppliesAndExportsItsOwn() throws IOException {
    try (Service service =
        Service.start(
            ServeSettings.in(folder.resolve("data"))
                .with(Settings.PORT, 0)
                .with(Settings.SHARDS, 1)
                .with(Settings.GRACE, Duration.ZERO)
                .with(Settings.DRAIN, Duration.ZERO))) {
      String url = service.baseUrl();
      String operator = service.firstKey().orElseThrow();
      String all = "projects: {shop: }\ntopics: {mine: }\n---\nproject: shop\ntopics: {sold: }\n";
      CommandRun.Result made = run(url, operator, "apply", file("all.yaml", all));
      assertThat(made.exitCode()).as(made.err()).isZero();
      String shop =
          run(
                  url,
                  operator,
                  "key",
                  "create",
                  "ci",
                  "--project",
                  "shop",
                  "--scope",
                  "manage",
                  "--json")
              .out()
              .replaceAll("(?s).*?\"key\":\"([^\"]+)\".*", "$1");

      CommandRun.Result exported = run(url, shop, "export");
      assertThat(exported.exitCode()).as(exported.err()).isZero();
      assertThat(exported.out()).isEqualTo("topics:\n  sold:\n    subscriptions: []\n");
      assertThat(exported.err()).contains("only an operator's API key may see them");

      assertThat(run(url, shop, "apply", file("own.yaml", "topics: {sold: , b: }")).out())
          .isEqualTo("+ topic b\n1 change, 1 unchanged\n");
      assertThat(run(url, shop, "apply", file("named.yaml", "project: shop\ntopics: {b: }")).out())
          .isEqualTo("0 changes, 1 unchanged\n");
      CommandRun.Result other =
          run(url, shop, "apply", file("other.yaml", "project: default\ntopics: {b: }"));
      assertThat(other.exitCode()).isEqualTo(2);
      assertThat(other.err()).contains("project default: there is none");
      CommandRun.Result carriers = run(url, shop, "apply", file("c.yaml", "carriers: {}"));
      assertThat(carriers.exitCode()).isEqualTo(5);
      assertThat(carriers.err()).contains("only an operator's API key may change");
      assertThat(run(url, operator, "export", "--project", "shop").out())
          .isEqualTo("topics:\n  b:\n    subscriptions: []\n  sold:\n    subscriptions: []\n");
      assertThat(run(url, operator, "export").out())
          .isEqualTo(
              """
              projects:
                shop: {}
              topics:
                mine:
                  subscriptions: []
              ---
              project: shop
              topics:
                b:
                  subscriptions: []
                sold:
                  subscriptions: []
              """);
    }
  }

  @Test
  void aServiceThatBreaksOffLeavesTheRest() throws IOException {
    AtomicInteger puts = new AtomicInteger();
    HttpServer stub =
        HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 0);
    stub.createContext(
        "/",
        exchange -> {
          try (exchange) {
            exchange.getRequestBody().readAllBytes();
            boolean put = exchange.getRequestMethod().equals("PUT");
            if (put && puts.incrementAndGet() > 1) {
              return;
            }
            String path = exchange.getRequestURI().getPath();
            byte[] answer =
                (path.equals("/v1/projects")
                        ? "{\"items\": [{\"name\": \"default\"}], \"next\": null}"
                        : "{\"items\": [], \"next\": null, \"name\": \"x\"}")
                    .getBytes(StandardCharsets.UTF_8);
            exchange.sendResponseHeaders(200, answer.length);
            exchange.getResponseBody().write(answer);
          }
        });
    stub.start();
    try {
      CommandRun.Result result =
          run(
              "http://127.0.0.1:" + stub.getAddress().getPort(),
              "k",
              "apply",
              file("three.yaml", "topics: {a: , b: , c: }"));

      assertThat(result.exitCode()).isEqualTo(3);
      assertThat(result.out()).isEqualTo("+ topic a\n");
      assertThat(result.err())
          .contains("\"+ topic b\" failed: cannot reach")
          .contains("1 change made, 2 not")
          .contains("  + topic c\n");
    } finally {
      stub.stop(0);
    }
  }
}
