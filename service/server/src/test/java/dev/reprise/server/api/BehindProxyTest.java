package dev.reprise.server.api;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import dev.reprise.fixtures.Nginx;
import dev.reprise.server.access.WrongKeys;
import dev.reprise.server.fixture.Browser;
import dev.reprise.server.fixture.OperatingPage;
import dev.reprise.server.fixture.RunningService;
import dev.reprise.server.settings.Settings;
import java.io.IOException;
import java.net.InetAddress;
import java.net.Socket;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The console behind a real nginx, with {@code auth_basic} and below a path. */
@Tag("slow")
class BehindProxyTest {
  private static final String SESSION = "/console/session";
  private static final String WRONG = "rk_0123456789ab_" + "x".repeat(43);

  /** ops:pass */
  private static final String BASIC = "Basic b3BzOnBhc3M=";

  @TempDir static Path folder;
  static RunningService api;
  static Nginx nginx;
  static String key;

  private static final HttpClient CLIENT =
      HttpClient.newBuilder().version(HttpClient.Version.HTTP_1_1).build();

  @BeforeAll
  static void start() throws IOException, InterruptedException {
    api =
        RunningService.start(
            Files.createDirectory(folder.resolve("data")),
            false,
            Duration.ofSeconds(2),
            settings -> settings.with(Settings.TRUSTED_PROXIES, List.of("127.0.0.1")));
    key = api.service.firstKey().orElseThrow();
    Path nginxFolder = Files.createDirectory(folder.resolve("nginx"));
    Path users = Files.writeString(nginxFolder.resolve("htpasswd"), "ops:{PLAIN}pass\n");
    nginx = Nginx.start(nginxFolder, configuration(users));
  }

  private static String configuration(Path users) throws IOException {
    return block("nginx-login").replace("/etc/nginx/htpasswd", users.toString());
  }

  /** A block of the page for operators, with the places of this test. */
  private static String block(String name) throws IOException {
    return OperatingPage.block(name)
        .replace("listen 443;", "listen @port@;")
        .replace("http://127.0.0.1:8080", api.service.baseUrl());
  }

  @AfterAll
  static void stop() {
    if (nginx != null) {
      nginx.close();
    }
    api.close();
  }

  private static String throughNginx() {
    return "http://127.0.0.1:" + nginx.port();
  }

  private static HttpResponse<String> ask(String method, String url, String body, String... headers)
      throws Exception {
    HttpRequest.Builder request =
        HttpRequest.newBuilder(URI.create(url))
            .timeout(Duration.ofMinutes(5))
            .method(method, HttpRequest.BodyPublishers.ofString(body))
            .header("Content-Type", "application/json");
    if (headers.length > 0) {
      request.headers(headers);
    }
    return CLIENT.send(request.build(), HttpResponse.BodyHandlers.ofString());
  }

  private static HttpResponse<String> signIn(String base, String text, String... headers)
      throws Exception {
    List<String> all =
        new ArrayList<>(List.of("Reprise-Console", "1", "Sec-Fetch-Site", "same-origin"));
    all.addAll(List.of(headers));
    return ask("POST", base + SESSION, "{\"key\":\"" + text + "\"}", all.toArray(String[]::new));
  }

  private static String cookie(HttpResponse<String> signedIn) {
    assertThat(signedIn.statusCode()).as(signedIn.body()).isEqualTo(200);
    return signedIn.headers().firstValue("Set-Cookie").orElseThrow().split(";", 2)[0];
  }

  @Test
  void aLoginOfTheProxyDoesNotHideTheSession() throws Exception {
    String base = throughNginx();
    assertThat(ask("GET", base + "/v1/topics", "").statusCode()).isEqualTo(401);
    String session = cookie(signIn(base, key, "Authorization", BASIC));
    String[] headers = {
      "Authorization",
      BASIC,
      "Cookie",
      session,
      "Sec-Fetch-Site",
      "same-origin",
      "Reprise-Console",
      "1"
    };

    assertThat(ask("GET", base + "/v1/topics", "", headers).statusCode()).isEqualTo(200);
    assertThat(ask("PUT", base + "/v1/topics/t", "{}", headers).statusCode()).isLessThan(300);
    // A program has its key in the header, and passes the login by it.
    assertThat(ask("GET", base + "/v1/topics", "", "Authorization", "Bearer " + key).statusCode())
        .isEqualTo(200);
  }

  @Test
  void theConsoleWorksBelowAPathThatTheProxyTakesAway() throws Exception {
    assertThat(
            ask("PUT", api.service.baseUrl() + "/v1/topics/below", "{}", "Authorization", ofKey())
                .statusCode())
        .isLessThan(300);
    Path own = Files.createDirectory(folder.resolve("nginx-path"));
    try (Nginx proxy = Nginx.start(own, block("nginx-path"))) {
      String url = "http://127.0.0.1:" + proxy.port() + "/reprise";
      assertThat(ask("GET", url + "/v1/topics", "", "Authorization", ofKey()).statusCode())
          .isEqualTo(200);
      try (Browser browser = Browser.at(url)) {
        browser.signIn(key);
        // A page that is opened at its own URL, and one that is reached by a link.
        browser.open("/topics/below");
        browser.see("main", "below");
        browser.see("a[href='topics']").click();
        browser.patiently().until(b -> url.equals(urlOf(browser, "/topics")));
        browser.see("main", "below");
        // A link within the page, which the page's base alone would lead to the overview.
        browser.run("document.querySelector('a.skip').click()");
        assertThat(browser.run("return document.activeElement.id")).isEqualTo("main");
        assertThat(urlOf(browser, "/topics")).isEqualTo(url);
        // A page with a style sheet and documents of its own.
        browser.see("a[href='policies']").click();
        browser
            .patiently()
            .until(
                b ->
                    Boolean.TRUE.equals(
                        browser.run(
                            "return [...document.styleSheets].some(s => s.href === '"
                                + url
                                + "/console/policy.css' && s.cssRules.length > 0)")));
      }
    }
  }

  /** A client at another address than the proxy's, which pretends to be somebody else. */
  @Test
  void theProxyTellsTheClientsAddress() throws Exception {
    Path own = Files.createDirectory(folder.resolve("nginx-addresses"));
    try (Nginx proxy = Nginx.start(own, block("nginx-addresses"))) {
      String signIn = "{\"key\":\"" + key + "\"}";
      assertThat(fromElsewhere(proxy.port(), "POST " + SESSION, "", signIn))
          .startsWith("HTTP/1.1 200 ");
      String login = "Authorization: " + ofKey() + "\r\n";
      assertThat(fromElsewhere(proxy.port(), "PUT /v1/topics/from-elsewhere", login, "{}"))
          .startsWith("HTTP/1.1 201 ");
    }
    String audit =
        ask("GET", api.service.baseUrl() + "/v1/audit", "", "Authorization", ofKey()).body();
    assertThat(audit).contains("\"client\":\"127.0.0.2\"").doesNotContain("203.0.113.9");
  }

  private static String fromElsewhere(int port, String request, String login, String body)
      throws IOException {
    String text =
        request
            + " HTTP/1.1\r\nHost: reprise.example\r\nOrigin: http://reprise.example\r\n"
            + "Reprise-Console: 1\r\nX-Forwarded-For: 203.0.113.9\r\n"
            + "X-Forwarded-Host: evil.example\r\nContent-Type: application/json\r\n"
            + login
            + ("Content-Length: " + body.length() + "\r\nConnection: close\r\n\r\n")
            + body;
    InetAddress here = InetAddress.getLoopbackAddress();
    InetAddress elsewhere = InetAddress.getByAddress(new byte[] {127, 0, 0, 2});
    try (Socket socket = new Socket(here, port, elsewhere, 0)) {
      socket.setSoTimeout((int) Duration.ofMinutes(5).toMillis());
      socket.getOutputStream().write(text.getBytes(UTF_8));
      return new String(socket.getInputStream().readAllBytes(), UTF_8);
    }
  }

  private static String urlOf(Browser browser, String path) {
    String at = String.valueOf(browser.driver.getCurrentUrl());
    return at.endsWith(path) ? at.substring(0, at.length() - path.length()) : at;
  }

  private static String ofKey() {
    return "Bearer " + key;
  }

  @Test
  void onlyAKeyOfOursGoesBeforeTheSession() throws Exception {
    String base = api.service.baseUrl();
    String session = cookie(signIn(base, key));
    for (String foreign :
        List.of(
            "",
            "Basic b3BzOnBhc3M=",
            "Negotiate YIIB",
            "Digest username=\"ops\"",
            "Bearer eyJhbGciOiJSUzI1NiJ9.e30.c2ln",
            "Bearer",
            "nonsense")) {
      assertThat(asked(base, session, foreign)).as(foreign).isEqualTo(200);
      assertThat(asked(base, "a=b", foreign)).as(foreign).isEqualTo(401);
    }
    for (String wrong :
        List.of(
            "Bearer " + WRONG, "bearer rk_short", WRONG, "Token " + WRONG, "Bearer  " + WRONG)) {
      assertThat(asked(base, session, wrong)).as(wrong).isEqualTo(401);
    }
    assertThat(asked(base, session, "Basic b3BzOnBhc3M=", "Bearer eyJh.e30.c2ln")).isEqualTo(200);
    assertThat(asked(base, session, "Basic b3BzOnBhc3M=", "Bearer " + WRONG)).isEqualTo(401);
    assertThat(asked(base, "a=b", "Basic b3BzOnBhc3M=", "Bearer " + key)).isEqualTo(200);
    assertThat(asked(base, session, "Bearer " + key, "Bearer " + WRONG)).isEqualTo(401);
  }

  private static int asked(String base, String cookie, String... authorizations) throws Exception {
    List<String> headers = new ArrayList<>(List.of("Cookie", cookie));
    for (String each : authorizations) {
      headers.add("Authorization");
      headers.add(each);
    }
    HttpResponse<String> answer =
        ask("GET", base + "/v1/topics", "", headers.toArray(String[]::new));
    // A browser asks its user for a password at a challenge for Basic, Digest or Negotiate.
    assertThat(answer.headers().firstValue("WWW-Authenticate").orElse("Bearer"))
        .isEqualTo("Bearer");
    return answer.statusCode();
  }

  @Test
  void theRightKeyIsNeverRefusedForWrongOnes() throws Exception {
    for (String base : List.of(api.service.baseUrl(), throughNginx())) {
      int last = 0;
      // A minute may pass meanwhile, from which on they are counted anew.
      for (int i = 0; i < 20 * WrongKeys.MAX_A_MINUTE && last != 429; i++) {
        last = signIn(base, WRONG, "Authorization", BASIC).statusCode();
      }
      assertThat(last).isEqualTo(429);
      cookie(signIn(base, key, "Authorization", BASIC));
    }
  }
}
