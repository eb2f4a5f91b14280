package dev.reprise.delivery.attempt;

import dev.reprise.core.http.HttpFailure;
import dev.reprise.core.http.RetryAfter;
import dev.reprise.delivery.Attempt;
import dev.reprise.delivery.AttemptOutcome;
import dev.reprise.delivery.Payload;
import dev.reprise.delivery.TraceContext;
import dev.reprise.delivery.address.AddressGuard;
import dev.reprise.delivery.address.EndpointUrl;
import dev.reprise.delivery.body.MessageBodies;
import dev.reprise.delivery.catalog.Subscription;
import dev.reprise.delivery.http.HttpAttempt;
import dev.reprise.delivery.http.HttpOptions;
import dev.reprise.delivery.http.HttpOutcome;
import dev.reprise.delivery.http.HttpSender;
import dev.reprise.delivery.secret.SecretKeys;
import dev.reprise.delivery.shard.PayloadRecord;
import io.netty.handler.codec.http.HttpResponseStatus;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.ThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Makes the attempts of subscriptions whose endpoint is a URL: a claim becomes a POST, a response a
 * fact. Only those that ask for more than that (a login, signatures, a proxy) pay for it.
 */
public final class HttpAttempts {
  /** The longest time of one attempt, as Amazon SNS documents it for HTTP endpoints. */
  public static final Duration TIMEOUT = Duration.ofSeconds(15);

  private static final Logger LOG = LoggerFactory.getLogger(HttpAttempts.class);

  /** The wait where only the operator can remove the obstacle. */
  private static final Duration UNTIL_MENDED = Duration.ofSeconds(30);

  private static final byte[] NO_RESPONSE = {};

  private final Carriers carriers;
  private final HttpSender sender;
  private final AddressGuard guard;
  private final Duration timeout;
  private final Map<Long, HttpEndpoint> endpoints = new ConcurrentHashMap<>();

  /**
   * Makes the signatures that take long (Ed25519: a millisecond in the JDK), all on one thread, so
   * that the attempts that need them share one processor and no shard waits.
   */
  private final ThreadPoolExecutor signing =
      new ThreadPoolExecutor(
          1,
          1,
          10,
          TimeUnit.SECONDS,
          new LinkedBlockingQueue<>(),
          work -> {
            Thread thread = new Thread(work, "reprise-signing");
            thread.setDaemon(true);
            return thread;
          });

  /**
   * Attempts through {@code sender}, to endpoints that {@code guard} allows.
   *
   * @param carriers has the forward proxies, and the keys of secrets
   */
  public HttpAttempts(Carriers carriers, HttpSender sender, AddressGuard guard, Duration timeout) {
    this.carriers = carriers;
    this.sender = sender;
    this.guard = guard;
    this.timeout = timeout;
    signing.allowCoreThreadTimeOut(true);
  }

  /** The longest time of one attempt. */
  Duration timeout() {
    return timeout;
  }

  /** Forgets what was prepared for a subscription. */
  void forget(long subscription) {
    endpoints.remove(subscription);
  }

  @SuppressWarnings("ReferenceEquality") // Settings that have changed are another object.
  void send(Attempt claim, Subscription subscription, Consumer<AttemptOutcome> done) {
    HttpEndpoint endpoint = endpoints.get(claim.subscription());
    if (endpoint == null || endpoint.settings() != subscription.settings()) {
      EndpointUrl.Parsed parsed = EndpointUrl.parse(subscription.settings().endpoint(), guard);
      EndpointUrl url = parsed.url();
      if (url == null) {
        // It was fine when it was registered; the rules of this process are others.
        done.accept(AttemptOutcome.refused(String.join("; ", parsed.problems())));
        return;
      }
      try {
        endpoint = HttpEndpoint.of(subscription.settings(), url, guard, carriers.keys());
      } catch (SecretKeys.UnreadableSecretException | IllegalArgumentException e) {
        // It is about this subscription alone: nothing that others share is held back.
        done.accept(AttemptOutcome.refused(String.valueOf(e.getMessage())));
        return;
      }
      endpoints.put(claim.subscription(), endpoint);
    }
    String carrier = subscription.settings().carrier();
    if (carrier != null) {
      sendThrough(carrier, claim, subscription, endpoint, done);
    } else if (endpoint.isPlain()) {
      send(claim, subscription, endpoint, HttpEndpoint.Ready.NOTHING, HttpOptions.DEFAULT, done);
    } else {
      sendReady(claim, subscription, endpoint, endpoint.options(), done);
    }
  }

  /** Sends through a forward proxy, whose own fault is not the endpoint's. */
  private void sendThrough(
      String carrier,
      Attempt claim,
      Subscription subscription,
      HttpEndpoint endpoint,
      Consumer<AttemptOutcome> done) {
    if (!(carriers.find(carrier) instanceof ProxyCarrier proxy)) {
      done.accept(
          AttemptOutcome.givenBack(
              "carrier '" + carrier + "' is no proxy that runs", UNTIL_MENDED));
      return;
    }
    Consumer<AttemptOutcome> ended = carriers.begin(carrier, done);
    if (ended == null) {
      return;
    }
    AttemptOutcome refusal = proxy.begin();
    if (refusal != null) {
      ended.accept(refusal);
      return;
    }
    HttpOptions options = endpoint.options().withProxy(proxy.proxy());
    String host = endpoint.url().host();
    sendReady(
        claim, subscription, endpoint, options, outcome -> ended.accept(proxy.end(host, outcome)));
  }

  /**
   * Sends once the endpoint has allowed deliveries and there is a token, where it asks for them.
   */
  private void sendReady(
      Attempt claim,
      Subscription subscription,
      HttpEndpoint endpoint,
      HttpOptions options,
      Consumer<AttemptOutcome> done) {
    endpoint.ready(
        sender,
        options,
        timeout,
        ready -> {
          HttpOutcome failed = ready.failed();
          if (failed != null) {
            done.accept(ready.describe(toOutcome(failed)));
            return;
          }
          if (endpoint.signsSlowly()) {
            signing.execute(() -> send(claim, subscription, endpoint, ready, options, done));
          } else {
            send(claim, subscription, endpoint, ready, options, done);
          }
        });
  }

  private void send(
      Attempt claim,
      Subscription subscription,
      HttpEndpoint endpoint,
      HttpEndpoint.Ready ready,
      HttpOptions options,
      Consumer<AttemptOutcome> done) {
    HttpAttempt attempt;
    try {
      attempt = attempt(claim, subscription, endpoint, ready, options);
    } catch (RuntimeException e) {
      LOG.error("a delivery to {} could not be written", subscription.id(), e);
      done.accept(AttemptOutcome.internalError(e));
      return;
    }
    if (claim instanceof TestAttempt test) {
      sender.send(attempt, outcome -> done.accept(tested(test, endpoint, ready, outcome)));
      return;
    }
    sender.send(attempt, outcome -> done.accept(endpoint.learn(ready, toOutcome(outcome))));
  }

  private AttemptOutcome tested(
      TestAttempt test, HttpEndpoint endpoint, HttpEndpoint.Ready ready, HttpOutcome outcome) {
    AttemptOutcome made = toOutcome(outcome);
    List<Map.Entry<String, String>> sent = new ArrayList<>(endpoint.headers());
    sent.addAll(ready.headers());
    return EchoedSecrets.removed(
        // A refusal that is wanted says nothing about the token.
        test.signing() == Signing.RIGHT ? endpoint.learn(ready, made) : made, sent);
  }

  private HttpAttempt attempt(
      Attempt claim,
      Subscription subscription,
      HttpEndpoint endpoint,
      HttpEndpoint.Ready ready,
      HttpOptions options) {
    Payload payload =
        MessageBodies.resolve(
            PayloadRecord.decode(claim.payload()), subscription.settings().protocol());
    List<Map.Entry<String, String>> headers =
        new ArrayList<>(5 + endpoint.headers().size() + ready.headers().size());
    headers.add(Map.entry("Reprise-Message-Id", claim.message().toString()));
    headers.add(Map.entry("Reprise-Attempt", Integer.toString(claim.attempt())));
    headers.add(Map.entry("Reprise-Topic", subscription.topic()));
    headers.add(Map.entry("Reprise-Subscription", subscription.id()));
    headers.add(Map.entry("User-Agent", "Reprise/0.1"));
    TraceContext trace = claim.trace();
    if (trace != null && !endpoint.hasOwnTrace()) {
      addTrace(trace, headers);
    }
    headers.addAll(endpoint.headers());
    headers.addAll(ready.headers());
    byte[] body;
    String contentType;
    switch (subscription.settings().format()) {
      case RAW -> {
        body = payload.body();
        contentType = payload.contentType();
      }
      case CLOUDEVENTS -> {
        body = payload.body();
        contentType = payload.contentType();
        CloudEvents.addHeaders(claim.message(), subscription, payload, headers);
      }
      case CLOUDEVENTS_STRUCTURED -> {
        body = CloudEvents.structured(claim.message(), subscription, payload);
        contentType = CloudEvents.CONTENT_TYPE;
      }
      default -> {
        body = Envelope.of(claim.message(), subscription, payload);
        contentType = Envelope.CONTENT_TYPE;
      }
    }
    Signing signing = Signing.RIGHT;
    if (claim instanceof TestAttempt test) {
      headers.add(Map.entry(TestAttempt.HEADER, "true"));
      signing = test.signing();
    }
    endpoint.sign(claim.message().toString(), body, signing, headers);
    return new HttpAttempt(
        endpoint.url(), headers, body, contentType, timeout, options, claim::mayBegin);
  }

  private static void addTrace(TraceContext trace, List<Map.Entry<String, String>> headers) {
    headers.add(Map.entry(TraceContext.HEADER, trace.header()));
    if (!trace.state().isEmpty()) {
      headers.add(Map.entry(TraceContext.STATE_HEADER, trace.state()));
    }
  }

  private AttemptOutcome toOutcome(HttpOutcome outcome) {
    String address = outcome.address() == null ? "" : outcome.address();
    long nanos = outcome.latencyNanos();
    if (outcome instanceof HttpOutcome.NotStarted notStarted) {
      return AttemptOutcome.notMade(notStarted.detail());
    }
    if (outcome instanceof HttpOutcome.ProxyFailed failed) {
      return ProxyCarrier.failed(failed);
    }
    if (outcome instanceof HttpOutcome.Refused refused) {
      return AttemptOutcome.refused(refused.detail());
    }
    if (outcome instanceof HttpOutcome.Response response) {
      int status = response.status();
      if (HttpFailure.isSuccess(status)) {
        String summary = noted(HttpResponseStatus.valueOf(status).toString(), response);
        return new AttemptOutcome(null, status, summary, address, response.bodyExcerpt(), nanos);
      }
      HttpFailure failure = HttpFailure.status(status, hint(response));
      return new AttemptOutcome(
          failure,
          status,
          noted(failure.describe(), response),
          address,
          response.bodyExcerpt(),
          nanos);
    }
    HttpFailure failure;
    if (outcome instanceof HttpOutcome.TimedOut timedOut) {
      HttpFailure late = HttpFailure.timeout(timeout);
      failure =
          new HttpFailure(
              late.kind(), late.status(), late.retryAfter(), late.detail(), timedOut.neverSent());
      return failed(failure, failure.describe() + ", " + timedOut.detail(), address, nanos);
    }
    HttpOutcome.ConnectionFailed broken = (HttpOutcome.ConnectionFailed) outcome;
    failure = HttpFailure.connectionError(broken.detail(), broken.neverSent());
    return failed(failure, failure.describe(), address, nanos);
  }

  private static String noted(String summary, HttpOutcome.Response response) {
    return response.note() == null ? summary : summary + " (" + response.note() + ")";
  }

  private static @Nullable Duration hint(HttpOutcome.Response response) {
    return RetryAfter.longest(response.retryAfter(), response.date(), Instant.now());
  }

  private static AttemptOutcome failed(
      HttpFailure failure, String summary, String address, long nanos) {
    return new AttemptOutcome(failure, 0, summary, address, NO_RESPONSE, nanos);
  }
}
