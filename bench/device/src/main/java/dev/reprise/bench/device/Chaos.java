package dev.reprise.bench.device;

import dev.reprise.bench.common.Benchmark;
import dev.reprise.bench.common.Effort;
import dev.reprise.bench.common.Folders;
import dev.reprise.device.DeviceClient;
import dev.reprise.device.hub.HubProfiles;
import java.io.IOException;
import java.io.PrintStream;
import java.net.URI;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.concurrent.TimeUnit;

/**
 * Many devices send while their broker is killed again and again. The broker syncs what it
 * acknowledges into a journal, so that what it has acknowledged must be in its queue; a consumer
 * reads the queue meanwhile.
 */
final class Chaos implements Benchmark {
  private static final int SAMPLE_MILLIS = 10_000;
  private static final int SAMPLES_PER_KILL = 2;
  private static final long MAX_WAIT_SECONDS = 300;

  private record Sample(double heapMegabytes, int threads) {}

  @Override
  public String name() {
    return "chaos";
  }

  @Override
  public String goal() {
    return "lost<=0,heap<=1.25,threads<=1.25";
  }

  @Override
  public String run(Effort effort, PrintStream out) throws Exception {
    boolean quick = effort == Effort.QUICK;
    int count = Integer.getInteger("chaos.devices", quick ? 200 : 1_000);
    int perSecond = Integer.getInteger("chaos.perSecond", 5);
    int seconds = Integer.getInteger("chaos.seconds", quick ? 80 : 600);
    Path folder = Folders.create("chaos");
    List<ChaosDevice> devices = new ArrayList<>();
    try (Artemis broker = Artemis.withJournal(folder);
        Collector collector = new Collector(broker.amqpPort(), devices)) {
      for (int i = 0; i < count; i++) {
        devices.add(new ChaosDevice(i, client(broker, i)));
      }
      for (ChaosDevice device : devices) {
        device.client().open().toCompletableFuture().join();
      }
      collector.start();
      Load load = new Load(devices, perSecond, seconds);
      List<Sample> samples = chaos(broker, devices, load, out);
      awaitEnd(broker, devices);
      return report(devices, collector, samples, seconds, out);
    } finally {
      devices.forEach(device -> device.client().close());
      Folders.delete(folder);
    }
  }

  private static DeviceClient client(Artemis broker, int number) throws IOException {
    String uri =
        number % 2 == 0
            ? "mqtt://127.0.0.1:" + broker.mqttPort() + "?version=5&to="
            : "amqp://127.0.0.1:" + broker.amqpPort() + "?to=";
    return DeviceClient.builder(
            HubProfiles.fromUri(URI.create(uri + Artemis.QUEUE), "device-" + number))
        .build();
  }

  private static List<Sample> chaos(
      Artemis broker, List<ChaosDevice> devices, Load load, PrintStream out) throws IOException {
    List<Sample> samples = new ArrayList<>();
    out.printf(
        Locale.ROOT,
        "%6s %10s %12s %10s %8s %8s %10s %10s%n",
        "s",
        "offered",
        "acknowledged",
        "waiting",
        "up",
        "threads",
        "of ours",
        "heap MB");
    load.start();
    while (load.isAlive()) {
      for (int i = 0; i < SAMPLES_PER_KILL; i++) {
        Jvm.pause(SAMPLE_MILLIS);
        samples.add(sample(devices, load, out));
      }
      if (load.isAlive()) {
        broker.kill();
        broker.launch();
      }
    }
    return samples;
  }

  private static Sample sample(List<ChaosDevice> devices, Load load, PrintStream out) {
    long acknowledged = devices.stream().mapToLong(ChaosDevice::acknowledged).sum();
    long offered = devices.stream().mapToLong(ChaosDevice::offered).sum();
    Sample sample = new Sample(Jvm.liveHeapBytes() / 1e6, Jvm.threads());
    out.printf(
        Locale.ROOT,
        "%6.0f %10d %12d %10d %8d %8d %10d %10.1f%n",
        load.elapsedSeconds(),
        offered,
        acknowledged,
        offered - acknowledged,
        devices.stream().filter(ChaosDevice::isUp).count(),
        sample.threads,
        ownThreads(),
        sample.heapMegabytes);
    return sample;
  }

  private static long ownThreads() {
    return Thread.getAllStackTraces().keySet().stream()
        .filter(thread -> thread.getName().startsWith("reprise-"))
        .count();
  }

  /** Waits until all messages have ended and the queue is empty. */
  private static void awaitEnd(Artemis broker, List<ChaosDevice> devices) throws IOException {
    long end = System.nanoTime() + TimeUnit.SECONDS.toNanos(MAX_WAIT_SECONDS);
    while (System.nanoTime() - end < 0) {
      if (devices.stream().allMatch(ChaosDevice::isDone) && broker.count() == 0) {
        return;
      }
      Jvm.pause(200);
    }
  }

  private static String report(
      List<ChaosDevice> devices,
      Collector collector,
      List<Sample> samples,
      int seconds,
      PrintStream out) {
    long offered = devices.stream().mapToLong(ChaosDevice::offered).sum();
    long acknowledged = devices.stream().mapToLong(ChaosDevice::acknowledged).sum();
    long failed = devices.stream().mapToLong(ChaosDevice::failed).sum();
    long attempts =
        devices.stream().mapToLong(device -> device.client().counters().attempts()).sum();
    long received = devices.stream().mapToLong(ChaosDevice::received).sum();
    long missing = devices.stream().mapToLong(ChaosDevice::acknowledgedAndMissing).sum();
    long neither = devices.stream().mapToLong(ChaosDevice::unacknowledgedAndMissing).sum();
    out.printf(
        Locale.ROOT,
        "offered %d, acknowledged %d, failed %d, without an outcome %d; sent again %d; offered"
            + " %.0f/s%narrived %d different ones, %d a second time (by the devices or by the"
            + " broker)%nacknowledged by the broker and not in its queue: %d; neither acknowledged"
            + " nor arrived: %d%n",
        offered,
        acknowledged,
        failed,
        offered - acknowledged - failed,
        attempts - offered,
        (double) offered / seconds,
        received,
        collector.duplicates(),
        missing,
        neither);
    double heapGrowth = growth(samples, true);
    double threadGrowth = growth(samples, false);
    out.printf(
        Locale.ROOT,
        "second half beside the first: heap %.2f, threads %.2f%n",
        heapGrowth,
        threadGrowth);
    return String.format(
        Locale.ROOT,
        "ratio=%.6f lost=%d duplicates=%d heap=%.2f threads=%.2f",
        (double) received / offered,
        offered - received,
        collector.duplicates(),
        heapGrowth,
        threadGrowth);
  }

  /** Returns the most in the second half, divided by the most in the first. */
  private static double growth(List<Sample> samples, boolean heap) {
    int half = samples.size() / 2;
    double first = most(samples.subList(0, half), heap);
    return most(samples.subList(half, samples.size()), heap) / first;
  }

  private static double most(List<Sample> samples, boolean heap) {
    return samples.stream()
        .mapToDouble(sample -> heap ? sample.heapMegabytes : sample.threads)
        .max()
        .orElse(Double.NaN);
  }

  /** Offers messages evenly over the devices, whatever the broker does. */
  private static final class Load extends Thread {
    private final List<ChaosDevice> devices;
    private final long intervalNanos;
    private final long messages;
    private final long startNanos = System.nanoTime();

    Load(List<ChaosDevice> devices, int perSecond, int seconds) {
      super("load");
      this.devices = devices;
      long rate = (long) devices.size() * perSecond;
      intervalNanos = TimeUnit.SECONDS.toNanos(1) / rate;
      messages = rate * seconds;
    }

    double elapsedSeconds() {
      return (System.nanoTime() - startNanos) / 1e9;
    }

    @Override
    public void run() {
      long sent = 0;
      while (sent < messages) {
        long due = Math.min(messages, (System.nanoTime() - startNanos) / intervalNanos);
        for (; sent < due; sent++) {
          devices.get((int) (sent % devices.size())).send();
        }
        Jvm.pause(5);
      }
    }
  }
}
