package dev.reprise.delivery.engine;

import dev.reprise.delivery.AttemptOutcome;
import dev.reprise.delivery.shard.Claim;
import java.util.function.Consumer;

/** Makes attempts: the seam between shards and protocols. */
public interface AttemptSender {
  /**
   * Starts one attempt. {@code done} is called exactly once, on any thread, whatever happens. Does
   * not block.
   */
  void send(Claim claim, Consumer<AttemptOutcome> done);
}
