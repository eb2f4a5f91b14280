package dev.reprise.bench.service;

import dev.reprise.bench.common.Benchmark;
import dev.reprise.bench.common.Effort;
import dev.reprise.bench.common.Figures;
import dev.reprise.bench.common.Folders;
import dev.reprise.delivery.AttemptOutcome;
import dev.reprise.delivery.DeliveryReader;
import dev.reprise.delivery.MessageId;
import dev.reprise.delivery.Position;
import dev.reprise.delivery.StoredDelivery;
import dev.reprise.delivery.catalog.Subscription;
import dev.reprise.delivery.engine.DeliveryEngine;
import dev.reprise.delivery.host.EngineSettings;
import dev.reprise.policy.PolicyDocuments;
import io.vertx.core.Vertx;
import java.io.PrintStream;
import java.nio.file.Path;
import java.util.Locale;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;

/** Five million deliveries that wait: memory, disk, restart after kill -9, and the due scan. */
final class ParkedDeliveries implements Benchmark {
  private static final int SUBSCRIPTIONS = 100;

  @Override
  public String name() {
    return "parked-deliveries";
  }

  @Override
  public String goal() {
    return "resident<=1.0GB,restart<=3s,scan<1ms";
  }

  @Override
  public String run(Effort effort, PrintStream out) throws Exception {
    int messages = effort.choose(5_000, 50_000);
    int first = messages / 5;
    Path data = Folders.create("parked");
    Vertx vertx = Vertx.vertx();
    AtomicLong firstArrival = new AtomicLong();
    try (Receiver receiver =
        new Receiver(vertx, number -> firstArrival.compareAndSet(0, System.nanoTime()))) {
      long resident;
      try (ServiceProcess service = ServiceProcess.start(data, "-Xmx512m")) {
        // One a second each: the rest waits for its turn.
        service.createTopic("parked", "{\"throttlePolicy\":{\"maxReceivesPerSecond\":1}}");
        for (int i = 0; i < SUBSCRIPTIONS; i++) {
          service.subscribe(
              "parked",
              String.format(
                  Locale.ROOT,
                  "{\"endpoint\":\"http://%s:%d/hook\",\"format\":\"raw\"}",
                  Addresses.loopback(i),
                  receiver.port()));
        }
        out.printf("%-28s %14s %14s %14s%n", "pending", "resident", "live heap", "disk");
        report(out, service, data, 0);
        BacklogLoad.publish(service, "parked", first, 100);
        report(out, service, data, (long) first * SUBSCRIPTIONS);
        BacklogLoad.publish(service, "parked", messages - first, 100);
        resident = report(out, service, data, (long) messages * SUBSCRIPTIONS);
        service.kill();
      }
      firstArrival.set(0);
      long start = System.nanoTime();
      double restart;
      try (ServiceProcess service = ServiceProcess.launch(data, "-Xmx512m")) {
        while (firstArrival.get() == 0) {
          Thread.sleep(1);
        }
        restart = (firstArrival.get() - start) / 1e9;
        service.awaitReady();
        out.printf(Locale.ROOT, "%-28s %14s%n", "after the restart", mb(service.residentBytes()));
        resident = Math.max(resident, service.residentBytes());
      }
      out.printf(Locale.ROOT, "%-28s %12.2f s%n", "kill -9 to first attempt", restart);
      double before = scanMillis(data, true);
      double after = scanMillis(data, false);
      out.printf(Locale.ROOT, "%-28s %11.3f ms%n", "due scan, before a restart", before);
      out.printf(Locale.ROOT, "%-28s %11.3f ms%n", "due scan, after a restart", after);
      return String.format(
          Locale.ROOT,
          "resident=%s restart=%.2fs scan=%.3fms/%.3fms",
          mb(resident),
          restart,
          before,
          after);
    } finally {
      Folders.delete(data);
    }
  }

  private static long report(PrintStream out, ServiceProcess service, Path data, long pending)
      throws Exception {
    Thread.sleep(5_000); // What was written in a hurry is merged.
    long heap = service.liveHeapBytes();
    long resident = service.residentBytes();
    long disk = Folders.bytes(data);
    out.printf(Locale.ROOT, "%-28d %14s %14s %14s%n", pending, mb(resident), mb(heap), mb(disk));
    return resident;
  }

  /**
   * The time of the scan that a shard makes for what is due next: 32 records from its lower bound.
   * With {@code churn}, 20,000 deliveries are delivered first, so that their remains lie around.
   */
  private static double scanMillis(Path data, boolean churn) throws Exception {
    AtomicInteger delivered = new AtomicInteger();
    try (DeliveryEngine engine =
        DeliveryEngine.open(
            EngineSettings.in(data),
            catalog ->
                (claim, done) -> {
                  delivered.incrementAndGet();
                  done.accept(new AttemptOutcome(null, 204, "", "", new byte[0], 0));
                })) {
      Subscription subscription = engine.catalog().subscriptions().get(0);
      DeliveryReader reader = engine.reader(subscription);
      Position low = position(reader.pending(subscription.number(), null, 1).items().get(0));
      if (churn) {
        engine.putTopic(
            "parked",
            PolicyDocuments.readTopic("{\"throttlePolicy\":{\"maxReceivesPerSecond\":100000}}"));
        while (delivered.get() < 20_000) {
          Thread.sleep(5);
        }
        engine.putTopic(
            "parked",
            PolicyDocuments.readTopic("{\"throttlePolicy\":{\"maxReceivesPerSecond\":1}}"));
        engine.backlog(subscription).health().toCompletableFuture().get();
        low = position(reader.pending(subscription.number(), null, 1).items().get(0));
      }
      double[] millis = new double[201];
      for (int i = 0; i < millis.length; i++) {
        long start = System.nanoTime();
        int found = reader.pending(subscription.number(), low, 32).items().size();
        millis[i] = (System.nanoTime() - start) / 1e6;
        if (found != 32) {
          throw new IllegalStateException("found " + found + " pending deliveries instead of 32");
        }
      }
      return Figures.median(millis);
    }
  }

  private static Position position(StoredDelivery first) {
    return new Position(first.state().atMillis(), new MessageId(0, 0));
  }

  private static String mb(long bytes) {
    return bytes / 1_000_000 + " MB";
  }
}
