package dev.reprise.delivery.attempt;

import static java.nio.charset.StandardCharsets.UTF_8;

import dev.reprise.core.RetryInfo;
import dev.reprise.core.RetrySafety;
import dev.reprise.delivery.AttemptOutcome;
import dev.reprise.delivery.TraceContext;
import dev.reprise.delivery.address.AddressGuard;
import dev.reprise.delivery.address.EndpointUrl;
import dev.reprise.delivery.carrier.CarrierFailure;
import dev.reprise.delivery.catalog.HttpEndpointSettings;
import dev.reprise.delivery.catalog.OldSecret;
import dev.reprise.delivery.catalog.SealedSecret;
import dev.reprise.delivery.catalog.SubscriptionSettings;
import dev.reprise.delivery.http.HttpOptions;
import dev.reprise.delivery.http.HttpOutcome;
import dev.reprise.delivery.http.HttpSender;
import dev.reprise.delivery.http.HttpTls;
import dev.reprise.delivery.secret.SecretKeys;
import dev.reprise.webhook.WebhookSecret;
import dev.reprise.webhook.WebhookSigner;
import java.security.SecureRandom;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Base64;
import java.util.List;
import java.util.Map;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * An endpoint that is a URL with what its subscription asks for, prepared until the settings
 * change: headers, login, TLS, signatures, the consent of the endpoint. Safe for use by many
 * threads.
 */
final class HttpEndpoint {
  private static final int UNAUTHORIZED = 401;

  /** More than any receiver should tolerate. */
  private static final long OLD_SECONDS = 3600;

  private final SubscriptionSettings settings;
  private final EndpointUrl url;
  private final HttpOptions options;
  private final List<Map.Entry<String, String>> headers;
  private final @Nullable AccessTokens tokens;
  private final @Nullable Consent consent;
  private final @Nullable WebhookSigner signer;

  /** Sign with old secrets as well, each until its time, the first to end first. */
  private final List<Overlap> overlaps;

  /** Whether a signature takes a millisecond, which no shard's thread may spend. */
  private final boolean signsSlowly;

  private final boolean plain;

  /**
   * The part of an attempt that is not prepared.
   *
   * @param failed why there is none, as the outcome of another request; null if all is there
   * @param request what that other request was, for people
   * @param headers of this attempt
   * @param oldToken whether it has a token that was fetched for an earlier attempt
   */
  record Ready(
      @Nullable HttpOutcome failed,
      String request,
      List<Map.Entry<String, String>> headers,
      boolean oldToken) {
    static final Ready NOTHING = new Ready(null, "", List.of(), false);

    static Ready failed(HttpOutcome outcome, String request) {
      return new Ready(outcome, request, List.of(), false);
    }

    /** The outcome of an attempt that another request has ended. */
    AttemptOutcome describe(AttemptOutcome outcome) {
      RetryInfo failure = outcome.failure();
      return new AttemptOutcome(
          failure == null ? CarrierFailure.PERMANENT : failure,
          outcome.status(),
          request + ": " + outcome.summary(),
          outcome.address(),
          outcome.response(),
          outcome.durationNanos(),
          outcome.made(),
          outcome.block(),
          List.of());
    }
  }

  private HttpEndpoint(
      SubscriptionSettings settings,
      EndpointUrl url,
      HttpOptions options,
      List<Map.Entry<String, String>> headers,
      @Nullable AccessTokens tokens,
      List<WebhookSecret> newestFirst,
      List<OldSecret> old) {
    this.settings = settings;
    this.url = url;
    this.options = options;
    this.headers = headers;
    this.tokens = tokens;
    this.consent = settings.http().handshake() ? new Consent(url) : null;
    this.signer = newestFirst.isEmpty() ? null : WebhookSigner.of(newestFirst.get(0));
    this.overlaps = old.isEmpty() ? List.of() : overlaps(newestFirst, old);
    this.signsSlowly = newestFirst.stream().anyMatch(secret -> secret.publicKey() != null);
    this.plain =
        options.equals(HttpOptions.DEFAULT) && tokens == null && consent == null && !signsSlowly;
  }

  /**
   * Returns which secrets sign until when, the first to end first; each with all that do not end
   * before.
   */
  private static List<Overlap> overlaps(List<WebhookSecret> newestFirst, List<OldSecret> old) {
    List<Overlap> overlaps = new ArrayList<>();
    old.stream()
        .mapToLong(OldSecret::untilMillis)
        .distinct()
        .sorted()
        .forEach(
            until -> {
              List<WebhookSecret> valid = new ArrayList<>(newestFirst.subList(0, 1));
              for (int i = 0; i < old.size(); i++) {
                if (old.get(i).untilMillis() >= until) {
                  valid.add(newestFirst.get(i + 1));
                }
              }
              overlaps.add(new Overlap(until, WebhookSigner.of(valid)));
            });
    return overlaps;
  }

  /** Several secrets that sign until a time. */
  private record Overlap(long untilMillis, WebhookSigner signer) {}

  /**
   * Prepares an endpoint.
   *
   * @throws SecretKeys.UnreadableSecretException if the keys do not decrypt a secret
   * @throws IllegalArgumentException if this program cannot use what was stored
   */
  static HttpEndpoint of(
      SubscriptionSettings settings, EndpointUrl url, AddressGuard guard, SecretKeys keys) {
    HttpEndpointSettings http = settings.http();
    if (http.equals(HttpEndpointSettings.NONE)) {
      return new HttpEndpoint(
          settings, url, HttpOptions.DEFAULT, List.of(), null, List.of(), List.of());
    }
    List<Map.Entry<String, String>> headers = new ArrayList<>();
    http.headers().forEach((name, value) -> headers.add(Map.entry(name, value)));
    String username = http.username();
    if (username != null) {
      String login = username + ":" + clear(http.password(), "password", keys);
      String encoded = Base64.getEncoder().encodeToString(login.getBytes(UTF_8));
      headers.add(Map.entry("Authorization", "Basic " + encoded));
    }
    if (http.token() != null) {
      headers.add(Map.entry("Authorization", "Bearer " + clear(http.token(), "token", keys)));
    }
    HttpOptions options = HttpOptions.DEFAULT;
    if (http.certificate() != null || http.authority() != null) {
      String key = http.privateKey() == null ? null : clear(http.privateKey(), "privateKey", keys);
      options = options.withTls(new HttpTls(http.certificate(), key, http.authority()));
    }
    List<WebhookSecret> secrets = new ArrayList<>();
    if (http.signingSecret() != null) {
      secrets.add(WebhookSecret.parse(clear(http.signingSecret(), "signingSecret", keys)));
    }
    List<OldSecret> old =
        http.oldSigningSecret() == null
            ? List.of()
            : OldSecret.read(
                clear(http.oldSigningSecret(), "oldSigningSecret", keys), http.oldSigningUntil());
    old.forEach(each -> secrets.add(WebhookSecret.parse(each.secret())));
    return new HttpEndpoint(
        settings, url, options, List.copyOf(headers), tokens(http, guard, keys), secrets, old);
  }

  private static @Nullable AccessTokens tokens(
      HttpEndpointSettings http, AddressGuard guard, SecretKeys keys) {
    String tokenUrl = http.tokenUrl();
    if (tokenUrl == null) {
      return null;
    }
    EndpointUrl.Parsed parsed = EndpointUrl.parse(tokenUrl, guard);
    EndpointUrl url = parsed.url();
    if (url == null) {
      throw new IllegalArgumentException("tokenUrl: " + String.join("; ", parsed.problems()));
    }
    return new AccessTokens(url, http, clear(http.clientSecret(), "clientSecret", keys));
  }

  private static String clear(@Nullable SealedSecret secret, String field, SecretKeys keys) {
    if (secret == null) {
      throw new IllegalArgumentException("http." + field + " is missing");
    }
    return secret.open("http." + field, keys);
  }

  SubscriptionSettings settings() {
    return settings;
  }

  EndpointUrl url() {
    return url;
  }

  HttpOptions options() {
    return options;
  }

  /** The headers that every attempt has. */
  List<Map.Entry<String, String>> headers() {
    return headers;
  }

  /** Whether the subscription has a trace among its own headers, which is sent instead. */
  boolean hasOwnTrace() {
    for (int i = 0; i < headers.size(); i++) {
      if (headers.get(i).getKey().equalsIgnoreCase(TraceContext.HEADER)) {
        return true;
      }
    }
    return false;
  }

  /** Whether attempts need nothing but what every attempt has. */
  boolean isPlain() {
    return plain;
  }

  /** Whether a signature takes so long that it must be made on a thread of its own. */
  boolean signsSlowly() {
    return signsSlowly;
  }

  /** Gets what an attempt needs; {@code done} is called once, on any thread. */
  void ready(HttpSender sender, HttpOptions through, Duration timeout, Consumer<Ready> done) {
    if (consent == null) {
      token(sender, through, timeout, done);
      return;
    }
    consent.ask(
        sender,
        through,
        timeout,
        refusal -> {
          if (refusal == null) {
            token(sender, through, timeout, done);
          } else {
            done.accept(Ready.failed(refusal, "the endpoint does not allow deliveries, OPTIONS"));
          }
        });
  }

  private void token(
      HttpSender sender, HttpOptions through, Duration timeout, Consumer<Ready> done) {
    if (tokens == null) {
      done.accept(Ready.NOTHING);
    } else {
      tokens.get(sender, through.withTls(null), timeout, done);
    }
  }

  /** Adds the signatures of an attempt that is made now. */
  void sign(String message, byte[] body, Signing signing, List<Map.Entry<String, String>> to) {
    WebhookSigner current = signer;
    if (current == null) {
      return;
    }
    long now = System.currentTimeMillis();
    for (Overlap each : overlaps) {
      if (now < each.untilMillis()) {
        current = each.signer();
        break;
      }
    }
    long seconds = now / 1000;
    if (signing == Signing.FORGED) {
      current = forger();
    } else if (signing == Signing.OLD) {
      seconds -= OLD_SECONDS;
    }
    to.add(Map.entry("webhook-id", message));
    to.add(Map.entry("webhook-timestamp", Long.toString(seconds)));
    to.add(Map.entry("webhook-signature", current.sign(message, seconds, body)));
  }

  /** Signs in the same way, by a secret that is forgotten at once. */
  private WebhookSigner forger() {
    SecureRandom random = new SecureRandom();
    return WebhookSigner.of(
        signsSlowly
            ? WebhookSecret.generateAsymmetric(random)
            : WebhookSecret.generateSymmetric(random));
  }

  /** Learns from the outcome of an attempt: a token that was refused is not used again. */
  AttemptOutcome learn(Ready ready, AttemptOutcome outcome) {
    AccessTokens used = tokens;
    if (used == null || outcome.status() != UNAUTHORIZED || outcome.failure() == null) {
      return outcome;
    }
    used.drop();
    if (!ready.oldToken()) {
      return outcome;
    }
    // It may have been revoked: the next attempt has a fresh one.
    RetryInfo again = () -> RetrySafety.YES;
    return new AttemptOutcome(
        again,
        outcome.status(),
        outcome.summary() + ", with a token of before",
        outcome.address(),
        outcome.response(),
        outcome.durationNanos());
  }
}
