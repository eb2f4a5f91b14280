package dev.reprise.delivery.attempt;

import static java.nio.charset.StandardCharsets.UTF_8;

import dev.reprise.common.text.AmountText;
import dev.reprise.common.text.HarmlessText;
import dev.reprise.delivery.AttemptOutcome;
import dev.reprise.delivery.MessageId;
import dev.reprise.delivery.OutcomeClass;
import dev.reprise.delivery.attempt.ReceiverFinding.Check;
import dev.reprise.delivery.catalog.Catalog;
import dev.reprise.delivery.catalog.Subscription;
import java.time.Duration;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.function.LongSupplier;
import org.jspecify.annotations.Nullable;

/**
 * One check of one receiver: a request after the other, each of which begins when the previous one
 * has ended, and then the findings.
 */
final class ReceiverCheck {
  /**
   * No request begins later than this after the first. With the usual timeout of an attempt a check
   * ends within a minute, for which clients wait.
   */
  static final Duration LIMIT = Duration.ofSeconds(40);

  private static final int MAX_EXCERPT_CHARS = 120;
  private static final int REQUEST_TIMEOUT = 408;
  private static final int TOO_EARLY = 425;
  private static final int TOO_MANY_REQUESTS = 429;

  private final Catalog catalog;
  private final HttpAttempts http;
  private final LongSupplier nanoTime;
  private final Subscription subscription;
  private final boolean signed;
  private final MessageId first = ReceiverChecks.message();
  private final long begunNanos;
  private final CompletableFuture<List<ReceiverFinding>> findings = new CompletableFuture<>();

  /** Written by one request after the other: their callbacks follow each other. */
  private final Map<Request, AttemptOutcome> outcomes = new EnumMap<>(Request.class);

  /** The reason why requests were not made, for people. */
  private String left = "";

  /** The requests, in their order. */
  private enum Request {
    FIRST,
    FORGED,
    OLD,
    AGAIN,
    LARGE;

    boolean isForSignatures() {
      return this == FORGED || this == OLD;
    }
  }

  ReceiverCheck(
      Catalog catalog, HttpAttempts http, LongSupplier nanoTime, Subscription subscription) {
    this.catalog = catalog;
    this.http = http;
    this.nanoTime = nanoTime;
    this.subscription = subscription;
    this.signed = subscription.settings().http().signingSecret() != null;
    this.begunNanos = nanoTime.getAsLong();
  }

  CompletionStage<List<ReceiverFinding>> begin() {
    send(Request.FIRST);
    return findings;
  }

  private void send(Request request) {
    try {
      http.send(attempt(request), subscription, outcome -> ended(request, outcome));
    } catch (RuntimeException e) {
      findings.completeExceptionally(e);
    }
  }

  private TestAttempt attempt(Request request) {
    boolean large = request == Request.LARGE;
    return new TestAttempt(
        subscription.number(),
        request == Request.FIRST || request == Request.AGAIN ? first : ReceiverChecks.message(),
        large ? ReceiverChecks.large(subscription) : ReceiverChecks.small(subscription),
        switch (request) {
          case FORGED -> Signing.FORGED;
          case OLD -> Signing.OLD;
          default -> Signing.RIGHT;
        });
  }

  private void ended(Request request, AttemptOutcome outcome) {
    try {
      outcomes.put(request, outcome);
      Request next = next(request);
      if (next == null) {
        findings.complete(findings());
      } else {
        send(next);
      }
    } catch (RuntimeException e) {
      findings.completeExceptionally(e);
    }
  }

  @SuppressWarnings("ReferenceEquality") // Settings that have changed are another object.
  private @Nullable Request next(Request ended) {
    if (ended == Request.FIRST && !outcome(Request.FIRST).succeeded()) {
      // A refusal of a wrong request shows nothing then, and the others would fare no better.
      left = "a message that should have been taken was not";
      return null;
    }
    Subscription now = catalog.findSubscription(subscription.number());
    if (now == null) {
      // Its requests may have prepared the endpoint again after it was forgotten.
      http.forget(subscription.number());
      left = "the subscription was deleted meanwhile";
      return null;
    }
    if (now.settings() != subscription.settings()) {
      left = "the subscription was changed meanwhile: check it again";
      return null;
    }
    if (nanoTime.getAsLong() - begunNanos > LIMIT.toNanos()) {
      left = "the requests before took more than " + AmountText.exact(LIMIT);
      return null;
    }
    for (Request each : Request.values()) {
      if (each.compareTo(ended) > 0 && (signed || !each.isForSignatures())) {
        return each;
      }
    }
    return null;
  }

  private AttemptOutcome outcome(Request request) {
    AttemptOutcome outcome = outcomes.get(request);
    if (outcome == null) {
      throw new IllegalStateException(request + " was not made");
    }
    return outcome;
  }

  private List<ReceiverFinding> findings() {
    return List.of(
        taken(Check.ACCEPTED, Request.FIRST, signed ? "A signed message" : "An unsigned message"),
        refused(Check.SIGNATURE, Request.FORGED, "A message with a wrong signature"),
        refused(Check.TIMESTAMP, Request.OLD, "A message that was signed an hour ago"),
        taken(Check.REPETITION, Request.AGAIN, "The same message, sent again,"),
        answerTime(),
        taken(Check.BODY, Request.LARGE, "A message of 256 KB"));
  }

  /** Looks whether a message that a receiver should take was answered with 2xx. */
  private ReceiverFinding taken(Check check, Request request, String message) {
    AttemptOutcome outcome = outcomes.get(request);
    if (outcome == null) {
      return ReceiverFinding.unknown(check, left);
    }
    if (!outcome.made()) {
      return ReceiverFinding.unknown(check, "nothing was sent, " + outcome.summary());
    }
    if (outcome.succeeded()) {
      return ReceiverFinding.passed(check, message + " was taken: " + told(outcome) + ".");
    }
    if (asksToWait(outcome)) {
      return ReceiverFinding.unknown(check, "the receiver asked to wait, with " + told(outcome));
    }
    return ReceiverFinding.failed(
        check, message + " was not taken: " + told(outcome) + "." + excerpt(outcome));
  }

  /** Looks whether a message that a receiver should refuse was answered with 4xx. */
  private ReceiverFinding refused(Check check, Request request, String message) {
    if (!signed) {
      return ReceiverFinding.unknown(check, "the subscription does not sign its messages");
    }
    AttemptOutcome outcome = outcomes.get(request);
    if (outcome == null) {
      return ReceiverFinding.unknown(check, left);
    }
    if (!outcome.made()) {
      return ReceiverFinding.unknown(check, "nothing was sent, " + outcome.summary());
    }
    if (asksToWait(outcome)) {
      return ReceiverFinding.unknown(check, "the receiver asked to wait, with " + told(outcome));
    }
    if (outcome.status() / 100 == 4) {
      return ReceiverFinding.passed(check, message + " was refused: " + told(outcome) + ".");
    }
    return ReceiverFinding.failed(
        check, message + " was not refused with 4xx: " + told(outcome) + "." + excerpt(outcome));
  }

  private ReceiverFinding answerTime() {
    String allowed = AmountText.exact(http.timeout());
    long slowest = -1;
    for (AttemptOutcome outcome : outcomes.values()) {
      if (outcome.made()
          && outcome.status() == 0
          && OutcomeClass.of(outcome) == OutcomeClass.TIMEOUT) {
        return ReceiverFinding.failed(
            Check.TIMEOUT, "A request got no answer within the " + allowed + " of an attempt.");
      }
      if (outcome.status() != 0) {
        slowest = Math.max(slowest, outcome.durationNanos());
      }
    }
    if (slowest < 0) {
      return ReceiverFinding.unknown(Check.TIMEOUT, "there was no answer");
    }
    return ReceiverFinding.passed(
        Check.TIMEOUT,
        "The slowest answer took "
            + AmountText.rough(Duration.ofNanos(slowest))
            + "; an attempt has "
            + allowed
            + ".");
  }

  /** Whether an answer says nothing about the message. */
  private static boolean asksToWait(AttemptOutcome outcome) {
    int status = outcome.status();
    return status == REQUEST_TIMEOUT || status == TOO_EARLY || status == TOO_MANY_REQUESTS;
  }

  private static String told(AttemptOutcome outcome) {
    return HarmlessText.oneLine(outcome.summary());
  }

  private static String excerpt(AttemptOutcome outcome) {
    String text = HarmlessText.oneLine(new String(outcome.response(), UTF_8), MAX_EXCERPT_CHARS);
    return text.isEmpty() ? "" : " The answer begins: " + text;
  }
}
