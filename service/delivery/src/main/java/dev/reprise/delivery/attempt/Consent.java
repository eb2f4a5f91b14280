package dev.reprise.delivery.attempt;

import dev.reprise.core.http.HttpFailure;
import dev.reprise.delivery.address.EndpointUrl;
import dev.reprise.delivery.http.HttpAttempt;
import dev.reprise.delivery.http.HttpOptions;
import dev.reprise.delivery.http.HttpOutcome;
import dev.reprise.delivery.http.HttpSender;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * The consent of an endpoint, asked for before the first delivery and once a day (CloudEvents, HTTP
 * 1.1 Web Hooks for Event Delivery, section 4): an {@code OPTIONS} request with {@value #ORIGIN},
 * which the endpoint answers with {@value #ALLOWED}. Attempts that wait for it share one request.
 * Safe for use by many threads.
 */
final class Consent {
  static final String ORIGIN = "WebHook-Request-Origin";
  static final String ALLOWED = "webhook-allowed-origin";

  /** The name by which this service asks. */
  static final String NAME = "reprise";

  private static final long KEPT_NANOS = Duration.ofDays(1).toNanos();

  private final EndpointUrl url;
  private final List<Consumer<@Nullable HttpOutcome>> waiting = new ArrayList<>();
  private boolean given;
  private long endNanos;

  Consent(EndpointUrl url) {
    this.url = url;
  }

  /**
   * Asks for consent, unless it is known.
   *
   * @param done gets null if it was given, otherwise what was answered
   */
  void ask(
      HttpSender sender,
      HttpOptions options,
      Duration timeout,
      Consumer<@Nullable HttpOutcome> done) {
    boolean known;
    boolean first;
    synchronized (this) {
      known = given && System.nanoTime() - endNanos < 0;
      first = waiting.isEmpty();
      if (!known) {
        waiting.add(done);
      }
    }
    if (known) {
      done.accept(null);
    } else if (first) {
      HttpAttempt question =
          new HttpAttempt(
              url,
              List.of(Map.entry(ORIGIN, NAME), Map.entry("User-Agent", "Reprise/0.1")),
              new byte[0],
              "",
              timeout,
              options
                  .withMethod("OPTIONS")
                  .withResponse(HttpSender.MAX_EXCERPT_BYTES, List.of(ALLOWED)));
      sender.send(question, this::answered);
    }
  }

  private void answered(HttpOutcome outcome) {
    boolean allowed =
        outcome instanceof HttpOutcome.Response response
            && HttpFailure.isSuccess(response.status())
            && isAllowed(response.headers().get(ALLOWED));
    List<Consumer<@Nullable HttpOutcome>> all;
    synchronized (this) {
      all = List.copyOf(waiting);
      waiting.clear();
      given = allowed;
      endNanos = System.nanoTime() + KEPT_NANOS;
    }
    all.forEach(each -> each.accept(allowed ? null : outcome));
  }

  private static boolean isAllowed(@Nullable String origins) {
    if (origins == null) {
      return false;
    }
    for (String origin : origins.split(",", -1)) {
      if (origin.strip().equals("*") || origin.strip().equalsIgnoreCase(NAME)) {
        return true;
      }
    }
    return false;
  }
}
