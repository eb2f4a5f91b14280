package dev.reprise.bench.device;

import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import org.apache.qpid.protonj2.client.Client;
import org.apache.qpid.protonj2.client.Connection;
import org.apache.qpid.protonj2.client.Delivery;
import org.apache.qpid.protonj2.client.Receiver;
import org.apache.qpid.protonj2.client.ReceiverOptions;
import org.apache.qpid.protonj2.client.exceptions.ClientException;

/**
 * Reads the broker's queue over AMQP and notes each arrival before it acknowledges it. It connects
 * again whenever the broker is gone.
 */
final class Collector extends Thread implements AutoCloseable {
  private static final int CREDIT = 1_000;
  private static final long RECONNECT_MILLIS = 200;

  private final int port;
  private final List<ChaosDevice> devices;
  private final Client client = Client.create();
  private volatile boolean ended;
  private final AtomicLong duplicates = new AtomicLong();

  Collector(int port, List<ChaosDevice> devices) {
    super("collector");
    setDaemon(true);
    this.port = port;
    this.devices = devices;
  }

  /** Returns how many messages have arrived that had arrived before. */
  long duplicates() {
    return duplicates.get();
  }

  @Override
  public void run() {
    while (!ended) {
      try (Connection connection = client.connect("127.0.0.1", port);
          Receiver receiver =
              connection.openReceiver(
                  Artemis.QUEUE, new ReceiverOptions().creditWindow(CREDIT).autoAccept(false))) {
        collect(receiver);
      } catch (ClientException e) {
        Jvm.pause(RECONNECT_MILLIS);
      }
    }
  }

  private void collect(Receiver receiver) throws ClientException {
    while (!ended) {
      Delivery delivery = receiver.receive(1, TimeUnit.SECONDS);
      if (delivery == null) {
        continue;
      }
      byte[] body = (byte[]) delivery.message().body();
      if (!devices.get(ChaosDevice.deviceOf(body)).arrived(body)) {
        duplicates.incrementAndGet();
      }
      delivery.accept();
    }
  }

  @Override
  public void close() {
    ended = true;
    client.close();
  }
}
