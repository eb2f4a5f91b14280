package dev.reprise.device.queue;

import java.io.IOException;

/**
 * A message was damaged where it was kept. It cannot be read back, and is not in the queue any
 * more. Nothing else is wrong: the next call goes on with the next message.
 */
public final class UnreadableMessageException extends IOException {
  private static final long serialVersionUID = 1;

  private final long sequence;

  UnreadableMessageException(long sequence) {
    super("message " + sequence + " is damaged and cannot be read back: it is lost");
    this.sequence = sequence;
  }

  /** Returns the place that the message had in the queue. */
  public long sequence() {
    return sequence;
  }
}
