package dev.reprise.device;

import dev.reprise.device.credential.Credential;
import dev.reprise.device.error.DeviceErrors;
import dev.reprise.device.error.ErrorDetails;
import dev.reprise.device.error.ErrorRow;
import dev.reprise.device.error.ErrorScope;
import dev.reprise.device.error.TransportException;
import dev.reprise.device.message.Message;
import dev.reprise.device.transport.ConnectRequest;
import dev.reprise.device.transport.ConnectionListener;
import dev.reprise.device.transport.SendCallback;
import dev.reprise.device.transport.Transport;
import dev.reprise.device.transport.TransportConnection;
import dev.reprise.testkit.SeededRandom;
import dev.reprise.testkit.VirtualTime;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/**
 * A hub that does whatever a hub, a network or a broken library can do, at random, in virtual time.
 * It checks what the client does to it while it goes.
 */
final class RandomHub implements Transport {
  private static final List<ErrorRow> ROWS = DeviceErrors.rows();

  private final VirtualTime time;
  private final SeededRandom random;
  private final Runnable onConnect;

  /** What the hub has taken, and how often. */
  final Map<String, Integer> received = new HashMap<>();

  final List<Connection> connections = new ArrayList<>();
  final List<String> violations = new ArrayList<>();

  /** Set when the hub is to mend its ways, so that everything can end. */
  boolean kind;

  RandomHub(VirtualTime time, SeededRandom random, Runnable onConnect) {
    this.onConnect = onConnect;
    this.time = time;
    this.random = random;
  }

  @Override
  public String name() {
    return "random";
  }

  @Override
  public TransportConnection connect(ConnectRequest request, ConnectionListener listener) {
    onConnect.run();
    Connection connection = new Connection(listener, request.receivesCommands());
    connections.add(connection);
    if (kind) {
      connection.after(5, connection::becomeReady);
      return connection;
    }
    switch (random.nextInt(8)) {
      case 0 -> listener.onLost(failure(ErrorScope.CONNECTION));
      case 1 ->
          connection.after(
              random.nextInt(40_000), () -> connection.lose(failure(ErrorScope.CONNECTION)));
      case 2 -> {
        // Silence.
      }
      case 3 -> {
        connection.over = true;
        throw new IllegalStateException("a broken transport");
      }
      default -> connection.after(random.nextInt(3_000), connection::becomeReady);
    }
    return connection;
  }

  TransportException failure(ErrorScope scope) {
    if (random.nextInt(4) > 0) {
      return DeviceErrors.exception("network", "connection-reset");
    }
    ErrorRow row = ROWS.get(random.nextInt(ROWS.size()));
    ErrorDetails details = ErrorDetails.of(row);
    if (random.nextInt(4) == 0) {
      details = details.withRetryAfter(Duration.ofMillis(random.nextInt(300_000)));
    }
    if (random.nextInt(10) == 0 && scope == ErrorScope.CONNECTION) {
      details = details.withServerReference("other");
    }
    return DeviceErrors.exception(details);
  }

  final class Connection implements TransportConnection {
    private final ConnectionListener listener;
    private final boolean receivesCommands;
    private boolean ready;
    private boolean over;
    private int capacity;

    Connection(ConnectionListener listener, boolean receivesCommands) {
      this.listener = listener;
      this.receivesCommands = receivesCommands;
    }

    boolean isOver() {
      return over;
    }

    void after(int millis, Runnable event) {
      var unused =
          time.schedule(
              Duration.ofMillis(millis).toNanos(),
              () -> {
                if (!over) {
                  event.run();
                }
              });
    }

    void becomeReady() {
      if (receivesCommands) {
        listener.onSubscribed(kind || random.nextInt(3) > 0 ? null : failure(ErrorScope.OPERATION));
      }
      ready = true;
      capacity = kind ? 20 : random.nextInt(20);
      listener.onReady();
      if (!kind && random.nextBoolean()) {
        after(random.nextInt(60_000), () -> lose(failure(ErrorScope.CONNECTION)));
      }
    }

    void lose(TransportException cause) {
      over = true;
      listener.onLost(cause);
      // A careless library may say it twice.
      if (random.nextInt(5) == 0) {
        listener.onLost(cause);
        listener.onReady();
      }
    }

    private void breakAtTimes() {
      if (!kind && random.nextInt(500) == 0) {
        throw new IllegalStateException("a broken transport");
      }
    }

    @Override
    public int capacity() {
      breakAtTimes();
      return ready && !over ? capacity : 0;
    }

    @Override
    public void send(Message message, int attempt, SendCallback callback) {
      if (!ready || over || capacity <= 0) {
        violations.add("sent without capacity");
      }
      capacity--;
      if (kind) {
        after(random.nextInt(50), () -> take(message, callback));
        return;
      }
      switch (random.nextInt(12)) {
        case 0 ->
            after(
                random.nextInt(5_000),
                () -> give(() -> callback.onFailed(failure(ErrorScope.OPERATION))));
        case 1 -> {
          // Never answered, and not taken.
        }
        case 2 -> received.merge(message.id(), 1, Integer::sum);
        case 3 -> callback.onFailed(failure(ErrorScope.OPERATION));
        case 4 -> throw new IllegalStateException("a broken transport");
        default -> after(random.nextInt(5_000), () -> take(message, callback));
      }
    }

    private void take(Message message, SendCallback callback) {
      received.merge(message.id(), 1, Integer::sum);
      give(callback::onAcknowledged);
      if (!kind && random.nextInt(10) == 0) {
        callback.onAcknowledged();
      }
    }

    private void give(Runnable answer) {
      capacity++;
      answer.run();
      listener.onWritable();
    }

    @Override
    public boolean renew(Credential credential) {
      breakAtTimes();
      if (random.nextBoolean()) {
        return false;
      }
      after(random.nextInt(1_000), listener::onRenewed);
      return true;
    }

    @Override
    public void subscribe() {
      after(random.nextInt(1_000), () -> listener.onSubscribed(null));
    }

    @Override
    public void close() {
      over = true;
      breakAtTimes();
    }
  }
}
