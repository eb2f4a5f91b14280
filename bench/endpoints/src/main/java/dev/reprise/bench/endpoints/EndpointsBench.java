package dev.reprise.bench.endpoints;

import dev.reprise.bench.common.Launcher;
import java.util.List;

/** The benchmarks of the carriers; see {@code bench/run}. */
public final class EndpointsBench {
  private EndpointsBench() {}

  /** Runs the benchmark that the arguments name, as {@link Launcher#main} does. */
  public static void main(String[] args) throws Exception {
    Launcher.main(
        List.of(new SmsRate(), new EmailRate(), new AmqpRate(), new KafkaRate(), new SqsRate()),
        args);
    // Brokers in this process leave threads behind.
    System.exit(0);
  }
}
