package dev.reprise.testkit;

import dev.reprise.core.StopReason;
import dev.reprise.core.retry.RetryEvent;
import dev.reprise.core.retry.RetryEvent.Kind;
import dev.reprise.core.retry.RetryListener;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import org.jspecify.annotations.Nullable;

/**
 * Remembers every event.
 *
 * <pre>{@code
 * assertThat(listener.kinds()).containsExactly(RETRY, RETRY, RETRY, SUCCESS);
 * assertThat(listener.delays()).containsExactly(ZERO, ofSeconds(1), ofSeconds(2));
 * }</pre>
 *
 * <p>Thread-safe.
 */
public final class RecordingListener implements RetryListener {
  private final List<RetryEvent> events = new CopyOnWriteArrayList<>();

  /** Creates a listener that has heard nothing yet. */
  public RecordingListener() {}

  @Override
  public void onAttempt(RetryEvent event) {
    events.add(event);
  }

  /** Returns all events in their order. */
  public List<RetryEvent> events() {
    return List.copyOf(events);
  }

  /** Returns what became of each attempt. */
  public List<Kind> kinds() {
    return events.stream().map(RetryEvent::kind).toList();
  }

  /** Returns the delay before each retry. */
  public List<Duration> delays() {
    return events.stream()
        .filter(event -> event.kind() == Kind.RETRY)
        .map(RetryEvent::delay)
        .toList();
  }

  /** Returns why the last operation that failed was not tried again, or null when none failed. */
  public @Nullable StopReason stopReason() {
    StopReason reason = null;
    for (RetryEvent event : events) {
      reason = event.stopReason() == null ? reason : event.stopReason();
    }
    return reason;
  }
}
