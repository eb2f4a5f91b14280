package dev.reprise.server.api;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import com.sun.net.httpserver.HttpServer;
import dev.reprise.server.access.BrowserSessions;
import dev.reprise.server.api.ConsoleData.Page;
import dev.reprise.server.fixture.Browser;
import dev.reprise.server.fixture.RunningService;
import dev.reprise.server.fixture.RunningService.Reply;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.net.URLEncoder;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.openqa.selenium.Cookie;
import org.openqa.selenium.Keys;

/** The console of a service with keys, attacked: by strangers, foreign pages and hostile text. */
@Tag("slow")
class ConsoleSecurityTest {
  private static final String SESSION = "/console/session";
  private static final Pattern TOKEN = Pattern.compile("reprise_session=([^;\\s]+)");

  /** Labels of buttons that change something. */
  private static final Pattern CHANGES =
      Pattern.compile(
          "(?i)(delete|suspend|release|create|new |publish|cancel|attempt|redrive|purge|save).*");

  @TempDir static Path folder;
  private static RunningService api;
  private static ConsoleData data;
  private static String key;

  @BeforeAll
  static void start() {
    api = RunningService.withKeys(folder, "127.0.0.0/8");
    key = api.service.firstKey().orElseThrow();
    data = ConsoleData.in(api);
  }

  @AfterAll
  static void stop() {
    if (data != null) {
      data.close();
    }
    api.close();
  }

  /** Sends a request as it is written here, and returns the whole answer. */
  private static String raw(RunningService to, String request, String body) {
    try (Socket socket = new Socket(InetAddress.getLoopbackAddress(), to.service.port())) {
      String whole =
          request
              + "\r\nConnection: close\r\nContent-Length: "
              + body.getBytes(UTF_8).length
              + "\r\n\r\n"
              + body;
      socket.getOutputStream().write(whole.getBytes(UTF_8));
      return new String(socket.getInputStream().readAllBytes(), UTF_8);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  private static int status(String answer) {
    return Integer.parseInt(answer.substring(9, 12));
  }

  private static String host(RunningService of) {
    return "127.0.0.1:" + of.service.port();
  }

  /** The headers of a change by a page of the console. */
  private static String own(String method, String path) {
    return method
        + " "
        + path
        + " HTTP/1.1\r\nHost: "
        + host(api)
        + "\r\nOrigin: http://"
        + host(api)
        + "\r\nReprise-Console: 1\r\nContent-Type: application/json";
  }

  private static String signIn(String with) {
    return raw(api, own("POST", SESSION), "{\"key\":\"" + with + "\"}");
  }

  private static String token(String with) {
    Matcher cookie = TOKEN.matcher(signIn(with));
    assertThat(cookie.find()).isTrue();
    return cookie.group(1);
  }

  private static String get(String path, String token) {
    return raw(
        api,
        "GET " + path + " HTTP/1.1\r\nHost: " + host(api) + "\r\nCookie: reprise_session=" + token,
        "");
  }

  private static Reply newKey(String more) {
    Reply made = api.post("/v1/keys", "{\"name\":\"k\"," + more + "}");
    assertThat(made.status()).as(made.text()).isEqualTo(201);
    return made;
  }

  // --- signing in and out -------------------------------------------------------------------

  @Test
  void aKeySignsInAndSigningOutEndsIt() {
    try (Browser browser = Browser.open(api)) {
      browser.open("/");
      browser.see("#key").sendKeys("rk_wrong" + Keys.ENTER);
      browser.see("[role=alert]", "this is not an API key of this service");
      assertThat(browser.driver.manage().getCookies()).isEmpty();

      browser.type("#key", key);
      browser.press("form button.primary", "Sign in");
      browser.see("main#main");

      Cookie cookie = browser.driver.manage().getCookieNamed(BrowserSessions.COOKIE);
      assertThat(cookie.isHttpOnly()).isTrue();
      assertThat(cookie.getSameSite()).isEqualTo("Strict");
      assertThat(cookie.getPath()).isEqualTo("/");
      assertThat(cookie.getDomain()).isEqualTo("127.0.0.1");
      assertThat(cookie.getValue()).isNotEqualTo(key).doesNotContain("rk_");
      assertThat(browser.run("return document.cookie")).isEqualTo("");
      assertThat(
              browser.run(
                  "return JSON.stringify(localStorage) + JSON.stringify(sessionStorage)"
                      + " + document.documentElement.outerHTML"))
          .asString()
          .doesNotContain(key);
      assertThat(status(get("/v1/topics", cookie.getValue()))).isEqualTo(200);

      browser.press("footer button", "Sign out");
      browser.see("#why", "You have signed out.");
      assertThat(browser.driver.manage().getCookieNamed(BrowserSessions.COOKIE)).isNull();
      assertThat(status(get("/v1/topics", cookie.getValue()))).isEqualTo(401);
    }
  }

  @Test
  void aPageWhoseSessionHasEndedAsksForTheKey() {
    Reply made = newKey("\"scopes\":[\"read\"]");
    try (Browser browser = Browser.open(api)) {
      browser.signIn(made.json().get("key").asString());
      assertThat(api.delete("/v1/keys/" + made.json().get("id").asString()).status())
          .isEqualTo(204);

      // What the page asks for next, whatever that is.
      browser.run(
          "import('/console/lib/api.js').then(api => api.get('/v1/topics')).catch(() => 0)");

      browser.see("#why", "Its key was revoked");
      browser.see("#key");
      browser.open("/lab");
      browser.see("#why", "Its key was revoked");
      // As it is after the start of another process, and where there was no session.
      browser.run("sessionStorage.setItem('reprise-session', '{\"instance\":\"another\"}')");
      browser.open("/lab");
      browser.see("#why", "the service was restarted");
      browser.run("sessionStorage.clear()");
      browser.open("/lab");
      browser.see("#key");
      browser.seeNo("#why");
    }
  }

  @Test
  void aFormThatIsOpenOutlivesItsKey() {
    String scopes = "\"scopes\":[\"read\",\"manage\"]";
    Reply first = newKey(scopes);
    String second = newKey(scopes).json().get("key").asString();
    try (Browser browser = Browser.open(api)) {
      browser.signIn(first.json().get("key").asString());
      browser.open("/topics/empty");
      browser.press("main button", "New subscription");
      browser.type("#sub-endpoint", "http://127.0.0.1:1/typed");
      api.delete("/v1/keys/" + first.json().get("id").asString());
      browser.press("dialog button", "Create");

      browser.see("dialog #key");
      browser.see("dialog:has(#key)", "Its key was revoked");
      browser.press("dialog:has(#key) button", "Cancel");
      browser.seeNo("#key");
      browser.see("dialog [role=alert]", "The session has ended");
      assertThat(browser.see("body").getText()).doesNotContain("Authorization");

      browser.press("dialog button", "Create");
      browser.type("#key", second);
      browser.press("dialog:has(#key) button", "Sign in");
      browser.seeNo("#key");
      assertThat(browser.see("#sub-endpoint").getDomProperty("value")).endsWith("/typed");
      browser.press("dialog button", "Create");
      browser.seeNo("dialog");
      browser.see("topic-page table", "http://127.0.0.1:1/typed");
    }
    String made = api.get("/v1/subscriptions?topic=empty").json().at("/items/0/id").asString();
    assertThat(api.delete("/v1/subscriptions/" + made).status()).isEqualTo(204);
  }

  @Test
  void aSessionEndsWithItsKey() {
    Reply made = newKey("\"scopes\":[\"read\"]");
    String token = token(made.json().get("key").asString());
    assertThat(status(get("/v1/topics", token))).isEqualTo(200);

    api.delete("/v1/keys/" + made.json().get("id").asString());

    assertThat(status(get("/v1/topics", token))).isEqualTo(401);
    assertThat(get(SESSION, token)).contains("\"signedIn\":false");
  }

  @Test
  void signingInMakesAnotherSession() {
    String first = token(key);
    String fixed = "A".repeat(43);
    String answer =
        raw(
            api,
            own("POST", SESSION) + "\r\nCookie: reprise_session=" + first,
            "{\"key\":\"" + key + "\"}");
    Matcher cookie = TOKEN.matcher(answer);
    assertThat(cookie.find()).isTrue();
    assertThat(cookie.group(1)).isNotEqualTo(first).hasSize(43);
    assertThat(status(get("/v1/topics", first))).isEqualTo(401);
    assertThat(status(get("/v1/topics", fixed))).isEqualTo(401);
  }

  @Test
  void theCookieIsSecureUnderTls() {
    String tls =
        raw(
            api,
            own("POST", SESSION).replace("Origin: http:", "Origin: https:"),
            "{\"key\":\"" + key + "\"}");

    assertThat(tls).contains("; HttpOnly; SameSite=Strict").contains("; Secure");
    assertThat(signIn(key)).doesNotContain("; Secure").contains("Cache-Control: no-store");
  }

  @Test
  void scopesHideWhatMayNotBeDoneAndTheApiRefusesIt() {
    String reader = newKey("\"scopes\":[\"read\"]").json().get("key").asString();
    List<String> offered;
    try (Browser browser = Browser.open(api)) {
      browser.signIn(reader);
      offered = changesOffered(browser);
      assertThat(
              browser.driver.executeAsyncScript(
                  "const done = arguments[0]; import('/console/lib/api.js').then(api =>"
                      + " api.put('/v1/topics/made-by-reader').then(() => 200, e => e.status))"
                      + ".then(done)"))
          .isEqualTo(403L);
    }
    assertThat(offered).isEmpty();
    assertThat(api.get("/v1/topics/made-by-reader").status()).isEqualTo(404);
    // The same look finds what there is to find.
    try (Browser browser = Browser.open(api)) {
      browser.signIn(
          newKey("\"scopes\":[\"publish\",\"read\",\"manage\"]").json().get("key").asString());
      assertThat(changesOffered(browser)).hasSizeGreaterThan(5);
    }
  }

  @Test
  void aKeyThatOnlyPublishesIsToldSoAndOfferedNothing() {
    String publisher = newKey("\"scopes\":[\"publish\"]").json().get("key").asString();
    try (Browser browser = Browser.open(api)) {
      browser.signIn(publisher);
      browser.see("main h1", "This key can only publish");
      browser.open("/topics");
      browser.see("main", "It sends messages to topics");
      assertThat(browser.shown("nav a, main [role=alert]")).isEmpty();
      browser.press("footer button", "Sign out");
      browser.see("#key");
    }
  }

  /** The buttons of all pages that change something. */
  private static List<String> changesOffered(Browser browser) {
    List<String> offered = new ArrayList<>();
    ConsoleWalk walk = new ConsoleWalk(browser);
    for (Page page : data.pages()) {
      walk.open(page);
      if (!page.exists()) {
        continue;
      }
      for (Object button : browser.shown("main button")) {
        if (CHANGES.matcher((String) button).matches()) {
          offered.add(page.path() + ": " + button);
        }
      }
    }
    return offered;
  }

  // --- foreign pages ------------------------------------------------------------------------

  /** Tries all that a page may send, and says so in its title when it has. */
  private static String attack() {
    String target = "http://" + host(api);
    return """
    <!doctype html><title>at it</title>
    <iframe name="sink"></iframe><img src="TARGET/v1/topics/orders"><script src="TARGET/v1/topics"></script>
    <form id="f" method="post" action="TARGET/v1/topics/orders/messages" target="sink" enctype="text/plain">
    <input name='{"body":"forged","x":"' value='"}'></form>
    <form id="g" method="post" action="TARGET/v1/subscriptions/ID/suspend" target="sink"></form>
    <form id="h" method="post" action="TARGET/console/session" target="sink" enctype="text/plain"><input name='{"key":"' value='"}'></form>
    <script>
    const json = {'Content-Type': 'application/json'};
    const send = (path, options) => fetch('TARGET' + path, {credentials: 'include', ...options}).then(r => r.text(), e => e);
    document.getElementById('f').submit(); document.getElementById('g').submit(); document.getElementById('h').submit();
    navigator.sendBeacon('TARGET/v1/subscriptions/ID/suspend', '{}');
    navigator.sendBeacon('TARGET/v1/subscriptions/ID/suspend', new Blob(['{}'], {type: 'text/plain'}));
    Promise.allSettled([
      send('/v1/subscriptions/ID/suspend', {method: 'POST', mode: 'no-cors', body: '{}'}),
      send('/v1/subscriptions/ID/suspend', {method: 'POST', mode: 'no-cors'}),
      send('/v1/subscriptions/ID/suspend', {method: 'POST', headers: json, body: '{}'}),
      send('/v1/subscriptions/ID/suspend', {method: 'POST', headers: {...json, 'Reprise-Console': '1'}, body: '{}'}),
      send('/v1/topics/forged', {method: 'PUT', headers: {...json, 'Reprise-Console': '1'}, body: '{}'}),
      send('/v1/topics/empty', {method: 'DELETE', headers: {'Reprise-Console': '1'}}),
      send('/console/session', {method: 'DELETE', headers: {'Reprise-Console': '1'}}),
      send('/v1/subscriptions/ID', {method: 'HEAD', mode: 'no-cors'}),
      send('/v1/subscriptions/ID/suspend', {mode: 'no-cors'}),
      send('/v1/topics', {}).then(t => { if (String(t).includes('orders')) document.body.dataset.read = t; }),
    ]).then(() => setTimeout(() => { document.title = 'done'; }, 500));
    </script>
    """
        .replace("TARGET", target)
        .replace("ID", data.subscriptions.get(0));
  }

  private static String state() {
    return api.get("/v1/audit?limit=1000").json().get("items").size()
        + api.get("/v1/topics").text().replaceAll("\"ledger\":\\{[^}]*}", "")
        + api.get("/v1/subscriptions/" + data.subscriptions.get(0))
            .text()
            .replaceAll(",\"health\":.*", "");
  }

  /** By name it is another site, whose requests have no cookie; by address it is the same site. */
  @ParameterizedTest
  @ValueSource(strings = {"127.0.0.1", "localhost"})
  void aPageOfAnotherOriginChangesNothing(String name) throws IOException {
    HttpServer foreign =
        HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 0);
    byte[] page = attack().getBytes(UTF_8);
    foreign.createContext(
        "/",
        exchange -> {
          exchange.getResponseHeaders().add("Content-Type", "text/html");
          exchange.sendResponseHeaders(200, page.length);
          exchange.getResponseBody().write(page);
          exchange.close();
        });
    foreign.start();
    try (Browser browser = Browser.open(api)) {
      browser.signIn(key);
      String token = browser.driver.manage().getCookieNamed(BrowserSessions.COOKIE).getValue();
      String before = state();

      browser.driver.get("http://" + name + ":" + foreign.getAddress().getPort() + "/");
      browser.patiently().until(b -> "done".equals(b.getTitle()));

      assertThat(state()).isEqualTo(before);
      assertThat(browser.run("return document.body.dataset.read ?? null")).isNull();
      assertThat(status(get("/v1/topics", token))).isEqualTo(200);
      browser.open("/");
      browser.see("main#main");
    } finally {
      foreign.stop(0);
    }
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "Origin: http://HOST",
        "Origin: http://HOST\r\nReprise-Console: 0",
        "Reprise-Console: 1",
        "Origin: null\r\nReprise-Console: 1",
        "Origin: http://evil.example\r\nReprise-Console: 1",
        "Origin: http://HOST.evil.example\r\nReprise-Console: 1",
        "Origin: http://127.0.0.1:1\r\nReprise-Console: 1",
        "Origin: http://HOST\r\nReprise-Console: 1\r\nSec-Fetch-Site: same-site",
        "Origin: http://HOST\r\nReprise-Console: 1\r\nSec-Fetch-Site: cross-site",
        "Origin: http://evil.example\r\nReprise-Console: 1\r\nSec-Fetch-Site: none"
      })
  void aChangeByCookieNeedsThePagesOwnOrigin(String headers) {
    String token = token(key);
    String request =
        "POST /v1/subscriptions/"
            + data.subscriptions.get(0)
            + "/suspend HTTP/1.1\r\nHost: "
            + host(api)
            + "\r\nContent-Type: application/json\r\nCookie: reprise_session="
            + token
            + "\r\n"
            + headers.replace("HOST", host(api));

    assertThat(status(raw(api, request, "{}"))).isEqualTo(403);
    assertThat(api.get("/v1/subscriptions/" + data.subscriptions.get(0)).json().has("suspended"))
        .isFalse();
  }

  @Test
  void withoutKeysOnlyThisMachineIsAHost(@TempDir Path other) {
    try (RunningService dev = RunningService.dev(other)) {
      String own = host(dev);
      for (String host :
          List.of(
              "evil.example", "evil.example:80", "localhost.evil.example", "127.0.0.1.evil:1")) {
        String read = "GET /v1/topics HTTP/1.1\r\nHost: " + host;
        String change =
            "PUT /v1/topics/forged HTTP/1.1\r\nContent-Type: application/json\r\nHost: " + host;
        String origin = "\r\nOrigin: http://" + host;
        assertThat(status(raw(dev, read, ""))).as(host).isEqualTo(403);
        assertThat(status(raw(dev, change + origin, "{}"))).as(host).isEqualTo(403);
      }
      String foreign =
          "PUT /v1/topics/forged HTTP/1.1\r\nContent-Type: application/json\r\nHost: " + own;
      assertThat(status(raw(dev, foreign + "\r\nOrigin: http://localhost:1", "{}"))).isEqualTo(403);
      assertThat(status(raw(dev, foreign + "\r\nOrigin: null", "{}"))).isEqualTo(403);
      String untyped = "POST /v1/topics/orders/messages HTTP/1.1\r\nHost: " + own;
      assertThat(status(raw(dev, untyped + "\r\nContent-Type: text/plain", "{}"))).isEqualTo(415);
      assertThat(dev.get("/v1/topics/forged").status()).isEqualTo(404);
    }
  }

  // --- hostile text -------------------------------------------------------------------------

  @Test
  void hostileTextRunsNothingOnAnyPage() {
    List<String> wrong = new ArrayList<>();
    List<String> shown = new ArrayList<>();
    try (Browser browser = Browser.open(api)) {
      browser.signIn(key);
      ConsoleWalk walk = new ConsoleWalk(browser);
      List<Page> pages = new ArrayList<>(data.pages());
      String markup = URLEncoder.encode(ConsoleData.MARKUP, UTF_8);
      for (Page page : data.pages()) {
        // What a link may say: as text, as a filter, and as a document.
        pages.add(
            new Page(
                page.module(),
                page.path()
                    + "?topic="
                    + markup
                    + "&search="
                    + markup
                    + "&document=%7B%22"
                    + markup
                    + "%22%3A1%7D&subscription="
                    + markup
                    + "&text="
                    + markup
                    + "&message="
                    + markup
                    + "&status="
                    + markup
                    + "&cursor="
                    + markup,
                page.name() + "-query"));
      }
      for (String path : List.of("/topics/", "/subscriptions/", "/deliveries/", "/policies/")) {
        pages.add(new Page(path.substring(1), path + markup.replace("%2F", ""), "name"));
      }
      for (Page page : pages) {
        walk.open(page);
        Object hostile =
            browser.run(
                "return globalThis.hostile === undefined && !document.querySelector("
                    + "'[data-hostile], [onerror], [onclick], a[href^=\"javascript:\" i]')");
        if (!Boolean.TRUE.equals(hostile)) {
          wrong.add(page.path() + " has run or made what a text says");
        }
        for (Object refused : walk.refused()) {
          wrong.add(page.path() + " breaks its policy: " + refused);
        }
        if (Boolean.TRUE.equals(
            browser.run(
                "return (document.body.innerText + [...document.querySelectorAll("
                    + "'input, textarea')].map(e => e.value).join()).includes('<xss-probe')"))) {
          shown.add(page.path());
        }
      }
    }
    assertThat(wrong).isEmpty();
    assertThat(shown).as("pages that show the markup as text").isNotEmpty();
  }

  @Test
  void aReportOfTheLabIsApartFromTheConsole() {
    String run = data.labRun;
    Reply report = api.get("/v1/lab/runs/" + run + "/report");

    assertThat(report.header("Content-Security-Policy")).contains("sandbox");
    assertThat(report.text()).doesNotContain("<xss-probe").doesNotContain("<img data-hostile");
  }

  @Test
  void everyAnswerOfTheConsoleHasItsHeaders() {
    String library =
        api.get("/")
            .text()
            .replaceAll("(?s).*modulepreload\" href=\"[.](/console/library/[^\"]+).*", "$1");
    for (String path :
        List.of(
            "/",
            "/topics",
            "/deliveries/x@y",
            "/console/app.js",
            "/console/console.css",
            "/console/mark.svg",
            "/console/lib/api.js",
            "/console/nothing.js",
            "/console/pages/nothing.js",
            "/console/lib/..%2fapp.js",
            library)) {
      Reply reply = api.get(path);
      assertThat(reply.header("X-Content-Type-Options")).as(path).isEqualTo("nosniff");
      assertThat(reply.header("Referrer-Policy")).as(path).isEqualTo("no-referrer");
      assertThat(reply.header("Content-Security-Policy"))
          .as(path)
          .contains("default-src 'none'", "frame-ancestors 'none'", "base-uri 'self'")
          .doesNotContain("unsafe-");
      assertThat(reply.header("Content-Type").toLowerCase(Locale.ROOT)).as(path).isNotEmpty();
    }
    assertThat(api.get(SESSION).header("Cache-Control")).isEqualTo("no-store");
    assertThat(api.get(SESSION).header("X-Content-Type-Options")).isEqualTo("nosniff");
    assertThat(api.get("/v1/topics").header("X-Content-Type-Options")).isEqualTo("nosniff");
  }
}
