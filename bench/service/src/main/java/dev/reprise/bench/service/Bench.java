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
            new ServiceThroughput(),
            new SignedThroughput(),
            new Relay(),
            new Endurance(),
            new Send(),
            new PublishLatency(),
            new FirstAttempt(),
            new ParkedDeliveries(),
            new StoreSize(),
            new EndedDeliveries(),
            new MetricsScrape(),
            new StoreIterators(),
            new StoreTrial(),
            new SlowEndpoint(),
            new HangingEndpoints(),
            new CarrierWindowRate(),
            new VaryingLatency(),
            new ClusterThroughput(),
            new ClusterFirstAttempt(),
            new ClusterShardsRate(),
            new ClusterTakeover()),
        args);
  }
}
