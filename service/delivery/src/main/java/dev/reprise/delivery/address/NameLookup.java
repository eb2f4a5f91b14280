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
   * @param absent whether a name server has said that the name does not exist
   */
  record Answer(
      List<InetAddress> addresses, long ttlNanos, @Nullable String failure, boolean absent) {
    public static Answer of(List<InetAddress> addresses, long ttlNanos) {
      return new Answer(List.copyOf(addresses), ttlNanos, null, false);
    }

    /** Leaves open whether the name has addresses. */
    public static Answer failed(String failure, long ttlNanos) {
      return new Answer(List.of(), ttlNanos, failure, false);
    }

    public static Answer absent(String failure, long ttlNanos) {
      return new Answer(List.of(), ttlNanos, failure, true);
    }
  }

  /** Starts a look-up, without blocking; {@code done} is called once, on any thread. */
  void lookUp(String host, Consumer<Answer> done);

  @Override
  void close();
}
