package dev.reprise.delivery.address;

import java.net.InetAddress;
import java.util.List;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/** Asks for the addresses of a name. A seam: tests script the answers. */
public interface NameLookup extends AutoCloseable {
  /**
   * The answer of a name server.
   *
   * @param addresses empty if there are none
   * @param ttlNanos how long the answer may be used, in nanoseconds
   * @param failure for people: why there are no addresses; null if there are
   */
  record Answer(List<InetAddress> addresses, long ttlNanos, @Nullable String failure) {
    public static Answer of(List<InetAddress> addresses, long ttlNanos) {
      return new Answer(List.copyOf(addresses), ttlNanos, null);
    }

    public static Answer failed(String failure, long ttlNanos) {
      return new Answer(List.of(), ttlNanos, failure);
    }
  }

  /** Starts a look-up, without blocking; {@code done} is called once, on any thread. */
  void lookUp(String host, Consumer<Answer> done);

  @Override
  void close();
}
