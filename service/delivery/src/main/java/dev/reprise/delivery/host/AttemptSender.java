package dev.reprise.delivery.host;

import dev.reprise.delivery.Attempt;
import dev.reprise.delivery.AttemptOutcome;
import java.util.function.Consumer;

/** Makes attempts: the seam between shards and protocols. */
public interface AttemptSender {
  /**
   * Starts one attempt. {@code done} is called exactly once, on any thread, whatever happens. Does
   * not block. An attempt that has to wait is begun only if {@link Attempt#mayBegin} still says so.
   */
  void send(Attempt claim, Consumer<AttemptOutcome> done);

  /** Forgets what is kept of a subscription, which was deleted. Does not block. */
  default void forget(long subscription) {}
}
