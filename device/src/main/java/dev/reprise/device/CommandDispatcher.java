package dev.reprise.device;

import dev.reprise.device.error.TransportException;
import dev.reprise.device.message.Command;
import dev.reprise.device.transport.CommandReply;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Dispatches commands to their handler. Used in the loop only, except {@link #deliver}. */
final class CommandDispatcher {
  private static final Logger LOG = LoggerFactory.getLogger(CommandDispatcher.class);

  private final CallbackDispatcher callbacks;
  private volatile @Nullable CommandHandler handler;
  private final List<CompletableFuture<@Nullable Void>> waiting = new ArrayList<>(0);

  /** Whether the present connection was asked for commands, and has not refused them. */
  private boolean asked;

  private boolean granted;

  CommandDispatcher(CallbackDispatcher callbacks) {
    this.callbacks = callbacks;
  }

  /**
   * Sets the handler.
   *
   * @param subscriber completed when commands are granted
   */
  void subscribe(CommandHandler newHandler, CompletableFuture<@Nullable Void> subscriber) {
    handler = newHandler;
    if (granted) {
      callbacks.complete(subscriber);
    } else {
      waiting.add(subscriber);
    }
  }

  boolean areWanted() {
    return handler != null;
  }

  /** Begins a new connection, which is asked for commands if there is a handler. */
  void begin() {
    asked = areWanted();
    granted = false;
  }

  /** Returns whether the connection, which is ready, has to be asked for commands now. */
  boolean mustAsk() {
    if (asked || !areWanted()) {
      return false;
    }
    asked = true;
    return true;
  }

  void subscribed(@Nullable TransportException refusal) {
    granted = refusal == null;
    if (refusal == null) {
      waiting.forEach(callbacks::complete);
      waiting.clear();
    } else {
      LOG.warn("commands were refused; asking again with the next connection", refusal);
      asked = false;
      fail(refusal);
    }
  }

  /** Tells all listeners for commands that there are none for now. */
  void fail(Throwable why) {
    waiting.forEach(subscriber -> callbacks.fail(subscriber, why));
    waiting.clear();
  }

  void disconnected() {
    asked = false;
    granted = false;
  }

  void close() {
    fail(new IllegalStateException("the client was closed"));
    handler = null;
  }

  /** Hands a command to the handler, after those that came before; called by any thread. */
  void deliver(Command command, CommandReply reply) {
    callbacks.tell(() -> handle(command, reply));
  }

  private void handle(Command command, CommandReply reply) {
    CommandHandler current = handler;
    boolean handled = false;
    try {
      if (current != null) {
        current.handle(command);
        handled = true;
      }
    } catch (Exception e) {
      LOG.warn("the handler of commands threw for {}", command.name(), e);
    } finally {
      // The other side waits for an answer, and sends no more than so many without one.
      reply.done(handled);
    }
  }
}
