package dev.reprise.delivery.shard;

import dev.reprise.delivery.host.Lease;
import dev.reprise.delivery.store.Batch;
import dev.reprise.delivery.store.StoreException;
import dev.reprise.delivery.store.TurnLog;

/**
 * One owner's way to the log, with the rules of the cluster's own: two ids in turn, a batch that
 * was appended proves the ownership at its beginning, and an owner that was fenced or cannot find
 * out whether its batch is in the log has ended.
 */
final class SimulatedTurnLog implements TurnLog, Lease {
  static final long LEASE_NANOS = 1_000_000_000L;

  private final VirtualTime time;
  private final SimulatedThread thread;
  private final ClusterFaults faults;
  private final SimulatedBroker broker;
  private final ClusterFlaw flaw;
  private final Committed committed;
  private final int[] epochs = new int[2];
  private int next;
  private long confirmedNanos;
  private boolean ended;

  /** Is told when a turn is in the log, before its owner knows. */
  interface Committed {
    void turn();
  }

  /** Fences everybody else. */
  SimulatedTurnLog(
      VirtualTime time,
      SimulatedThread thread,
      ClusterFaults faults,
      SimulatedBroker broker,
      ClusterFlaw flaw,
      Committed committed) {
    this.time = time;
    this.thread = thread;
    this.faults = faults;
    this.broker = broker;
    this.flaw = flaw;
    this.committed = committed;
    this.confirmedNanos = time.nanos() - LEASE_NANOS;
    for (int id = 0; id < epochs.length; id++) {
      thread.standStill(faults.requestNanos());
      epochs[id] = broker.fence(id);
    }
  }

  /** Which of two owners began later. */
  int order() {
    return epochs[0];
  }

  /** Says that this owner has begun; nobody else has the log if that succeeds. */
  void begin() {
    append(SimulatedBroker.marker(/* released= */ false), () -> {});
  }

  /** Says that this owner has ended. */
  void release() {
    append(SimulatedBroker.marker(/* released= */ true), () -> {});
    ended = true;
  }

  /** Appends nothing more. */
  void abandon() {
    ended = true;
  }

  boolean hasEnded() {
    return ended;
  }

  @Override
  public long append(Batch batch) {
    return append(batch, committed);
  }

  private long append(Batch batch, Committed told) {
    if (ended && flaw != ClusterFlaw.GOES_ON_WHEN_LOST) {
      throw StoreException.lost("it was given up here", null);
    }
    int id = next;
    next = 1 - next;
    long began = time.nanos();
    thread.standStill(faults.requestNanos());
    if (faults.strikes(2)) {
      throw new StoreException("the brokers did not take a turn", false, null);
    }
    if (!broker.commit(id, epochs[id], batch)) {
      ended = true;
      throw StoreException.lost("fenced", null);
    }
    long end = broker.lastEnd();
    told.turn();
    boolean answerIsLost = faults.strikes(2);
    thread.standStill(faults.requestNanos());
    if (answerIsLost && flaw == ClusterFlaw.LOST_ANSWER_MEANS_REFUSED) {
      throw new StoreException("the brokers do not answer", false, null);
    }
    if (answerIsLost || ended) {
      ended = true;
      throw StoreException.lost("the brokers do not answer", null);
    }
    confirmedNanos = began;
    // Between the log and the copy.
    thread.standStill(faults.pauseNanos());
    return end;
  }

  @Override
  public void confirm() {
    if (time.nanos() - confirmedNanos > LEASE_NANOS / 2) {
      try {
        begin();
      } catch (StoreException e) {
        if (e.lost()) {
          throw e;
        }
      }
    }
  }

  @Override
  public boolean isHeld() {
    return flaw == ClusterFlaw.LEASE_IS_IGNORED
        || (!ended && time.nanos() - confirmedNanos < LEASE_NANOS - LEASE_NANOS / 4);
  }
}
