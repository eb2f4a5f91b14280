package dev.reprise.server.log;

import dev.reprise.delivery.Attempt;
import dev.reprise.delivery.AttemptOutcome;
import dev.reprise.delivery.GivenUp;
import dev.reprise.delivery.MessageId;
import dev.reprise.delivery.OutcomeClass;
import dev.reprise.delivery.TraceContext;
import dev.reprise.delivery.catalog.Subscription;
import java.util.Locale;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.slf4j.spi.LoggingEventBuilder;

/**
 * Logs deliveries: each attempt, if that was asked for, and those that are given up. Ids stand in
 * fields of their own. Those for which OpenTelemetry's conventions have a name have it, as in
 * spans: {@code messaging.message.id}, {@code messaging.destination.name} (the topic), {@code
 * messaging.destination.subscription.name}, {@code trace_id}. The others are {@code delivery},
 * {@code attempt}, {@code outcome} and {@code durationMillis}. No body and no secret is in any
 * line.
 */
public final class AttemptLogger {
  /** The logger of attempts, at level DEBUG. */
  public static final String ATTEMPTS = "dev.reprise.attempts";

  private static final Logger LOG = LoggerFactory.getLogger(ATTEMPTS);
  private static final Logger GIVEN_UP = LoggerFactory.getLogger("dev.reprise.deliveries");

  private AttemptLogger() {}

  /** Whether attempts are logged. */
  public static boolean isOn() {
    return LOG.isDebugEnabled();
  }

  /** Logs an attempt that has ended, or was not made. */
  public static void ended(Attempt attempt, Subscription subscription, AttemptOutcome outcome) {
    String name = outcome.made() ? OutcomeClass.of(outcome).wireName() : "not made";
    LoggingEventBuilder line =
        ids(LOG.atDebug(), subscription.id(), subscription.topic(), attempt.message())
            .addKeyValue("attempt", attempt.attempt())
            .addKeyValue("outcome", name)
            .addKeyValue("durationMillis", outcome.durationNanos() / 1_000_000);
    TraceContext trace = attempt.trace();
    if (trace != null) {
      line = line.addKeyValue("trace_id", trace.traceId());
    }
    line.log(
        "attempt {} of message {} to {}: {}",
        attempt.attempt(),
        attempt.message(),
        subscription.id(),
        LogText.harmless(outcome.summary()));
  }

  /**
   * Logs that deliveries were given up.
   *
   * @param text the line
   * @param subscription the subscription's id; null if the line is on several
   * @param last the last of these deliveries
   */
  public static void gaveUp(String text, @Nullable String subscription, GivenUp last) {
    LoggingEventBuilder line = GIVEN_UP.atWarn();
    if (subscription != null) {
      line =
          ids(line, subscription, null, last.message())
              .addKeyValue("attempt", last.attempts())
              .addKeyValue("outcome", last.reason().name().toLowerCase(Locale.ROOT));
    }
    line.log(text);
  }

  private static LoggingEventBuilder ids(
      LoggingEventBuilder line, String subscription, @Nullable String topic, MessageId message) {
    LoggingEventBuilder with =
        line.addKeyValue("delivery", message + "@" + subscription)
            .addKeyValue("messaging.destination.subscription.name", subscription)
            .addKeyValue("messaging.message.id", message.toString());
    return topic == null ? with : with.addKeyValue("messaging.destination.name", topic);
  }
}
