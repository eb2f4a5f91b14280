package dev.reprise.spring;

import dev.reprise.core.StopReason;
import dev.reprise.core.retry.RetryEvent;
import dev.reprise.core.retry.RetryEvent.Kind;
import dev.reprise.core.retry.RetryListener;
import java.util.EnumMap;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.LongAdder;

/** Counts attempts and operations of each retry, for the {@link RetryEndpoint}. Thread-safe. */
final class RetryCounts implements RetryListener {
  /** The counters of one retry. */
  private static final class Counters {
    final LongAdder attempts = new LongAdder();
    final LongAdder succeeded = new LongAdder();
    final Map<StopReason, LongAdder> failed = new EnumMap<>(StopReason.class);

    Counters() {
      for (StopReason reason : StopReason.values()) {
        failed.put(reason, new LongAdder());
      }
    }
  }

  /**
   * The counts since the application started.
   *
   * @param attempts attempts that were made, at least {@code succeeded} and {@code failed} together
   * @param succeeded operations that succeeded
   * @param failed operations that failed, by why they were not tried again; reasons that did not
   *     occur are left out
   */
  record Snapshot(long attempts, long succeeded, Map<StopReason, Long> failed) {}

  private final Map<String, Counters> countersByName = new ConcurrentHashMap<>();

  @Override
  public void onAttempt(RetryEvent event) {
    Counters counters = countersByName.computeIfAbsent(event.name(), name -> new Counters());
    if (event.kind() != Kind.NOT_MADE) {
      counters.attempts.increment();
    }
    if (event.kind() == Kind.SUCCESS) {
      counters.succeeded.increment();
    }
    LongAdder failed = event.stopReason() == null ? null : counters.failed.get(event.stopReason());
    if (failed != null) {
      failed.increment();
    }
  }

  Snapshot of(String name) {
    Counters counters = countersByName.getOrDefault(name, new Counters());
    Map<StopReason, Long> failed = new EnumMap<>(StopReason.class);
    counters.failed.forEach(
        (reason, count) -> {
          if (count.sum() > 0) {
            failed.put(reason, count.sum());
          }
        });
    return new Snapshot(counters.attempts.sum(), counters.succeeded.sum(), failed);
  }
}
