package dev.reprise.server.api;

import dev.reprise.delivery.DeliveryReader;
import dev.reprise.delivery.EndpointFigures;
import dev.reprise.delivery.OutcomeClass;
import dev.reprise.delivery.catalog.Subscription;
import dev.reprise.delivery.engine.DeliveryEngine;
import dev.reprise.delivery.figures.LatencyHistogram;
import dev.reprise.server.document.MinuteDocument;
import dev.reprise.server.document.MinuteDocument.LatencyDocument;
import dev.reprise.server.document.PageDocument;
import dev.reprise.server.http.Answer;
import dev.reprise.server.http.ApiException;
import dev.reprise.server.http.Call;
import dev.reprise.server.http.Cursor;
import dev.reprise.server.http.Place;
import dev.reprise.server.http.Query;
import dev.reprise.server.http.RequestFields;
import dev.reprise.server.http.Route;
import dev.reprise.server.http.Routes;
import dev.reprise.server.http.Times;
import dev.reprise.server.http.Use;
import dev.reprise.server.openapi.SubscriptionDescriptions;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.concurrent.CompletionStage;
import org.jspecify.annotations.Nullable;

/** The figures of subscriptions over time. */
final class MinuteOperations {
  /** The most minutes that one request reads. */
  static final int MAX_SEEN = 10_000;

  private static final long HOUR_MILLIS = Duration.ofHours(1).toMillis();
  private static final Map<String, Long> STEPS =
      Map.of(
          "1m",
          EndpointFigures.MINUTE_MILLIS,
          "5m",
          5 * EndpointFigures.MINUTE_MILLIS,
          "1h",
          HOUR_MILLIS);

  private final DeliveryEngine engine;
  private final EndpointState states;

  MinuteOperations(DeliveryEngine engine, EndpointState states) {
    this.engine = engine;
    this.states = states;
  }

  List<Route> routes() {
    return List.of(
        Routes.waiting(
                Use.READ,
                Place.SUBSCRIPTION,
                "GET",
                "/v1/subscriptions/{id}/minutes",
                "",
                this::list)
            .described(SubscriptionDescriptions.LIST_MINUTES));
  }

  private CompletionStage<Answer> list(Call call) {
    Query query = call.query();
    String stepText = query.text("step");
    Long step = STEPS.get(stepText == null ? "1m" : stepText);
    if (step == null) {
      throw ApiException.invalid(
          "step", RequestFields.shortened(String.valueOf(stepText)), "must be 1m, 5m or 1h");
    }
    long now = engine.nowMillis();
    long to = RequestFields.time(query.text("to"), "to", now + 1);
    long from = RequestFields.time(query.text("from"), "from", Math.max(0, to - HOUR_MILLIS));
    int limit = query.limit();
    String cursor = query.cursor();
    long start = cursor == null ? from : Cursor.read(cursor, "m", (kind, c) -> c.count());
    Subscription subscription = call.catalog().subscription(call.path("id"));
    // The shards first: what they write meanwhile is found in the store.
    return states.withMinutes(
        subscription,
        present ->
            Answer.json(200, page(subscription, start - start % step, to, present, step, limit)));
  }

  /**
   * Makes spans of the minutes of all shards.
   *
   * @param present what shards have not written yet, of each; empty if they do not say
   */
  private PageDocument page(
      Subscription subscription,
      long from,
      long to,
      List<Optional<EndpointFigures>> present,
      long step,
      int limit) {
    SortedMap<Long, EndpointFigures> sum = new TreeMap<>();
    boolean isPart = false;
    List<DeliveryReader> readers = engine.readers(subscription);
    for (int i = 0; i < readers.size(); i++) {
      List<EndpointFigures> minutes =
          new ArrayList<>(readers.get(i).minutes(subscription.number(), from, to, MAX_SEEN));
      if (minutes.size() == MAX_SEEN) {
        isPart = true;
      } else if (!present.isEmpty()) {
        present
            .get(i)
            .filter(p -> p.fromMillis() >= from && p.fromMillis() < to)
            .ifPresent(p -> addPresent(minutes, p));
      }
      EndpointFigures.addBeside(sum, minutes);
    }
    // Where one shard has more, the first ones of all together are whole.
    List<EndpointFigures> whole =
        sum.values().stream().limit(isPart ? MAX_SEEN : Long.MAX_VALUE).toList();
    return page(whole, step, limit, isPart);
  }

  /** The present minute may be in the store already, wholly or, after a start, the part before. */
  private static void addPresent(List<EndpointFigures> minutes, EndpointFigures present) {
    int last = minutes.size() - 1;
    if (last >= 0 && minutes.get(last).fromMillis() == present.fromMillis()) {
      if (minutes.get(last).attempts() <= present.attempts()) {
        minutes.set(last, present);
      }
    } else {
      minutes.add(present);
    }
  }

  /**
   * Makes spans of minutes.
   *
   * @param isPart whether there may be more minutes after these
   */
  static PageDocument page(List<EndpointFigures> minutes, long step, int limit, boolean isPart) {
    Deque<EndpointFigures> spans = new ArrayDeque<>();
    for (EndpointFigures minute : minutes) {
      long at = minute.fromMillis() - minute.fromMillis() % step;
      if (spans.isEmpty() || spans.getLast().fromMillis() != at) {
        if (spans.size() > limit) {
          break;
        }
        spans.add(new EndpointFigures(at));
      }
      spans.getLast().add(minute);
    }
    @Nullable String next = null;
    if (spans.size() > limit || isPart) {
      // The last one is perhaps not whole.
      next = Cursor.of('m').number(spans.removeLast().fromMillis()).toString();
    }
    return new PageDocument(
        spans.stream().map(MinuteOperations::document).toList(), next, minutes.size());
  }

  private static MinuteDocument document(EndpointFigures figures) {
    Map<String, Integer> outcomes = new LinkedHashMap<>();
    for (OutcomeClass outcome : OutcomeClass.values()) {
      if (figures.outcomes(outcome) > 0) {
        outcomes.put(outcome.wireName(), figures.outcomes(outcome));
      }
    }
    return new MinuteDocument(
        Times.text(figures.fromMillis()),
        figures.attempts(),
        figures.delivered(),
        figures.retried(),
        figures.givenUp(),
        outcomes,
        latency(figures.latency()).orElse(null),
        figures.limit(),
        figures.minLimit(),
        figures.pausedMillis(),
        figures.pending(),
        figures.oldestDueMillis() == 0 ? null : Times.text(figures.oldestDueMillis()));
  }

  private static Optional<LatencyDocument> latency(LatencyHistogram latency) {
    long count = latency.count();
    return count == 0
        ? Optional.empty()
        : Optional.of(
            new LatencyDocument(
                millis(latency.sumMicros() / count),
                millis(latency.quantileMicros(0.5)),
                millis(latency.quantileMicros(0.99)),
                millis(latency.maxMicros())));
  }

  private static double millis(long micros) {
    return micros / 1000.0;
  }
}
