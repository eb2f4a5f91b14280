package dev.reprise.delivery.engine;

import dev.reprise.core.http.HttpFailure;
import dev.reprise.core.http.RetryAfter;
import dev.reprise.delivery.Attempt;
import dev.reprise.delivery.AttemptOutcome;
import dev.reprise.delivery.Payload;
import dev.reprise.delivery.catalog.BodyFormat;
import dev.reprise.delivery.catalog.Catalog;
import dev.reprise.delivery.catalog.Subscription;
import dev.reprise.delivery.http.AddressGuard;
import dev.reprise.delivery.http.EndpointUrl;
import dev.reprise.delivery.http.HttpAttempt;
import dev.reprise.delivery.http.HttpOutcome;
import dev.reprise.delivery.http.HttpSender;
import dev.reprise.delivery.shard.PayloadRecord;
import io.netty.handler.codec.http.HttpResponseStatus;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * Makes the attempts of HTTP and HTTPS subscriptions: a claim becomes a POST, a response a fact.
 */
public final class HttpAttempts implements AttemptSender {
  /** The longest time of one attempt, as Amazon SNS documents it for HTTP endpoints. */
  public static final Duration TIMEOUT = Duration.ofSeconds(15);

  private static final byte[] NO_RESPONSE = {};

  private final Catalog catalog;
  private final HttpSender sender;
  private final AddressGuard guard;
  private final Duration timeout;
  private final Map<Long, Target> targets = new ConcurrentHashMap<>();

  /** An endpoint taken apart, until the subscription names another. */
  private record Target(String endpoint, EndpointUrl url) {}

  /** Attempts through {@code sender}, to endpoints that {@code guard} allows. */
  public HttpAttempts(Catalog catalog, HttpSender sender, AddressGuard guard, Duration timeout) {
    this.catalog = catalog;
    this.sender = sender;
    this.guard = guard;
    this.timeout = timeout;
  }

  @Override
  public void send(Attempt claim, Consumer<AttemptOutcome> done) {
    Subscription subscription = catalog.findSubscription(claim.subscription());
    if (subscription == null) {
      targets.remove(claim.subscription());
      done.accept(AttemptOutcome.refused("the subscription was removed"));
      return;
    }
    String endpoint = subscription.settings().endpoint();
    Target target = targets.get(claim.subscription());
    if (target == null || !target.endpoint().equals(endpoint)) {
      EndpointUrl.Parsed parsed = EndpointUrl.parse(endpoint, guard);
      EndpointUrl url = parsed.url();
      if (url == null) {
        // It was fine when it was registered; the rules of this process are others.
        done.accept(AttemptOutcome.refused(String.join("; ", parsed.problems())));
        return;
      }
      target = new Target(endpoint, url);
      targets.put(claim.subscription(), target);
    }
    HttpAttempt attempt = attempt(claim, subscription, target.url());
    sender.send(attempt, outcome -> done.accept(toOutcome(outcome)));
  }

  private HttpAttempt attempt(Attempt claim, Subscription subscription, EndpointUrl url) {
    Payload payload = PayloadRecord.decode(claim.payload());
    boolean raw = subscription.settings().format() == BodyFormat.RAW;
    List<Map.Entry<String, String>> headers = new ArrayList<>(5);
    headers.add(Map.entry("Reprise-Message-Id", claim.message().toString()));
    headers.add(Map.entry("Reprise-Attempt", Integer.toString(claim.attempt())));
    headers.add(Map.entry("Reprise-Topic", subscription.topic()));
    headers.add(Map.entry("Reprise-Subscription", subscription.id()));
    headers.add(Map.entry("User-Agent", "Reprise/0.1"));
    return new HttpAttempt(
        url,
        headers,
        raw ? payload.body() : Envelope.of(claim.message(), subscription, payload),
        raw ? payload.contentType() : Envelope.CONTENT_TYPE,
        timeout);
  }

  private AttemptOutcome toOutcome(HttpOutcome outcome) {
    String address = outcome.address() == null ? "" : outcome.address();
    long nanos = outcome.latencyNanos();
    if (outcome instanceof HttpOutcome.NotStarted notStarted) {
      return AttemptOutcome.notMade(notStarted.detail());
    }
    if (outcome instanceof HttpOutcome.Refused refused) {
      return AttemptOutcome.refused(refused.detail());
    }
    if (outcome instanceof HttpOutcome.Response response) {
      int status = response.status();
      if (HttpFailure.isSuccess(status)) {
        String summary = HttpResponseStatus.valueOf(status).toString();
        return new AttemptOutcome(null, status, summary, address, response.bodyExcerpt(), nanos);
      }
      HttpFailure failure = HttpFailure.status(status, hint(response));
      return new AttemptOutcome(
          failure, status, failure.describe(), address, response.bodyExcerpt(), nanos);
    }
    HttpFailure failure;
    if (outcome instanceof HttpOutcome.TimedOut timedOut) {
      failure = HttpFailure.timeout(timeout);
      return failed(failure, failure.describe() + ", " + timedOut.detail(), address, nanos);
    }
    HttpOutcome.ConnectionFailed broken = (HttpOutcome.ConnectionFailed) outcome;
    failure = HttpFailure.connectionError(broken.detail(), broken.neverSent());
    return failed(failure, failure.describe(), address, nanos);
  }

  private static @Nullable Duration hint(HttpOutcome.Response response) {
    return RetryAfter.longest(response.retryAfter(), response.date(), Instant.now());
  }

  private static AttemptOutcome failed(
      HttpFailure failure, String summary, String address, long nanos) {
    return new AttemptOutcome(failure, 0, summary, address, NO_RESPONSE, nanos);
  }
}
