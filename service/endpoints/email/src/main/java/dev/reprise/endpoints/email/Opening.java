package dev.reprise.endpoints.email;

import java.io.Closeable;
import java.io.IOException;
import java.time.Duration;
import org.jspecify.annotations.Nullable;

/** One attempt's or test's use of connections, until its time is over. Thread-safe. */
final class Opening {
  private final long endNanos;
  private @Nullable Closeable held;
  private boolean over;
  private volatile @Nullable SmtpConnection connection;

  /** Something that may take this time from now on. */
  Opening(Duration time) {
    endNanos = System.nanoTime() + time.toNanos();
  }

  /** Returns the time that is left; at least 1 ms. */
  Duration left() {
    return Duration.ofNanos(Math.max(1_000_000, endNanos - System.nanoTime()));
  }

  /** Notes which connection is used; it is broken when the time is over. */
  void use(SmtpConnection used) {
    hold(used::abort);
    connection = used;
  }

  /** Returns how far it got. */
  SmtpStep step() {
    SmtpConnection used = connection;
    return used == null ? SmtpStep.CONNECT : used.step();
  }

  /** Returns the network address of the relay; empty if there is no connection. */
  String address() {
    SmtpConnection used = connection;
    return used == null ? "" : used.address();
  }

  /** Notes what is to be closed when the time is over; closes it at once if it is. */
  void hold(Closeable next) {
    connection = null;
    synchronized (this) {
      held = next;
      if (!over) {
        return;
      }
    }
    close(next);
  }

  /** Returns whether nothing more is to be begun. */
  synchronized boolean isOver() {
    return over;
  }

  /** Ends it: a thread that waits for a relay goes on. */
  void breakOff() {
    Closeable current;
    synchronized (this) {
      over = true;
      current = held;
    }
    if (current != null) {
      close(current);
    }
  }

  private static void close(Closeable closeable) {
    try {
      closeable.close();
    } catch (IOException e) {
      // A socket that does not close is no use either.
    }
  }
}
