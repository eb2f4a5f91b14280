package dev.reprise.cli.base;

import dev.reprise.common.text.HarmlessText;
import dev.reprise.common.text.WrongUrl;
import dev.reprise.server.document.ErrorDocument;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.net.HttpURLConnection;
import java.net.SocketTimeoutException;
import java.net.URI;
import java.net.URISyntaxException;
import java.net.URLEncoder;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import javax.net.ssl.HttpsURLConnection;
import javax.net.ssl.SSLContext;
import org.jspecify.annotations.Nullable;
import tools.jackson.databind.JsonNode;

/**
 * The service, as a command sees it. Answers that are errors become a {@link CommandFailure}.
 *
 * <p>It stands on {@link HttpURLConnection}, whose first answer takes 20 ms; {@code
 * java.net.http}'s takes 200 ms, which is felt in a command. It does not know {@code PATCH}; the
 * service takes a {@code POST} for the same.
 */
public final class ApiClient {
  public static final String JSON = "application/json";

  private final String baseUrl;
  private final @Nullable String key;
  private final @Nullable SSLContext authority;
  private final @Nullable String project;
  private final Route route;

  /** An answer of the service; without a body, it is empty. */
  public record Response(int status, String retryAfter, byte[] body) {
    /** Returns the body, or null when it is not JSON. */
    public @Nullable JsonNode json() {
      return Json.tryRead(new String(body, StandardCharsets.UTF_8));
    }
  }

  public ApiClient(String baseUrl, @Nullable String key) {
    this(baseUrl, key, null, null, Route.OF_JAVA);
  }

  /**
   * A client.
   *
   * @param authority whose certificates are trusted; null for those that Java knows
   * @param project the project that requests are about; null for that of the key
   * @param route by which way requests go
   */
  ApiClient(
      String baseUrl,
      @Nullable String key,
      @Nullable SSLContext authority,
      @Nullable String project,
      Route route) {
    this.baseUrl = baseUrl;
    this.key = key;
    this.authority = authority;
    this.project = project;
    this.route = route;
    JavaHttp.prepare();
  }

  /**
   * Checks a base URL and takes the slashes off its end. It may have a path, which a proxy takes
   * away.
   *
   * @throws CommandFailure when it is not one
   */
  public static String baseUrl(String source, String text) {
    try {
      URI uri = new URI(text);
      boolean http = "http".equalsIgnoreCase(uri.getScheme());
      boolean https = "https".equalsIgnoreCase(uri.getScheme());
      if ((http || https)
          && uri.getHost() != null
          && uri.getRawUserInfo() == null
          && uri.getRawQuery() == null
          && uri.getRawFragment() == null) {
        return text.replaceFirst("/+$", "");
      }
    } catch (URISyntaxException notUrl) {
      // Reported below, as any other text that is no URL.
    }
    throw CommandFailure.wrongUsage(
        source + " is " + WrongUrl.shown(text) + ": must be a URL such as " + Reprise.DEFAULT_URL);
  }

  /** Returns a path with each segment escaped. */
  public static String path(String first, String... segments) {
    StringBuilder path = new StringBuilder(first);
    for (String segment : segments) {
      if (segment.isBlank() || segment.equals(".") || segment.equals("..")) {
        throw CommandFailure.wrongUsage("\"" + HarmlessText.visible(segment) + "\" is not a name");
      }
      path.append('/').append(escaped(segment).replace("%40", "@"));
    }
    return path.toString();
  }

  /**
   * Returns the path with those of the parameters that have a value; one that is a list is repeated
   * with each.
   */
  public static String withQuery(String path, Map<String, ? extends @Nullable Object> parameters) {
    StringBuilder whole = new StringBuilder(path);
    char separator = '?';
    for (Map.Entry<String, ? extends @Nullable Object> parameter : parameters.entrySet()) {
      Object given = parameter.getValue();
      List<?> values =
          given instanceof List<?> several ? several : given == null ? List.of() : List.of(given);
      for (Object value : values) {
        whole.append(separator).append(parameter.getKey()).append('=');
        whole.append(escaped(value.toString()));
        separator = '&';
      }
    }
    return whole.toString();
  }

  private static String escaped(String text) {
    return URLEncoder.encode(text, StandardCharsets.UTF_8).replace("+", "%20");
  }

  /** Asks for something that has the field {@code expected}. */
  public JsonNode get(String path, String expected) {
    return expect(json(exchange("GET", path, Map.of(), null)), expected);
  }

  /**
   * Asks, and returns whatever answers, with any status.
   *
   * @param most how long the whole may take: connection, head and body
   * @throws CommandFailure with {@link ExitCode#UNREACHABLE} when nothing answers in that time
   */
  public Response ask(String path, Duration most) {
    try {
      return WholeExchange.within(
          most,
          () -> {
            HttpURLConnection connection = open("GET", URI.create(baseUrl + path), Map.of());
            connection.setConnectTimeout((int) most.toMillis());
            connection.setReadTimeout((int) most.toMillis());
            return response(connection);
          });
    } catch (SocketTimeoutException e) {
      throw new CommandFailure(ExitCode.UNREACHABLE, unreachable().within(most));
    } catch (IOException e) {
      throw new CommandFailure(ExitCode.UNREACHABLE, unreachable().because(e));
    }
  }

  public JsonNode delete(String path) {
    return json(exchange("DELETE", path, Map.of(), null));
  }

  /** Puts nothing: creates what is not there, and changes nothing of what is. */
  public JsonNode put(String path, String expected) {
    return expect(json(exchange("PUT", path, Map.of(), null)), expected);
  }

  /**
   * Publishes lines. A refusal of all of them is returned as well: it has the reason for each.
   *
   * @throws CommandFailure when the service took none because of its own state
   */
  public JsonNode publishLines(String path, String lines) {
    Response answer =
        exchange(
            "POST",
            path,
            Map.of("Content-Type", "application/x-ndjson"),
            lines.getBytes(StandardCharsets.UTF_8));
    if (answer.status() >= 400 && answer.status() < 500) {
      JsonNode body = answer.json();
      if (body != null && body.has("items")) {
        return body;
      }
    }
    return expect(json(answer), "items");
  }

  public JsonNode send(String method, String path, JsonNode body, String expected) {
    return send(method, path, Map.of("Content-Type", JSON), Json.compact(body), expected);
  }

  public JsonNode send(
      String method, String path, Map<String, String> headers, String body, String expected) {
    return expect(
        json(exchange(method, path, headers, body.getBytes(StandardCharsets.UTF_8))), expected);
  }

  /** Posts bytes that are no JSON. */
  public JsonNode sendBytes(
      String path, Map<String, String> headers, byte[] body, String expected) {
    return expect(json(exchange("POST", path, headers, body)), expected);
  }

  /** Reads an answer as it comes. */
  public interface Download<T> {
    /**
     * Reads it.
     *
     * @param bytes how many there are; -1 if that is not known
     */
    T read(InputStream body, long bytes) throws IOException;
  }

  /** Posts nothing, and has the answer read as it comes; it may be of any length. */
  public <T> T download(String path, Download<T> reader) throws IOException {
    URI uri = URI.create(baseUrl + path);
    HttpURLConnection connection;
    try {
      connection = open("POST", uri, Map.of());
      if (connection.getResponseCode() != 200) {
        throw stranger(response(connection));
      }
    } catch (IOException e) {
      throw new CommandFailure(ExitCode.UNREACHABLE, unreachable().because(e));
    }
    try (InputStream body = connection.getInputStream()) {
      return reader.read(body, connection.getContentLengthLong());
    } finally {
      // The rest of an answer that is not read to its end need not come.
      connection.disconnect();
    }
  }

  /** The failure for an answer that is not what was asked for: it may not be a service of ours. */
  private CommandFailure stranger(Response answer) {
    return answer.status() < 300 ? stranger() : refused(answer, answer.json());
  }

  private JsonNode json(Response answer) {
    String text = new String(answer.body(), StandardCharsets.UTF_8);
    if (answer.status() >= 200 && answer.status() < 300) {
      JsonNode node = text.isBlank() ? Json.object() : Json.tryRead(text);
      if (node == null) {
        throw stranger();
      }
      return node;
    }
    throw refused(answer, Json.tryRead(text));
  }

  /** A 200 alone says little: whatever listens on the port may answer it. */
  private JsonNode expect(JsonNode answer, String field) {
    if (!answer.has(field)) {
      throw stranger();
    }
    return answer;
  }

  /** Returns the failure for an answer that no Reprise service gives. */
  public CommandFailure stranger() {
    return CommandFailure.failed(
        unreachable().where()
            + " answers, but not as a Reprise service does: check --url and REPRISE_URL");
  }

  /** Returns the failure for an answer that is an error, with or without a document of ours. */
  public CommandFailure refused(Response answer, @Nullable JsonNode body) {
    JsonNode written = (body == null ? Json.object() : body).path("error");
    ErrorDocument error =
        Json.document(written.isObject() ? written : Json.object(), ErrorDocument.class);
    EnvironmentProxy proxy = route.proxy();
    if (proxy != null && answer.status() == 407) {
      return new CommandFailure(ExitCode.UNREACHABLE, proxy.asksForLogin());
    }
    if (error.message().isEmpty()) {
      // Whatever the status, it does not concern a topic or a key of this service.
      return CommandFailure.failed(
          unreachable().where()
              + " answered "
              + answer.status()
              + ", but not as a Reprise service does: check --url and REPRISE_URL");
    }
    return Refusal.of(answer.status(), error, answer.retryAfter(), key != null);
  }

  /** Returns the failure for an answer that comes from what stands before the service. */
  public CommandFailure ofGateway(Response answer) {
    EnvironmentProxy proxy = route.proxy();
    return new CommandFailure(
        ExitCode.UNREACHABLE,
        proxy != null && answer.status() == 407
            ? proxy.asksForLogin()
            : unreachable().ofGateway(answer.status()));
  }

  private Response exchange(
      String method, String path, Map<String, String> headers, byte @Nullable [] body) {
    URI uri = URI.create(baseUrl + path);
    try {
      return answer(method, uri, headers, body);
    } catch (IOException e) {
      throw new CommandFailure(ExitCode.UNREACHABLE, unreachable().because(e));
    }
  }

  private Unreachable unreachable() {
    return new Unreachable(baseUrl, route.proxy());
  }

  private Response answer(
      String method, URI uri, Map<String, String> headers, byte @Nullable [] body)
      throws IOException {
    HttpURLConnection connection = open(method, uri, headers);
    if (body != null) {
      connection.setDoOutput(true);
      try (OutputStream out = connection.getOutputStream()) {
        out.write(body);
      }
    }
    return response(connection);
  }

  private HttpURLConnection open(String method, URI uri, Map<String, String> headers)
      throws IOException {
    HttpURLConnection connection = route.open(uri.toURL());
    if (authority != null && connection instanceof HttpsURLConnection secure) {
      secure.setSSLSocketFactory(authority.getSocketFactory());
    }
    connection.setRequestMethod(method);
    connection.setConnectTimeout(Unreachable.CONNECT_MILLIS);
    connection.setReadTimeout(Unreachable.ANSWER_MILLIS);
    connection.setInstanceFollowRedirects(false);
    connection.setRequestProperty("Accept", JSON);
    connection.setRequestProperty("User-Agent", "reprise-cli");
    if (key != null) {
      connection.setRequestProperty("Authorization", "Bearer " + key);
    }
    if (project != null) {
      connection.setRequestProperty("Reprise-Project", project);
    }
    headers.forEach(connection::setRequestProperty);
    return connection;
  }

  private static Response response(HttpURLConnection connection) throws IOException {
    int status = connection.getResponseCode();
    String retryAfter = connection.getHeaderField("Retry-After");
    try (InputStream in =
        status >= 400 ? connection.getErrorStream() : connection.getInputStream()) {
      byte[] bytes = in == null ? new byte[0] : in.readAllBytes();
      return new Response(status, retryAfter == null ? "" : retryAfter.strip(), bytes);
    }
  }
}
