package dev.reprise.device;

import dev.reprise.device.message.Command;

/**
 * Handles what the other side sends to the device, one command at a time, in the order of arrival.
 * A command is acknowledged when the handler returns; when it throws, the other side is asked to
 * send it again where the protocol can say so. So a command may come more than once.
 */
@FunctionalInterface
public interface CommandHandler {
  /** Handles a command; may block, which delays only what this client tells. */
  void handle(Command command) throws Exception;
}
