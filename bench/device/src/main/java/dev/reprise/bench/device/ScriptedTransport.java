package dev.reprise.bench.device;

import dev.reprise.device.error.DeviceErrors;
import dev.reprise.device.error.ErrorDetails;
import dev.reprise.device.message.Message;
import dev.reprise.device.transport.ConnectRequest;
import dev.reprise.device.transport.ConnectionListener;
import dev.reprise.device.transport.SendCallback;
import dev.reprise.device.transport.Transport;
import dev.reprise.device.transport.TransportConnection;
import java.nio.ByteBuffer;

/**
 * A network inside the JVM that is down until it comes back, and then acknowledges everything at
 * once. Bodies begin with their number, which tells whether they come in order.
 */
final class ScriptedTransport implements Transport {
  private static final int CAPACITY = 1_000;

  private volatile boolean up;
  private volatile int next;
  private volatile int received;
  private volatile int outOfOrder;

  /** Lets devices connect; the first message is to have this number. */
  void comeBack(int firstNumber) {
    next = firstNumber;
    up = true;
  }

  int received() {
    return received;
  }

  int outOfOrder() {
    return outOfOrder;
  }

  @Override
  public String name() {
    return "scripted";
  }

  @Override
  public TransportConnection connect(ConnectRequest request, ConnectionListener listener) {
    if (up) {
      listener.onReady();
    } else {
      listener.onLost(
          DeviceErrors.exception(ErrorDetails.of(DeviceErrors.row("network", "no-route"))));
    }
    return new Connection();
  }

  private final class Connection implements TransportConnection {
    @Override
    public int capacity() {
      return CAPACITY;
    }

    // One client sends at a time.
    @SuppressWarnings("NonAtomicVolatileUpdate")
    @Override
    public void send(Message message, int attempt, SendCallback callback) {
      int number = ByteBuffer.wrap(message.body()).getInt();
      if (number != next) {
        outOfOrder++;
      }
      next = number + 1;
      received++;
      callback.onAcknowledged();
    }

    @Override
    public void subscribe() {}

    @Override
    public void close() {}
  }
}
