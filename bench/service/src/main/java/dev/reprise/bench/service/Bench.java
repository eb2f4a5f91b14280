package dev.reprise.bench.service;

import dev.reprise.bench.common.Launcher;
import java.util.List;

/** The benchmarks of the running service; see {@code bench/run}. */
public final class Bench {
  private Bench() {}

  /** Runs the benchmark that the arguments name, as {@link Launcher#main} does. */
  public static void main(String[] args) throws Exception {
    Launcher.main(
        List.of(
            new Throughput(),
            new SignedThroughput(),
            new Relay(),
            new Endurance(),
            new Send(),
            new PublishLatency(),
            new FirstAttempt(),
            new Parked(),
            new StoreSize(),
            new SlowEndpoint(),
            new HangingEndpoints(),
            new CarrierWindow(),
            new VaryingLatency(),
            new ClusterThroughput(),
            new ClusterFirstAttempt(),
            new ClusterShards(),
            new ClusterTakeover()),
        args);
  }
}
