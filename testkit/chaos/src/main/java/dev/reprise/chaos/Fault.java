package dev.reprise.chaos;

import java.io.IOException;
import java.util.random.RandomGenerator;

/** Something that goes wrong with a cluster, and is mended before it returns. */
interface Fault {
  /** Has it happen, and returns when everything runs again; shards may still be on their way. */
  void strike(Scene scene, RandomGenerator random) throws IOException, InterruptedException;
}
