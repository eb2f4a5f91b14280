package dev.reprise.bench.service;

import dev.reprise.bench.common.Benchmark;
import dev.reprise.bench.common.Effort;
import dev.reprise.bench.common.Figures;
import dev.reprise.bench.common.Folders;
import dev.reprise.endpoints.fixtures.SmsSink;
import java.io.PrintStream;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;

/**
 * Fast HTTP endpoints beside 100,000 phones behind an SMS centre with a window of 10, all of which
 * have a message waiting.
 */
final class CarrierWindowRate implements Benchmark {
  private static final int TOPICS = 100;
  private static final int WARM = 10_000;
  private static final int MESSAGES = 30_000;
  private static final int WINDOW = 10;
  private static final int PHONES_OF_A_TOPIC = 1_000;
  private static final int CREATORS = 16;

  /** The time that the SMS centre takes for a message: a hundred a second through the window. */
  private static final Duration SUBMIT_TIME = Duration.ofMillis(100);

  @Override
  public String name() {
    return "carrier-window";
  }

  @Override
  public String goal() {
    return "<=1.50";
  }

  @Override
  public String run(Effort effort, PrintStream out) throws Exception {
    int rounds = effort.choose(1, 3);
    int phones = effort.choose(10_000, 100_000);
    double[] ratios = new double[rounds];
    out.printf(
        "%-8s %14s %14s %14s %14s %8s %10s %8s%n",
        "round",
        "p50 alone",
        "p50 beside",
        "p99 alone",
        "p99 beside",
        "ratio",
        "SMS taken",
        "in flight");
    for (int round = 0; round < rounds; round++) {
      Measured alone = measure(0);
      Measured beside = measure(phones);
      if (beside.taken == 0 || beside.mostInFlight > WINDOW) {
        throw new IllegalStateException(
            beside.taken + " SMS were taken, at most " + beside.mostInFlight + " in flight");
      }
      ratios[round] = beside.p99 / alone.p99;
      out.printf(
          Locale.ROOT,
          "%-8d %14s %14s %14s %14s %8.2f %10d %8d%n",
          round + 1,
          Figures.millis(alone.p50),
          Figures.millis(beside.p50),
          Figures.millis(alone.p99),
          Figures.millis(beside.p99),
          ratios[round],
          beside.taken,
          beside.mostInFlight);
    }
    return Figures.ratio(Figures.median(ratios));
  }

  private record Measured(double p50, double p99, int taken, int mostInFlight) {}

  private static Measured measure(int phones) throws Exception {
    Path data = Folders.create("carrier-window");
    int port = ServiceProcess.freePort();
    try (SmsSink centre = new SmsSink(port, SUBMIT_TIME);
        ServiceProcess service = ServiceProcess.start(data, "-Xmx512m");
        PacedLoad load = new PacedLoad(WARM + MESSAGES)) {
      FirstAttempt.topics(service, load.port(), TOPICS);
      if (phones > 0) {
        String carrier =
            String.format(
                Locale.ROOT,
                """
                {"name": "smsc", "type": "smpp", "maxInFlight": %d,
                 "settings": {"addresses": "127.0.0.1:%d", "systemId": "bench"}}
                """,
                WINDOW,
                port);
        service.send("POST", "/v1/carriers", "application/json", carrier);
        phones(service, phones);
      }
      load.run(service.url(), 0, WARM, TOPICS, 1000);
      load.run(service.url(), WARM, WARM + MESSAGES, TOPICS, 1000);
      long[] nanos = load.toFirstAttempt(WARM, WARM + MESSAGES);
      return new Measured(
          Figures.quantile(nanos, MESSAGES, 0.5),
          Figures.quantile(nanos, MESSAGES, 0.99),
          centre.taken(),
          centre.mostUnanswered());
    } finally {
      Folders.delete(data);
    }
  }

  /** Subscribes phones, and sends a message to each. */
  private static void phones(ServiceProcess service, int phones) throws Exception {
    ExecutorService creators = Executors.newFixedThreadPool(CREATORS);
    try {
      List<Future<?>> topics = new ArrayList<>();
      for (int first = 0; first < phones; first += PHONES_OF_A_TOPIC) {
        int from = first;
        topics.add(
            creators.submit(
                () -> {
                  topic(service, from);
                  return null;
                }));
      }
      for (Future<?> topic : topics) {
        topic.get();
      }
    } finally {
      creators.shutdown();
    }
  }

  private static void topic(ServiceProcess service, int first) throws Exception {
    String topic = "phones" + first;
    service.createTopic(topic, "{}");
    for (int i = first; i < first + PHONES_OF_A_TOPIC; i++) {
      service.subscribe(
          topic,
          String.format(
              Locale.ROOT,
              "{\"protocol\":\"sms\",\"carrier\":\"smsc\",\"endpoint\":\"+4915%08d\"}",
              i));
    }
    BacklogLoad.publish(service, topic, 1, 1);
  }
}
