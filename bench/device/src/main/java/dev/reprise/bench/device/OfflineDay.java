package dev.reprise.bench.device;

import dev.reprise.bench.common.Benchmark;
import dev.reprise.bench.common.Effort;
import dev.reprise.bench.common.Figures;
import dev.reprise.bench.common.Folders;
import dev.reprise.device.DeviceClient;
import dev.reprise.device.DeviceCounters;
import dev.reprise.device.credential.CredentialSupplier;
import dev.reprise.device.hub.HubProfile;
import dev.reprise.device.message.Message;
import dev.reprise.device.queue.DropPolicy;
import dev.reprise.device.queue.QueueSettings;
import java.io.IOException;
import java.io.PrintStream;
import java.nio.ByteBuffer;
import java.nio.file.Path;
import java.util.Locale;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;

/**
 * A day without a connection, as fast as it goes: messages are entrusted to the queue, on disk all
 * of them, in memory as many as it is meant to keep; then the network comes back.
 */
final class OfflineDay implements Benchmark {
  private static final int PER_SECOND = 10;
  private static final int DAY = (int) TimeUnit.DAYS.toSeconds(1) * PER_SECOND;
  private static final int BODY_BYTES = 200;
  private static final int MAX_UNACCEPTED = 1_000;
  private static final long BOUND_BYTES = 300L << 20;
  private static final long MAX_WAIT_SECONDS = 300;

  @Override
  public String name() {
    return "offline-day";
  }

  @Override
  public String goal() {
    return "<=1.25";
  }

  @Override
  public String run(Effort effort, PrintStream out) throws Exception {
    int messages = effort == Effort.QUICK ? DAY / 10 : DAY;
    out.printf(
        Locale.ROOT,
        "%-10s %10s %9s %9s %9s %9s %9s %9s %9s %9s%n",
        "queue",
        "messages",
        "s in",
        "MB empty",
        "MB at .1",
        "MB at 1",
        "MB disk",
        "s out",
        "MB after",
        "MB disk");
    Path folder = Folders.create("offline-day");
    try {
      double onDisk =
          day(
              "disk",
              QueueSettings.defaults().withBounds(DAY, BOUND_BYTES).inFolder(folder),
              messages,
              folder,
              out);
      double inMemory =
          day(
              "memory",
              QueueSettings.defaults().withDropPolicy(DropPolicy.DROP_OLDEST),
              messages,
              folder,
              out);
      return Figures.ratio(Math.max(onDisk, inMemory));
    } finally {
      Folders.delete(folder);
    }
  }

  /** Returns the heap at the end of the day, divided by that after a tenth of it. */
  private static double day(
      String name, QueueSettings settings, int messages, Path folder, PrintStream out)
      throws Exception {
    ScriptedTransport network = new ScriptedTransport();
    try (DeviceClient client =
        DeviceClient.builder(new HubProfile("scripted", network, CredentialSupplier.none()))
            .queue(settings)
            .build()) {
      var unused = client.open();
      long empty = Jvm.liveHeapBytes();
      long start = System.nanoTime();
      offer(client, 0, messages / 10);
      long afterTenth = Jvm.liveHeapBytes();
      offer(client, messages / 10, messages);
      double inSeconds = (System.nanoTime() - start) / 1e9;
      long atEnd = Jvm.liveHeapBytes();
      long disk = Folders.bytes(folder);
      DeviceCounters counters = client.counters();
      int expected = counters.waiting();
      if (expected + counters.dropped() != messages) {
        throw new IllegalStateException("messages are missing: " + counters);
      }
      network.comeBack(messages - expected);
      client.reconnectNow();
      start = System.nanoTime();
      await(client, expected, network);
      double outSeconds = (System.nanoTime() - start) / 1e9;
      out.printf(
          Locale.ROOT,
          "%-10s %10d %9.1f %9.1f %9.1f %9.1f %9.1f %9.1f %9.1f %9.1f%n",
          name,
          expected,
          inSeconds,
          empty / 1e6,
          afterTenth / 1e6,
          atEnd / 1e6,
          disk / 1e6,
          outSeconds,
          Jvm.liveHeapBytes() / 1e6,
          Folders.bytes(folder) / 1e6);
      return (double) atEnd / afterTenth;
    }
  }

  /** Entrusts messages to the queue, and returns when all are accepted. */
  private static void offer(DeviceClient client, int from, int to) throws Exception {
    Semaphore free = new Semaphore(MAX_UNACCEPTED);
    for (int i = from; i < to; i++) {
      free.acquire();
      byte[] body = ByteBuffer.allocate(BODY_BYTES).putInt(i).array();
      var unused =
          client.enqueue(Message.of(body)).whenComplete((accepted, refusal) -> free.release());
    }
    free.acquire(MAX_UNACCEPTED);
  }

  private static void await(DeviceClient client, int expected, ScriptedTransport network)
      throws IOException {
    long end = System.nanoTime() + TimeUnit.SECONDS.toNanos(MAX_WAIT_SECONDS);
    while (client.counters().acknowledged() < expected) {
      if (System.nanoTime() - end > 0) {
        throw new IOException("not all was sent: " + client.counters());
      }
      Jvm.pause(5);
    }
    if (network.received() != expected || network.outOfOrder() != 0) {
      throw new IOException(
          network.received()
              + " of "
              + expected
              + " arrived, "
              + network.outOfOrder()
              + " out of order");
    }
  }
}
