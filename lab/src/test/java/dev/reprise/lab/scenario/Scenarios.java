package dev.reprise.lab.scenario;

import dev.reprise.policy.Policy;
import dev.reprise.policy.PolicyDocuments;
import dev.reprise.policy.Presets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import net.jqwik.api.Arbitraries;
import net.jqwik.api.Arbitrary;
import net.jqwik.api.Combinators;

/** Any scenario that a document can hold. */
final class Scenarios {
  private static final Duration YEAR = Duration.ofDays(365);

  private Scenarios() {}

  static Arbitrary<Scenario> any() {
    Arbitrary<Map<String, Policy>> policies =
        Arbitraries.maps(Arbitraries.of("a", "full jitter", "ü 1/2", "x".repeat(60)), policies())
            .ofMinSize(1)
            .map(LinkedHashMap::new);
    Arbitrary<String> names = Arbitraries.of("a", "0-b", "herd-after-outage");
    Arbitrary<String> descriptions = Arbitraries.strings().ofMaxLength(40);
    return Combinators.combine(
            names,
            descriptions,
            Arbitraries.<Model>oneOf(fleets(), calls(), contention()),
            policies,
            Arbitraries.longs(),
            Arbitraries.integers().between(1, 10_000))
        .as(Scenario::new);
  }

  private static Arbitrary<Policy> policies() {
    return Arbitraries.oneOf(
        Arbitraries.of(Presets.names()).map(Presets::policy),
        Arbitraries.of(
                "{\"strategy\":\"none\"}",
                "{\"strategy\":\"adaptive\",\"deadline\":\"1s\",\"budget\":\"unlimited\"}",
                "{\"strategy\":\"standard\",\"backoff\":{\"type\":\"exponential\",\"base\":\"1s\","
                    + "\"cap\":\"64s\",\"jitter\":\"full\"}}")
            .map(PolicyDocuments::read));
  }

  private static Arbitrary<FleetModel> fleets() {
    Arbitrary<Minority> minorities =
        Arbitraries.oneOf(
            Arbitraries.just(Minority.NONE),
            Combinators.combine(shares(), policies()).as(Minority::new));
    Arbitrary<Costs> costs =
        Combinators.combine(
                Arbitraries.integers().between(0, 1_000_000_000),
                spans(),
                Arbitraries.doubles().between(0, 1e9))
            .as(Costs::new);
    Arbitrary<Overactive> overactive =
        Combinators.combine(shares(), positive()).as(Overactive::new);
    return Combinators.combine(
            Combinators.combine(
                    Arbitraries.integers().between(1, 200_000_000), spans(), spans(), positive())
                .as(
                    (devices, spread, interval, horizon) ->
                        List.of(devices, spread, interval, horizon)),
            quotas(),
            failures().map(Scenarios::fromTheStart),
            hints(),
            overactive,
            minorities,
            costs)
        .as(
            (numbers, quota, failures, hint, active, minority, cost) ->
                new FleetModel(
                    (Integer) numbers.get(0),
                    (Duration) numbers.get(1),
                    quota,
                    (Duration) numbers.get(2),
                    failures,
                    hint,
                    active,
                    minority,
                    cost,
                    (Duration) numbers.get(3)));
  }

  /** A fleet recovers once. */
  private static List<Failure> fromTheStart(List<Failure> failures) {
    List<Failure> begun = new ArrayList<>();
    for (Failure failure : failures) {
      begun.add(
          failure instanceof Failure.Outage outage
              ? new Failure.Outage(Duration.ZERO, outage.to(), outage.zone())
              : failure);
    }
    return begun;
  }

  private static Arbitrary<CallModel> calls() {
    Arbitrary<CallModel.Load> loads =
        Arbitraries.oneOf(
            spans().map(CallModel.Load.Closed::new),
            rates().list().ofMinSize(1).ofMaxSize(4).map(Scenarios::steps));
    Arbitrary<CallModel.Clients> clients =
        Combinators.combine(
                Arbitraries.integers().between(1, 1_000_000),
                Arbitraries.of(true, false),
                loads,
                positive().injectNull(0.5))
            .as(CallModel.Clients::new);
    Arbitrary<List<CallModel.Layer>> layers =
        Combinators.combine(
                Arbitraries.of("a", "gate way"),
                policies().injectNull(0.5),
                positive().injectNull(0.5))
            .as(CallModel.Layer::new)
            .list()
            .ofMaxSize(3);
    Arbitrary<CallModel.ServiceTime> times =
        Combinators.combine(spans(), spans(), Arbitraries.of(CallModel.ServiceTime.Shape.values()))
            .as(CallModel.ServiceTime::new);
    Arbitrary<CallModel.Queue> queues =
        Combinators.combine(
                Arbitraries.of(CallModel.Queue.Order.values()),
                Arbitraries.integers().between(0, Integer.MAX_VALUE),
                Arbitraries.of(true, false))
            .as(CallModel.Queue::new);
    Arbitrary<CallModel.Service> services =
        Combinators.combine(
                Arbitraries.integers().between(0, 1_000_000),
                times,
                queues,
                quotas().injectNull(0.5),
                hints())
            .as(CallModel.Service::new);
    Arbitrary<Duration[]> times2 = ordered();
    return Combinators.combine(clients, layers, services, spans(), failures(), times2)
        .as(
            (who, between, service, hop, failures, span) ->
                new CallModel(who, between, service, hop, failures, span[0], span[1]));
  }

  private static CallModel.Load steps(List<Double> rates) {
    List<CallModel.Step> steps = new ArrayList<>();
    for (double rate : rates) {
      steps.add(new CallModel.Step(Duration.ofMillis(1500L * steps.size()), rate));
    }
    return new CallModel.Load.Open(steps);
  }

  private static Arbitrary<ContentionModel> contention() {
    return Combinators.combine(Arbitraries.integers().between(1, 1_000_000), positive(), spans())
        .as(ContentionModel::new);
  }

  private static Arbitrary<Quota> quotas() {
    return Combinators.combine(rates().filter(rate -> rate > 0), spans(), shares()).as(Quota::new);
  }

  private static Arbitrary<Hint> hints() {
    return Arbitraries.oneOf(
        Arbitraries.of(new Hint.None(), new Hint.Slots()),
        spans().map(Hint.Fixed::new),
        ordered().map(bounds -> new Hint.Uniform(bounds[0], bounds[1])));
  }

  private static Arbitrary<List<Failure>> failures() {
    Arbitrary<Failure.Zone> zones =
        Arbitraries.integers()
            .between(1, 1000)
            .flatMap(
                all ->
                    Arbitraries.integers()
                        .between(0, all - 1)
                        .map(index -> new Failure.Zone(index, all)));
    Arbitrary<Failure> traces =
        shares()
            .list()
            .ofMaxSize(3)
            .map(
                shares -> {
                  List<Failure.Interval> intervals = new ArrayList<>();
                  for (double share : shares) {
                    Duration from = Duration.ofMillis(2L * intervals.size());
                    intervals.add(new Failure.Interval(from, from.plusMillis(1), share));
                  }
                  return new Failure.Trace(intervals);
                });
    Arbitrary<Failure> any =
        Arbitraries.oneOf(
            Combinators.combine(ordered(), zones)
                .as((span, zone) -> new Failure.Outage(span[0], span[1], zone)),
            Combinators.combine(ordered(), shares())
                .as((span, share) -> new Failure.BrownOut(span[0], span[1], share)),
            shares().map(Failure.Random::new),
            Combinators.combine(positive(), positive(), shares()).as(Failure.Bursts::new),
            traces);
    return any.list().ofMaxSize(3);
  }

  private static Arbitrary<Double> rates() {
    return Arbitraries.oneOf(
        Arbitraries.of(0.0, 1.0 / 3, 5000.0, 1e9, Double.MIN_VALUE, 1e-20, 123456789.123456),
        Arbitraries.doubles().between(0, 1e9));
  }

  private static Arbitrary<Double> shares() {
    return Arbitraries.oneOf(
        Arbitraries.of(0.0, 1.0, 1.0 / 3, Double.MIN_VALUE), Arbitraries.doubles().between(0, 1));
  }

  private static Arbitrary<Duration> spans() {
    return Arbitraries.oneOf(
        Arbitraries.longs().between(0, 3600).map(Duration::ofSeconds),
        Arbitraries.longs().between(0, 100_000).map(Duration::ofMillis),
        Arbitraries.longs().between(0, YEAR.toNanos()).map(Duration::ofNanos));
  }

  private static Arbitrary<Duration> positive() {
    return spans().filter(span -> !span.isZero());
  }

  private static Arbitrary<Duration[]> ordered() {
    return Combinators.combine(spans(), spans())
        .as((a, b) -> a.compareTo(b) < 0 ? new Duration[] {a, b} : new Duration[] {b, a})
        .filter(span -> !span[0].equals(span[1]));
  }
}
