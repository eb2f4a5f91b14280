package dev.reprise.bench.service;

import dev.reprise.bench.common.Benchmark;
import dev.reprise.bench.common.Effort;
import dev.reprise.bench.common.Folders;
import dev.reprise.cluster.broker.Brokers;
import java.io.IOException;
import java.io.PrintStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Locale;
import java.util.concurrent.atomic.AtomicReference;
import java.util.stream.Stream;

/**
 * Kills one of two nodes with -9 while messages are published through the other: how long until
 * every shard makes attempts again, what is lost, what is repeated. With 100,000 subscriptions that
 * are suspended and a million deliveries that wait at them, with a follower that has copies; and
 * for a fifth of that without one, so that they are read from the topic first.
 */
final class ClusterTakeover implements Benchmark {
  private static final int LIVE_TOPICS = 64;
  private static final int PER_SECOND = 200;
  private static final int SUBSCRIPTIONS_OF_A_TOPIC = 100;
  private static final int MESSAGES_OF_A_TOPIC = 10;
  private static final int BEFORE_THE_KILL = 10 * PER_SECOND;

  /** Reading a topic takes as long for each GB, so a part of the deliveries shows it. */
  private static final int RESTORED_PART = 5;

  @Override
  public String name() {
    return "cluster-takeover";
  }

  @Override
  public String goal() {
    return "followed<=10s,lost<=0";
  }

  @Override
  public String run(Effort effort, PrintStream out) throws Exception {
    int topics = effort.choose(20, 1_000);
    out.printf(
        "%-10s %14s %12s %14s %8s %8s %10s %16s%n",
        "followers",
        "subscriptions",
        "parked",
        "all again",
        "lost",
        "failed",
        "repeated",
        "topic of shards");
    Outcome followed = measure(1, topics, out);
    Outcome restored = measure(0, topics / RESTORED_PART, out);
    return String.format(
        Locale.ROOT,
        "followed=%.1f s restored=%.1f s log=%d MB lost=%d repeated=%d",
        followed.seconds(),
        restored.seconds(),
        restored.logBytes() / 1_000_000,
        followed.lost() + restored.lost(),
        followed.repeated());
  }

  private record Outcome(double seconds, int lost, int repeated, long logBytes) {}

  private static Outcome measure(int followers, int topics, PrintStream out) throws Exception {
    Path folder = Folders.create("cluster-takeover");
    // As many messages before the kill as reach every topic, and a minute of them after it.
    int messages = BEFORE_THE_KILL + 60 * PER_SECOND;
    List<String> options =
        List.of("--shards", "4", "--replication", "1", "--followers", "" + followers);
    try (Brokers brokers =
            Brokers.start(folder.resolve("brokers"), 1, ClusterThroughput.BROKER_JVM);
        ServiceProcess dying =
            ServiceProcess.startNode(folder.resolve("n1"), brokers, "n1", options, "-Xmx1g");
        ServiceProcess staying =
            ServiceProcess.startNode(folder.resolve("n2"), brokers, "n2", options, "-Xmx1g");
        PacedLoad load = new PacedLoad(messages)) {
      FirstAttempt.topics(staying, load.port(), LIVE_TOPICS);
      park(staying, topics);
      // Time for copies to come to the end; one that has not makes the take-over longer.
      Thread.sleep(10_000);
      AtomicReference<Exception> failure = new AtomicReference<>();
      Thread publishing =
          new Thread(
              () -> {
                try {
                  load.publish(staying.url(), 0, messages, LIVE_TOPICS, PER_SECOND);
                } catch (InterruptedException | RuntimeException e) {
                  failure.set(e);
                }
              });
      publishing.start();
      Thread.sleep(BEFORE_THE_KILL * 1000L / PER_SECOND);
      long killedNanos = System.nanoTime();
      dying.kill();
      publishing.join();
      if (failure.get() != null) {
        throw failure.get();
      }
      Outcome outcome =
          new Outcome(
              slowestTopic(load, messages, killedNanos),
              load.lost(),
              load.repeated(),
              logBytes(folder.resolve("brokers")));
      out.printf(
          Locale.ROOT,
          "%-10d %14d %12d %12.1f s %8d %8d %10d %13d MB%n",
          followers,
          topics * SUBSCRIPTIONS_OF_A_TOPIC,
          topics * SUBSCRIPTIONS_OF_A_TOPIC * MESSAGES_OF_A_TOPIC,
          outcome.seconds(),
          outcome.lost(),
          load.failed(),
          outcome.repeated(),
          outcome.logBytes() / 1_000_000);
      return outcome;
    } finally {
      Folders.delete(folder);
    }
  }

  /** Returns the bytes of the records of all shards: indexes beside them are reserved, not read. */
  private static long logBytes(Path brokers) throws IOException {
    try (Stream<Path> files = Files.walk(brokers)) {
      return files
          .filter(file -> file.toString().matches(".*/reprise\\.shards-[0-9]+/[^/]*\\.log"))
          .mapToLong(file -> file.toFile().length())
          .sum();
    }
  }

  /** Subscriptions that are suspended, and messages for them. */
  private static void park(ServiceProcess service, int topics) throws Exception {
    String settings =
        "{\"endpoint\":\"http://127.0.0.1:9/hook\",\"format\":\"raw\",\"startSuspended\":true}";
    try (ManyRequests requests = new ManyRequests(service.url(), 64)) {
      for (int i = 0; i < topics; i++) {
        service.createTopic("parked" + i, "{}");
        for (int n = 0; n < SUBSCRIPTIONS_OF_A_TOPIC; n++) {
          requests.post("/v1/topics/parked" + i + "/subscriptions", settings);
        }
      }
      requests.await();
      for (int i = 0; i < topics; i++) {
        for (int n = 0; n < MESSAGES_OF_A_TOPIC; n++) {
          requests.post("/v1/topics/parked" + i + "/messages", Messages.publish(n));
        }
      }
      requests.await();
    }
  }

  /**
   * Returns the seconds from the kill until each topic has had the first attempt of a message that
   * was sent after it: topics are spread over all shards.
   */
  private static double slowestTopic(PacedLoad load, int messages, long killedNanos) {
    long[] first = new long[LIVE_TOPICS];
    for (int i = 0; i < messages; i++) {
      if (load.sentNanos(i) > killedNanos) {
        int topic = i % LIVE_TOPICS;
        long arrived = load.arrivedNanos(i) == 0 ? Long.MAX_VALUE : load.arrivedNanos(i);
        first[topic] = first[topic] == 0 ? arrived : Math.min(first[topic], arrived);
      }
    }
    long last = 0;
    for (long each : first) {
      last = Math.max(last, each);
    }
    return (last - killedNanos) / 1e9;
  }
}
