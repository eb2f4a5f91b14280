package dev.reprise.server.api;

import static org.assertj.core.api.Assertions.assertThat;

import dev.reprise.server.access.WrongKeys;
import dev.reprise.server.fixture.RunningService;
import dev.reprise.server.settings.Settings;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** A service that is asked by a proxy, which is this test. */
class TrustedProxiesApiTest {
  private static final String WRONG = "rk_0123456789ab_" + "x".repeat(43);

  @TempDir Path folder;
  private RunningService api;

  private void start(boolean dev, String... trusted) {
    api =
        RunningService.start(
            folder,
            dev,
            Duration.ofSeconds(2),
            settings ->
                trusted.length == 0
                    ? settings
                    : settings.with(Settings.TRUSTED_PROXIES, List.of(trusted)));
  }

  @AfterEach
  void stop() {
    api.close();
  }

  private RunningService.Reply signIn(String key, String... headers) {
    List<String> all =
        Stream.concat(Stream.of("Reprise-Console", "1"), Stream.of(headers)).toList();
    return api.send(
        "POST",
        "/console/session",
        "{\"key\":\"" + key + "\"}",
        "application/json",
        all.toArray(String[]::new));
  }

  private String clientOfAChange(String forwardedFor) {
    assertThat(
            api.send(
                    "PUT",
                    "/v1/topics/t",
                    "{}",
                    "application/json",
                    "X-Forwarded-For",
                    forwardedFor)
                .status())
        .isLessThan(300);
    return api.get("/v1/audit?limit=1").json().at("/items/0/client").asString();
  }

  @Test
  void theAuditLogHasTheClientAndNotTheProxy() {
    start(false, "127.0.0.1");

    assertThat(clientOfAChange("6.6.6.6, 203.0.113.9")).isEqualTo("203.0.113.9");
  }

  @Test
  void aProxyThatNobodyTrustsIsTheClient() {
    start(false, "10.0.0.0/8");

    assertThat(clientOfAChange("203.0.113.9")).isEqualTo("127.0.0.1");
  }

  @Test
  void wrongKeysAreCountedByTheClientBehindTheProxy() {
    start(false, "127.0.0.1");
    int last = 0;
    // A minute may pass meanwhile, from which on they are counted anew.
    for (int i = 0; i < 20 * WrongKeys.MAX_A_MINUTE && last != 429; i++) {
      // Without the form of a key, so that the address alone is counted.
      last = wrong("203.0.113.9");
    }

    assertThat(last).isEqualTo(429);
    assertThat(wrong("203.0.113.10")).isEqualTo(401);
  }

  private int wrong(String client) {
    return signIn("wrong", "Sec-Fetch-Site", "same-origin", "X-Forwarded-For", client).status();
  }

  @Test
  void aPageAtTheHostOfTheClientMaySignIn() {
    start(false, "127.0.0.1");
    String key = api.service.firstKey().orElseThrow();
    // A browser that does not send Sec-Fetch-Site, as none does to a page without TLS.
    String[] headers = {"Origin", "http://reprise.example", "X-Forwarded-Host", "reprise.example"};

    assertThat(signIn(key, headers).status()).isEqualTo(200);
    assertThat(signIn(key, "Origin", "http://evil.example", "X-Forwarded-Host", "a.example"))
        .satisfies(reply -> assertThat(reply.status()).isEqualTo(403));
    assertThat(signIn(WRONG, headers).status()).isEqualTo(401);
  }

  @Test
  void theCookieIsSecureWhereTheClientSpeaksTls() {
    start(false, "127.0.0.1");
    String key = api.service.firstKey().orElseThrow();

    assertThat(cookie(key, "https")).contains("; Secure");
    assertThat(cookie(key, "http")).doesNotContain("Secure");
  }

  private String cookie(String key, String scheme) {
    return signIn(key, "Sec-Fetch-Site", "same-origin", "X-Forwarded-Proto", scheme)
        .header("Set-Cookie");
  }

  @Test
  void withoutKeysNobodyComesThroughAProxy() {
    start(true);

    for (String header :
        List.of("Forwarded", "X-Forwarded-For", "x-real-ip", "X-Forwarded-Proto", "Via")) {
      RunningService.Reply reply = api.send("GET", "/v1/topics", null, "", header, "for=1.1.1.1");

      assertThat(reply.status()).as(header).isEqualTo(403);
      assertThat(reply.message()).startsWithIgnoringCase(header + " is present: requests that");
    }
    assertThat(api.get("/v1/topics").status()).isEqualTo(200);
  }
}
