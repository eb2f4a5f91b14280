package dev.reprise.delivery.shard;

import java.util.ArrayDeque;
import java.util.PriorityQueue;
import java.util.function.LongToDoubleFunction;
import java.util.function.LongToIntFunction;
import java.util.random.RandomGenerator;

/**
 * An endpoint on virtual time that is given as many attempts at the same time as {@link
 * Concurrency} allows: each waits for one of the endpoint's servers, and is then served for a
 * random time.
 */
final class LoadedEndpoint {
  static final long MILLI = 1_000_000;
  static final long SECOND = 1000 * MILLI;
  static final int UNLIMITED = Integer.MAX_VALUE;

  /** How long an attempt is served, by the time at which that begins. */
  interface Service {
    long nanos(RandomGenerator random, long nowNanos);
  }

  private record Attempt(long startedNanos, long endsNanos) {}

  private final RandomGenerator random;
  private final Service service;
  private final Concurrency concurrency;
  private final PriorityQueue<Attempt> served =
      new PriorityQueue<>((a, b) -> Long.compare(a.endsNanos, b.endsNanos));
  private final ArrayDeque<Long> queue = new ArrayDeque<>();

  private LongToIntFunction servers = now -> UNLIMITED;
  private LongToDoubleFunction failing = now -> 0;

  /** Messages a second, or 0 for as many as there are places. */
  private double perSecond;

  /** How many messages come at the same time. */
  private int burst = 1;

  private long waiting;
  private long nextArrival;
  private long now;
  private long succeeded;
  private double placeNanos;
  private double serviceNanos;
  private int fewest = UNLIMITED;
  private int most;

  LoadedEndpoint(Concurrency concurrency, RandomGenerator random, Service service) {
    this.concurrency = concurrency;
    this.random = random;
    this.service = service;
  }

  /** How many attempts are served at the same time; the others wait at the endpoint. */
  LoadedEndpoint servers(LongToIntFunction servers) {
    this.servers = servers;
    return this;
  }

  /** The share of attempts that fail. */
  LoadedEndpoint failing(LongToDoubleFunction failing) {
    this.failing = failing;
    return this;
  }

  /** Messages come in bursts, so many a second; without this there are always more. */
  LoadedEndpoint traffic(double perSecond, int burst) {
    this.perSecond = perSecond;
    this.burst = burst;
    return this;
  }

  /** Runs for so long, and measures from now on. */
  void run(double seconds) {
    long end = now + (long) (seconds * SECOND);
    succeeded = 0;
    placeNanos = 0;
    serviceNanos = 0;
    fewest = UNLIMITED;
    most = 0;
    start();
    while (true) {
      long next = Math.min(end, perSecond == 0 ? Long.MAX_VALUE : nextArrival);
      Attempt first = served.peek();
      if (first != null) {
        next = Math.min(next, first.endsNanos);
      }
      placeNanos += (double) concurrency.limit() * (next - now);
      now = next;
      while ((first = served.peek()) != null && first.endsNanos <= now) {
        served.poll();
        end(first);
      }
      if (now == end) {
        start();
        return;
      }
      if (perSecond > 0 && nextArrival <= now) {
        waiting += burst;
        double mean = burst / perSecond * SECOND;
        nextArrival = now + (long) (-Math.log(1 - random.nextDouble()) * mean);
      }
      start();
    }
  }

  private void end(Attempt attempt) {
    if (random.nextDouble() < failing.applyAsDouble(now)) {
      concurrency.failed(now);
    } else {
      succeeded++;
      concurrency.succeeded(now - attempt.startedNanos, now);
    }
    concurrency.occupied(inFlight(), now);
    fewest = Math.min(fewest, concurrency.limit());
    most = Math.max(most, concurrency.limit());
  }

  private void start() {
    while (inFlight() < concurrency.limit() && (perSecond == 0 || waiting > 0)) {
      waiting -= perSecond == 0 ? 0 : 1;
      queue.add(now);
      concurrency.occupied(inFlight(), now);
    }
    while (!queue.isEmpty() && served.size() < servers.applyAsInt(now)) {
      long nanos = Math.max(1, service.nanos(random, now));
      serviceNanos += nanos;
      served.add(new Attempt(queue.poll(), now + nanos));
    }
  }

  private int inFlight() {
    return served.size() + queue.size();
  }

  long succeeded() {
    return succeeded;
  }

  /** The share of these places that was used to serve; 1 if all were, all the time. */
  double used(int places, double seconds) {
    return serviceNanos / (places * seconds * SECOND);
  }

  /** The mean number of places in the last run. */
  double meanPlaces(double seconds) {
    return placeNanos / (seconds * SECOND);
  }

  /** The fewest places after an attempt of the last run. */
  int fewest() {
    return fewest;
  }

  int most() {
    return most;
  }

  long waiting() {
    return waiting;
  }
}
