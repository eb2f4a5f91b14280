package dev.reprise.delivery.engine;

import dev.reprise.delivery.Attempt;
import dev.reprise.delivery.AttemptOutcome;
import dev.reprise.delivery.GivenUp;
import dev.reprise.delivery.SuspensionChange;
import java.util.function.Consumer;

/** Makes attempts: the seam between shards and protocols. */
public interface AttemptSender {
  /**
   * Starts one attempt. {@code done} is called exactly once, on any thread, whatever happens. Does
   * not block. An attempt that has to wait is begun only if {@link Attempt#mayBegin} still says so.
   */
  void send(Attempt claim, Consumer<AttemptOutcome> done);

  /** Is told that a subscription was deleted. Does not block. */
  default void forget(long subscription) {}

  /**
   * Is told of a delivery that was given up, after that is durable; of one that was given up while
   * the process ended it may never be. Does not block.
   */
  default void gaveUp(GivenUp delivery) {}

  /**
   * Is told of a subscription that was suspended or released, after that is durable; if the process
   * ends meanwhile it may never be. Does not block.
   */
  default void suspensionChanged(SuspensionChange change) {}
}
