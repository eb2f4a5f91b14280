package dev.reprise.device;

import dev.reprise.device.message.MessageOutcome;

/**
 * Receives the outcome of each message, once for each: also of messages that an earlier process
 * left in a queue on disk, whose stages no longer exist. The rules of {@link StatusListener} apply.
 */
@FunctionalInterface
public interface OutcomeListener {
  /** Called after the message has ended. */
  void onOutcome(MessageOutcome outcome);
}
