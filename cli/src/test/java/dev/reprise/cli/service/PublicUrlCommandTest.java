package dev.reprise.cli.service;

import static org.assertj.core.api.Assertions.assertThat;

import dev.reprise.cli.CommandRun;
import dev.reprise.fixtures.Nginx;
import dev.reprise.server.serve.Service;
import dev.reprise.server.settings.ServeSettings;
import dev.reprise.server.settings.Settings;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Commands through a real nginx that passes the path of the public URL on, or takes it away. */
@Tag("slow")
class PublicUrlCommandTest {
  @TempDir Path folder;

  @ParameterizedTest
  @ValueSource(strings = {"", "/"})
  void commandsTakeTheUrlWithItsPath(String slash) throws Exception {
    ServeSettings settings =
        ServeSettings.in(folder.resolve("data"))
            .with(Settings.PORT, 0)
            .with(Settings.DEV, true)
            .with(Settings.SHARDS, 1)
            .with(Settings.GRACE, Duration.ZERO)
            .with(Settings.PUBLIC_URL, "https://reprise.example/reprise/");
    Path own = Files.createDirectory(folder.resolve("nginx"));
    try (Service service = Service.start(settings);
        Nginx proxy =
            Nginx.start(
                own,
                "server { listen @port@; location /reprise/ { proxy_pass "
                    + service.baseUrl()
                    + slash
                    + "; proxy_set_header Host reprise.example; } }")) {
      String url = "http://127.0.0.1:" + proxy.port() + "/reprise";

      CommandRun.Result created = CommandRun.run("--url", url + "/", "topic", "create", "orders");
      assertThat(created.exitCode()).as(created.err()).isZero();
      CommandRun.Result listed = new CommandRun().with("REPRISE_URL", url).execute("topic", "list");
      assertThat(listed.exitCode()).as(listed.err()).isZero();
      assertThat(listed.out()).contains("orders");
    }
  }
}
