package dev.reprise.server.http;

import java.util.concurrent.atomic.AtomicLong;

/** A budget of bytes that are held at the same time for all clients together. */
public final class ByteBudget {
  private final long most;
  private final AtomicLong held = new AtomicLong();

  public ByteBudget(long most) {
    this.most = most;
  }

  /** Takes so many bytes; false, and nothing taken, if that would be too many. */
  public boolean take(long bytes) {
    if (held.addAndGet(bytes) <= most) {
      return true;
    }
    held.addAndGet(-bytes);
    return false;
  }

  /** Takes so many bytes, even if that is too many. */
  public void takeAnyway(long bytes) {
    held.addAndGet(bytes);
  }

  /** Returns true if more than half is taken. */
  public boolean isTight() {
    return held.get() > most / 2;
  }

  public void give(long bytes) {
    held.addAndGet(-bytes);
  }

  public long held() {
    return held.get();
  }
}
