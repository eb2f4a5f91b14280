package dev.reprise.lab.calls;

import dev.reprise.lab.kernel.Chance;
import dev.reprise.lab.kernel.CounterRandom;
import dev.reprise.lab.kernel.EventHeap;

/** Clients each of which calls again when its last call has ended and it has thought about it. */
final class ClosedCallers implements Callers {
  private static final int CLIENT_BITS = 20;

  private final Run run;
  private final double thinkNanos;
  private final CounterRandom random;
  private final Client[] clients;
  private int active;

  ClosedCallers(Run run, long thinkNanos, int clients, CounterRandom random) {
    this.run = run;
    this.thinkNanos = thinkNanos;
    this.random = random;
    this.clients = new Client[clients];
    this.active = clients;
  }

  @Override
  public void start() {
    for (int i = 0; i < clients.length; i++) {
      clients[i] = new Client(i);
      clients[i].think();
    }
  }

  @Override
  public void ended(int client) {
    clients[client].think();
  }

  @Override
  public boolean areDone() {
    return active == 0;
  }

  /** One of them; the event is that it calls. */
  private final class Client implements EventHeap.Event {
    private final int index;
    private long calls;

    Client(int index) {
      this.index = index;
    }

    void think() {
      long thinks = Math.round(Chance.exponential(thinkNanos, random.at(index, calls)));
      if (thinks < run.durationNanos - run.heap.nowNanos()) {
        run.heap.schedule(thinks, this);
      } else {
        active--;
      }
    }

    @Override
    public void occur() {
      run.begin((calls++ << CLIENT_BITS) + index, index);
    }
  }
}
