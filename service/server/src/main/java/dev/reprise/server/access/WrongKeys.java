package dev.reprise.server.access;

import dev.reprise.server.http.ApiError;
import dev.reprise.server.http.ApiException;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.function.LongSupplier;
import org.jspecify.annotations.Nullable;

/**
 * Counts the wrong keys of sign-ins, by the address that they come from and by the key that they
 * pretend to be. Safe for use by many threads.
 *
 * <p>It is asked only after a key was found wrong: behind a proxy all clients may have one address,
 * and a stranger could otherwise lock them out. A key is 256 random bits, so the count is no guard
 * against guessing; it makes an endless loop visible to its caller, and asks it to wait.
 */
public final class WrongKeys {
  /** The most in a minute that are answered 401, of one address and of one key. */
  public static final int MAX_A_MINUTE = 10;

  /** The most addresses and keys that are remembered; the oldest are forgotten first. */
  static final int MAX_REMEMBERED = 1000;

  private static final long MINUTE = TimeUnit.MINUTES.toNanos(1);

  private final LongSupplier nanoTime;
  private final Map<String, Tries> tries =
      new LinkedHashMap<>() {
        private static final long serialVersionUID = 1;

        @Override
        protected boolean removeEldestEntry(Map.Entry<String, Tries> eldest) {
          return size() > MAX_REMEMBERED;
        }
      };

  private record Tries(long sinceNanos, int count) {}

  /**
   * Nothing counted yet.
   *
   * @param nanoTime a monotonic clock
   */
  public WrongKeys(LongSupplier nanoTime) {
    this.nanoTime = nanoTime;
  }

  /**
   * Counts a wrong key.
   *
   * @param client the address that it comes from
   * @param keyId the id in its text; null if it has not the form of a key
   * @throws ApiException 429 if there were more than {@value #MAX_A_MINUTE} in a minute
   */
  public synchronized void add(String client, @Nullable String keyId) {
    int count = counted("address " + client);
    if (keyId != null) {
      count = Math.max(count, counted("key " + keyId));
    }
    if (count > MAX_A_MINUTE) {
      throw new ApiException(
          ApiError.of(
                  429,
                  "too_many_requests",
                  "there were " + count + " wrong keys in a minute: wait a minute")
              .withHeader("Retry-After", "60"));
    }
  }

  private int counted(String subject) {
    long now = nanoTime.getAsLong();
    Tries before = tries.get(subject);
    Tries next;
    if (before == null || now - before.sinceNanos() >= MINUTE) {
      // Anew at the end of the line, so that the oldest stand first.
      tries.remove(subject);
      next = new Tries(now, 1);
    } else {
      next = new Tries(before.sinceNanos(), before.count() + 1);
    }
    tries.put(subject, next);
    return next.count();
  }

  /** Returns how many addresses and keys are remembered. */
  synchronized int remembered() {
    return tries.size();
  }
}
