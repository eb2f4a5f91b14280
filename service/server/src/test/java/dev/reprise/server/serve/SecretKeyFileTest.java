package dev.reprise.server.serve;

import static java.nio.charset.StandardCharsets.ISO_8859_1;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.reprise.delivery.secret.SecretKeys;
import dev.reprise.server.settings.ServeSettings;
import dev.reprise.server.settings.Settings;
import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.time.Duration;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Keys of secrets over starts of the service. */
@Tag("slow")
class SecretKeyFileTest {
  private static final String SECRET = "{\"http\":{\"token\":\"hunter2-hunter2\"}}";

  @TempDir Path folder;

  private ServeSettings settings(boolean dev, @Nullable Path keys) {
    ServeSettings settings =
        ServeSettings.in(folder.resolve("data"))
            .with(Settings.PORT, 0)
            .with(Settings.DEV, dev)
            .with(Settings.ALLOW, List.of("127.0.0.0/8"))
            .with(Settings.SHARDS, 1)
            .with(Settings.GRACE, Duration.ZERO)
            .with(Settings.DRAIN, Duration.ZERO);
    return keys == null ? settings : settings.with(Settings.SECRET_KEYS, keys);
  }

  private static HttpResponse<String> send(
      Service service, String method, String path, String body, @Nullable String key)
      throws Exception {
    HttpRequest.Builder request =
        HttpRequest.newBuilder(URI.create(service.baseUrl() + path))
            .header("Content-Type", "application/json")
            .method(method, HttpRequest.BodyPublishers.ofString(body));
    if (key != null) {
      request.header("Authorization", "Bearer " + key);
    }
    return HttpClient.newHttpClient().send(request.build(), HttpResponse.BodyHandlers.ofString());
  }

  private Path keys(String... lines) throws IOException {
    return Files.writeString(folder.resolve("keys"), String.join("\n", lines));
  }

  @Test
  void keysAreChangedOverTwoStarts() throws Exception {
    String k1 = SecretKeys.newLine("k1");
    String k2 = SecretKeys.newLine("k2");
    String api;
    try (Service service = Service.start(settings(false, keys(k1)))) {
      api = service.firstKey().orElseThrow();
      send(service, "PUT", "/v1/topics/t", "{}", api);
      HttpResponse<String> created =
          send(
              service,
              "POST",
              "/v1/topics/t/subscriptions",
              "{\"endpoint\":\"http://127.0.0.1:9/\"," + SECRET.substring(1),
              api);
      assertThat(created.statusCode()).as(created.body()).isEqualTo(201);
      assertThat(created.body()).contains("\"key\":\"k1\"").doesNotContain("hunter2");
    }
    assertThatThrownBy(() -> Service.start(settings(false, keys(k2))))
        .isInstanceOf(StartException.class)
        .hasMessageStartingWith(
            "secret-keys: secrets are encrypted under key 'k1', which is not given; subscription"
                + " t-1 needs it");
    try (Service service = Service.start(settings(false, keys(k2, k1)))) {
      assertThat(send(service, "GET", "/v1/subscriptions/t-1", "", api).body())
          .contains("\"key\":\"k2\"");
    }
    try (Service service = Service.start(settings(false, keys(k2)))) {
      assertThat(service.failure()).isNull();
    }
    try (var files = Files.walk(folder.resolve("data"))) {
      assertThat(files.filter(Files::isRegularFile))
          .allSatisfy(
              file ->
                  assertThat(new String(Files.readAllBytes(file), ISO_8859_1))
                      .doesNotContain("hunter2"));
    }
  }

  @Test
  void devMakesAKeyThatStays() {
    SecretKeys first = SecretKeyFile.read(settings(true, null));
    assertThat(first.currentId()).isEqualTo("dev");
    assertThat(SecretKeyFile.read(settings(true, null)).open(first.seal("x", "f"), "f"))
        .isEqualTo("x");
    assertThat(folder.resolve("data/dev-secret-key"))
        .satisfies(
            file ->
                assertThat(PosixFilePermissions.toString(Files.getPosixFilePermissions(file)))
                    .isEqualTo("rw-------"));
    assertThat(SecretKeyFile.read(settings(false, null)).isEmpty()).isTrue();
  }

  @Test
  void aWrongKeyFileStopsTheStart() throws Exception {
    assertThatThrownBy(() -> Service.start(settings(false, folder.resolve("none"))))
        .isInstanceOf(StartException.class)
        .hasMessageContaining("secret-keys: ")
        .hasMessageContaining("there is no such file");
    Path wrong = keys("k1 tooshort");
    assertThatThrownBy(() -> Service.start(settings(false, wrong)))
        .isInstanceOf(StartException.class)
        .hasMessageContaining("line 1")
        .hasMessageNotContaining("tooshort");
  }
}
