package dev.reprise.device.transport;

/** Takes how a command ended. Does nothing when the connection is gone. Thread-safe. */
@FunctionalInterface
public interface CommandReply {
  /**
   * Tells the other side.
   *
   * @param handled true: it is done; false: it failed, and should be sent again if the protocol can
   *     say so
   */
  void done(boolean handled);
}
