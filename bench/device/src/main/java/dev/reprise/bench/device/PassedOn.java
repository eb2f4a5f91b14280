package dev.reprise.bench.device;

import dev.reprise.device.error.TransportException;
import dev.reprise.device.message.Command;
import dev.reprise.device.transport.CommandReply;
import dev.reprise.device.transport.ConnectionListener;
import org.jspecify.annotations.Nullable;

/** A listener that passes its events on, as a base for listeners that handle only some of them. */
class PassedOn implements ConnectionListener {
  private final ConnectionListener listener;

  PassedOn(ConnectionListener listener) {
    this.listener = listener;
  }

  @Override
  public void onReady() {
    listener.onReady();
  }

  @Override
  public void onLost(TransportException cause) {
    listener.onLost(cause);
  }

  @Override
  public void onWritable() {
    listener.onWritable();
  }

  @Override
  public void onRenewed() {
    listener.onRenewed();
  }

  @Override
  public void onSubscribed(@Nullable TransportException refusal) {
    listener.onSubscribed(refusal);
  }

  @Override
  public void onCommand(Command command, CommandReply reply) {
    listener.onCommand(command, reply);
  }
}
