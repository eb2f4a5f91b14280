package dev.reprise.device.transport.mqtt;

import static java.util.concurrent.TimeUnit.SECONDS;

import java.util.concurrent.locks.LockSupport;
import java.util.function.BooleanSupplier;

/** Waits for what happens elsewhere. */
final class Waiting {
  private Waiting() {}

  /** Returns when the condition holds; fails after 30 s. */
  static void until(String what, BooleanSupplier condition) {
    long deadline = System.nanoTime() + SECONDS.toNanos(30);
    while (!condition.getAsBoolean()) {
      if (System.nanoTime() - deadline > 0) {
        throw new AssertionError("not within 30 s: " + what);
      }
      LockSupport.parkNanos(2_000_000);
    }
  }
}
