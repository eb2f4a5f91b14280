package dev.reprise.cli.base;

import static org.assertj.core.api.Assertions.assertThat;

import dev.reprise.cli.CommandRun;
import dev.reprise.fixtures.TestCertificate;
import dev.reprise.server.serve.Service;
import dev.reprise.server.settings.ServeSettings;
import dev.reprise.server.settings.Settings;
import java.nio.file.Path;
import java.time.Duration;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class AuthorityTest {
  @TempDir private Path folder;

  @Test
  void commandsTrustTheAuthorityTheyAreGiven() throws Exception {
    TestCertificate certificate = TestCertificate.of(folder, "first", "localhost", "127.0.0.1");
    ServeSettings settings =
        ServeSettings.in(folder.resolve("data"))
            .with(Settings.PORT, 0)
            .with(Settings.DEV, true)
            .with(Settings.SHARDS, 1)
            .with(Settings.GRACE, Duration.ZERO)
            .with(Settings.TLS_CERTIFICATE, certificate.certificatePem())
            .with(Settings.TLS_KEY, certificate.keyPem());
    try (Service service = Service.start(settings)) {
      CommandRun command = new CommandRun().with("REPRISE_URL", service.baseUrl());
      String ca = certificate.certificatePem().toString();
      assertThat(command.execute("topic", "list").exitCode()).isEqualTo(3);
      assertThat(command.execute("topic", "create", "t", "--api-ca", ca).exitCode()).isZero();
      assertThat(
              command.execute("subscribe", "t", "http://127.0.0.1:9/", "--api-ca", ca).exitCode())
          .isZero();
      assertThat(
              command
                  .execute("subscription", "update", "t-1", "--format", "raw", "--api-ca", ca)
                  .exitCode())
          .isZero();
    }
  }
}
