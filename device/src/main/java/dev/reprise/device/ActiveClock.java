package dev.reprise.device;

/** Counts time only while it runs. Used in the loop only. */
final class ActiveClock {
  private long countedNanos;
  private long sinceNanos;
  private boolean running;

  void run(boolean run, long nowNanos) {
    if (running && !run) {
      countedNanos += nowNanos - sinceNanos;
    } else if (!running && run) {
      sinceNanos = nowNanos;
    }
    running = run;
  }

  boolean isRunning() {
    return running;
  }

  long nanos(long nowNanos) {
    return running ? countedNanos + nowNanos - sinceNanos : countedNanos;
  }
}
