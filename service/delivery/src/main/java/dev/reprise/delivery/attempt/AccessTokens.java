package dev.reprise.delivery.attempt;

import static java.nio.charset.StandardCharsets.UTF_8;

import dev.reprise.core.http.HttpFailure;
import dev.reprise.delivery.address.EndpointUrl;
import dev.reprise.delivery.attempt.HttpEndpoint.Ready;
import dev.reprise.delivery.catalog.HttpEndpointSettings;
import dev.reprise.delivery.catalog.TokenAuthentication;
import dev.reprise.delivery.http.HttpAttempt;
import dev.reprise.delivery.http.HttpOptions;
import dev.reprise.delivery.http.HttpOutcome;
import dev.reprise.delivery.http.HttpSender;
import java.net.URLEncoder;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Base64;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.function.Consumer;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;
import tools.jackson.core.JacksonException;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

/**
 * The access tokens of one subscription by the OAuth 2.0 client credentials grant (RFC 6749,
 * section 4.4), with the client's secret in the Authorization header or in the form (section
 * 2.3.1), and with what else the server wants to have there, such as {@code resource} (RFC 8707). A
 * token is kept until shortly before its end; attempts that need one at the same time share the
 * request. Safe for use by many threads.
 */
final class AccessTokens {
  private static final String REQUEST = "access token";
  private static final String FORM = "application/x-www-form-urlencoded";

  /** RFC 6750, section 2.1: what may stand behind "Bearer". */
  private static final Pattern TOKEN = Pattern.compile("[A-Za-z0-9._~+/-]+=*");

  /** A token without an end of its own is kept for this time. */
  private static final long USUAL_SECONDS = 300;

  private static final long MAX_SECONDS = Duration.ofDays(1).toSeconds();

  /** A token ends so much earlier here, since an attempt takes its time. */
  private static final long EARLIER_SECONDS = 30;

  private static final JsonMapper JSON = JsonMapper.shared();

  private final EndpointUrl url;
  private final List<Map.Entry<String, String>> headers;
  private final byte[] form;
  private final List<Consumer<Ready>> waiting = new ArrayList<>();
  private @Nullable Ready token;
  private long endNanos;

  AccessTokens(EndpointUrl url, HttpEndpointSettings http, String clientSecret) {
    this.url = url;
    String clientId = String.valueOf(http.clientId());
    Map<String, String> fields = new LinkedHashMap<>();
    fields.put("grant_type", "client_credentials");
    if (http.scope() != null) {
      fields.put("scope", http.scope());
    }
    Map.Entry<String, String> accept = Map.entry("Accept", "application/json");
    if (http.tokenAuthentication() == TokenAuthentication.CLIENT_SECRET_POST) {
      fields.put("client_id", clientId);
      fields.put("client_secret", clientSecret);
      this.headers = List.of(accept);
    } else {
      String login = encoded(clientId) + ":" + encoded(clientSecret);
      String basic = "Basic " + Base64.getEncoder().encodeToString(login.getBytes(UTF_8));
      this.headers = List.of(Map.entry("Authorization", basic), accept);
    }
    if (http.tokenParameters() != null) {
      new TreeMap<>(http.tokenParameters()).forEach(fields::putIfAbsent);
    }
    this.form =
        fields.entrySet().stream()
            .map(field -> encoded(field.getKey()) + "=" + encoded(field.getValue()))
            .collect(Collectors.joining("&"))
            .getBytes(UTF_8);
  }

  private static String encoded(String text) {
    return URLEncoder.encode(text, UTF_8);
  }

  /** Gets a token, known or new, as a header. */
  void get(HttpSender sender, HttpOptions options, Duration timeout, Consumer<Ready> done) {
    Ready known;
    boolean first;
    synchronized (this) {
      known = token != null && System.nanoTime() - endNanos < 0 ? token : null;
      first = waiting.isEmpty();
      if (known == null) {
        waiting.add(done);
      }
    }
    if (known != null) {
      done.accept(known);
    } else if (first) {
      HttpAttempt request =
          new HttpAttempt(
              url,
              headers,
              form,
              FORM,
              timeout,
              options.withResponse(HttpOptions.MAX_EXCERPT_BYTES, List.of()));
      sender.send(request, this::fetched);
    }
  }

  /** Forgets the token: the endpoint has refused it. */
  synchronized void drop() {
    token = null;
  }

  private void fetched(HttpOutcome outcome) {
    Ready fetched = read(outcome);
    List<Consumer<Ready>> all;
    synchronized (this) {
      all = List.copyOf(waiting);
      waiting.clear();
      token = fetched.failed() != null ? null : new Ready(null, "", fetched.headers(), true);
    }
    all.forEach(each -> each.accept(fetched));
  }

  private Ready read(HttpOutcome outcome) {
    if (!(outcome instanceof HttpOutcome.Response response)
        || !HttpFailure.isSuccess(response.status())) {
      return Ready.failed(withoutBody(outcome), REQUEST);
    }
    String text;
    long seconds;
    try {
      JsonNode answer = JSON.readTree(response.bodyExcerpt());
      text = answer.path("access_token").asString("");
      seconds = answer.path("expires_in").asLong(USUAL_SECONDS);
    } catch (JacksonException e) {
      text = "";
      seconds = 0;
    }
    if (!TOKEN.matcher(text).matches()) {
      return Ready.failed(withoutBody(outcome), REQUEST + ": the answer has none");
    }
    long kept = Math.min(MAX_SECONDS, Math.max(0, seconds - EARLIER_SECONDS));
    synchronized (this) {
      endNanos = System.nanoTime() + Duration.ofSeconds(kept).toNanos();
    }
    return new Ready(null, "", List.of(Map.entry("Authorization", "Bearer " + text)), false);
  }

  /** The answer may hold a token, which no history may show. */
  private static HttpOutcome withoutBody(HttpOutcome outcome) {
    return outcome instanceof HttpOutcome.Response response
        ? new HttpOutcome.Response(
            response.status(),
            response.retryAfter(),
            response.date(),
            Map.of(),
            new byte[0],
            response.address(),
            response.latencyNanos())
        : outcome;
  }
}
