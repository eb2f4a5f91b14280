package dev.reprise.core.strategy;

import java.util.concurrent.ThreadLocalRandom;
import java.util.random.RandomGenerator;

/** The random numbers of whichever thread asks: thread-safe, and never contended. */
enum ThreadRandom implements RandomGenerator {
  INSTANCE;

  @Override
  public long nextLong() {
    return ThreadLocalRandom.current().nextLong();
  }
}
