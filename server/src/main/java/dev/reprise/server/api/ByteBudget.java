package dev.reprise.server.api;

import java.util.concurrent.atomic.AtomicLong;

/** A budget of bytes that are held at the same time for all clients together. */
final class ByteBudget {
  private final long most;
  private final AtomicLong held = new AtomicLong();

  ByteBudget(long most) {
    this.most = most;
  }

  /** Takes so many bytes; false, and nothing taken, if that would be too many. */
  boolean take(long bytes) {
    if (held.addAndGet(bytes) <= most) {
      return true;
    }
    held.addAndGet(-bytes);
    return false;
  }

  /** Takes so many bytes, even if that is too many. */
  void takeAnyway(long bytes) {
    held.addAndGet(bytes);
  }

  /** Returns true if more than half is taken. */
  boolean isTight() {
    return held.get() > most / 2;
  }

  void give(long bytes) {
    held.addAndGet(-bytes);
  }

  long held() {
    return held.get();
  }
}
