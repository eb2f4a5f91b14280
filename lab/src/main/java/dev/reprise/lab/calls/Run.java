package dev.reprise.lab.calls;

import dev.reprise.core.strategy.StandardRetryStrategy;
import dev.reprise.lab.kernel.ActiveFailures;
import dev.reprise.lab.kernel.CounterRandom;
import dev.reprise.lab.kernel.EventHeap;
import dev.reprise.lab.scenario.CallModel;
import dev.reprise.lab.scenario.CallModel.Layer;
import dev.reprise.lab.scenario.CallModel.Load;
import dev.reprise.lab.scenario.Speed;
import dev.reprise.policy.Policy;
import java.time.Duration;
import java.util.List;
import java.util.function.Consumer;

/** One run: the parts of the model, and how they are put together. */
final class Run {
  /** Calls that no policy ends are cut off after ten times the duration, and an hour. */
  private static final int PATIENCE = 10;

  private static final Duration MORE_PATIENCE = Duration.ofHours(1);

  private static final long EVENTS_AT_ONCE = 1_000_000;
  private static final long EVENTS_AT_ONCE_PER_CLIENT = 1000;

  /** Keeps the randomness of different things apart, whatever the seed. */
  private static final long APART = 0x632BE59BD9B4E019L;

  final EventHeap heap;
  final CounterRandom random;

  /** The random numbers of all strategies; it is moved to a call before its strategy decides. */
  final CounterRandom jitter;

  final double hopMeanNanos;
  final long durationNanos;
  final ActiveFailures conditions;
  final Speed speed;
  final SimulatedService service;
  final CallTally tally;
  final Callers callers;
  private final Station outermost;
  private final Retries retries;

  Run(CallModel model, Policy policy, long seed, Consumer<StandardRetryStrategy.Builder> further) {
    CallModel.Clients clients = model.clients();
    this.heap = new EventHeap(EVENTS_AT_ONCE + EVENTS_AT_ONCE_PER_CLIENT * clients.count());
    this.random = new CounterRandom(seed);
    this.jitter = apart(seed, 1);
    this.hopMeanNanos = model.hop().toNanos();
    this.durationNanos = model.duration().toNanos();
    this.conditions = new ActiveFailures(model.failures(), clients.count(), apart(seed, 2));
    this.speed = Speed.of(model.failures());
    this.service = new SimulatedService(this, model.service());
    this.tally = new CallTally(model);
    CounterRandom beginnings = apart(seed, 3);
    this.callers =
        clients.load() instanceof Load.Open open
            ? new OpenCallers(this, open.steps(), clients.count(), beginnings)
            : new ClosedCallers(
                this,
                ((Load.Closed) clients.load()).think().toNanos(),
                clients.count(),
                beginnings);
    EventTime time = new EventTime(heap);
    Station station = service;
    List<Layer> layers = model.layers();
    for (int i = layers.size() - 1; i >= 0; i--) {
      Layer layer = layers.get(i);
      Retries ofLayer =
          layer.policy() == null
              ? Retries.of(policy, layer.timeout(), 1, time, jitter, further)
              : Retries.of(layer.policy(), layer.timeout(), 1, time, jitter, builder -> {});
      station = new LayerStation(ofLayer.of(0), station);
    }
    this.outermost = station;
    this.retries =
        Retries.of(
            policy,
            clients.timeout(),
            clients.sharedBudget() ? 1 : clients.count(),
            time,
            jitter,
            further);
  }

  private static CounterRandom apart(long seed, int which) {
    return new CounterRandom(seed ^ Long.rotateLeft(APART, which));
  }

  /** Runs until all calls have ended that begin in time. */
  void run() {
    callers.start();
    heap.runUntil(durationNanos + PATIENCE * durationNanos + MORE_PATIENCE.toNanos());
    tally.close(heap.nowNanos());
  }

  /** Begins a call. */
  void begin(long id, int client) {
    ClientCall call = new ClientCall(this, id, outermost, client);
    tally.began(heap.nowNanos());
    call.start(retries.of(client));
  }

  /** Ends the run if all calls have ended; the heap then holds only requests that were given up. */
  void stopIfOver() {
    if (callers.areDone() && tally.going() == 0) {
      heap.stop();
    }
  }

  /** Ends the run with an exception that a callback would have swallowed. */
  void broken(Throwable thrown) {
    heap.schedule(
        0,
        () -> {
          throw new IllegalStateException("a call broke: " + thrown, thrown);
        });
  }
}
