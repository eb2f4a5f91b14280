package dev.reprise.bench.service;

import dev.reprise.bench.common.Benchmark;
import dev.reprise.bench.common.Effort;
import dev.reprise.bench.common.Figures;
import dev.reprise.bench.common.Folders;
import java.io.IOException;
import java.io.PrintStream;
import java.net.URI;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.Locale;

/** One publisher, one publish at a time, against one synced append to the same disk. */
final class PublishLatency implements Benchmark {

  @Override
  public String name() {
    return "publish-latency";
  }

  @Override
  public String goal() {
    return "<=2.00";
  }

  @Override
  public String run(Effort effort, PrintStream out) throws Exception {
    int rounds = effort.choose(1, 5);
    int count = effort.choose(1_000, 5_000);
    double[] ratios = new double[rounds];
    Path data = Folders.create("publish-latency");
    out.printf("%-8s %16s %16s %8s%n", "round", "append p50", "publish p50", "ratio");
    try (Sink sink = Sink.start();
        ServiceProcess service = ServiceProcess.start(data.resolve("data"), "-Xmx512m")) {
      FirstAttempt.topics(service, sink.port(), 1);
      URI uri = URI.create(service.url());
      try (BlockingPublisher publisher = new BlockingPublisher(uri.getHost(), uri.getPort())) {
        publish(publisher, 2 * count);
        for (int round = 0; round < rounds; round++) {
          double append = append(data.resolve("append"), count);
          double publish = publish(publisher, count);
          ratios[round] = publish / append;
          out.printf(
              Locale.ROOT,
              "%-8d %16s %16s %8.2f%n",
              round + 1,
              Figures.millis(append),
              Figures.millis(publish),
              ratios[round]);
        }
      }
    } finally {
      Folders.delete(data);
    }
    return Figures.ratio(Figures.median(ratios));
  }

  private static double publish(BlockingPublisher publisher, int count) throws IOException {
    long[] nanos = new long[count];
    for (int i = 0; i < count; i++) {
      byte[] body = Messages.publish(i).getBytes(StandardCharsets.UTF_8);
      long start = System.nanoTime();
      int status = publisher.post("/v1/topics/fast0/messages", body);
      nanos[i] = System.nanoTime() - start;
      if (status != 202) {
        throw new IOException("publish -> " + status);
      }
    }
    return Figures.quantile(nanos, count, 0.5);
  }

  /** Appends as much as a publish of the same size does, and syncs, as any log has to. */
  private static double append(Path file, int count) throws IOException {
    long[] nanos = new long[count];
    try (FileChannel channel =
        FileChannel.open(
            file,
            StandardOpenOption.CREATE,
            StandardOpenOption.WRITE,
            StandardOpenOption.TRUNCATE_EXISTING)) {
      for (int i = 0; i < count; i++) {
        ByteBuffer bytes = ByteBuffer.allocate(700);
        long start = System.nanoTime();
        channel.write(bytes);
        channel.force(false);
        nanos[i] = System.nanoTime() - start;
      }
    }
    return Figures.quantile(nanos, count, 0.5);
  }
}
