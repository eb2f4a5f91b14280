package dev.reprise.device.transport;

import dev.reprise.device.error.TransportException;
import dev.reprise.device.message.Command;
import org.jspecify.annotations.Nullable;

/**
 * Receives the events of a connection, on any thread, in order, never by two threads at a time. No
 * method blocks. After {@link #onLost}, and soon after {@link TransportConnection#close}, nothing
 * more is told.
 */
public interface ConnectionListener {
  /**
   * The connection is ready: messages can be handed over, and commands arrive if they were asked
   * for and granted: {@link #onSubscribed} has said so before. Called at most once.
   */
  void onReady();

  /** The attempt failed, or the connection is lost, and is closed. Called at most once. */
  void onLost(TransportException cause);

  /** There is {@link TransportConnection#capacity} again. */
  void onWritable();

  /** The credential given to {@link TransportConnection#renew} is in place. */
  void onRenewed();

  /**
   * Commands are granted, or refused. Called once for each time that they were asked for: by {@link
   * ConnectRequest#receivesCommands}, then before {@link #onReady}, which follows in both cases, or
   * by {@link TransportConnection#subscribe}. Not called when the connection is lost meanwhile.
   *
   * @param refusal null when granted; the connection stays up, whatever the scope of the refusal.
   *     {@code client,settings} when the transport was not told where commands come from, or its
   *     protocol has none
   */
  void onSubscribed(@Nullable TransportException refusal);

  /**
   * A command has arrived.
   *
   * @param reply takes how it ended; to be called once
   */
  void onCommand(Command command, CommandReply reply);
}
