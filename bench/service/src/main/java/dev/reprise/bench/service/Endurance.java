package dev.reprise.bench.service;

import dev.reprise.bench.common.Benchmark;
import dev.reprise.bench.common.Effort;
import dev.reprise.bench.common.Folders;
import java.io.PrintStream;
import java.nio.file.Path;
import java.util.Locale;

/**
 * Ten minutes of the load of {@link Relay}: what the disk has to take, and whether the service
 * becomes slower while the store grows.
 */
final class Endurance implements Benchmark {
  private static final int MINUTES = 10;

  @Override
  public String name() {
    return "endurance";
  }

  @Override
  public String goal() {
    return "late>=0.95,written<=3";
  }

  @Override
  public String run(Effort effort, PrintStream out) throws Exception {
    int seconds = effort.choose(4, 60);
    Path data = Folders.create("endurance");
    try (Sink sink = Sink.start();
        ServiceProcess service = Relay.service(data, sink);
        Wrk wrk = Relay.load(data, service.url(), MINUTES * seconds + 5)) {
      DiskSpeed disk = DiskSpeed.of(data);
      long writtenBefore = disk.writtenBytes();
      long deliveredBefore = sink.requests();
      double[] rates = new double[MINUTES];
      out.printf("%-8s %14s %14s %14s%n", "minute", "delivered/s", "written", "on disk");
      for (int minute = 0; minute < MINUTES; minute++) {
        long written = disk.writtenBytes();
        rates[minute] = sink.rate(seconds);
        out.printf(
            Locale.ROOT,
            "%-8d %14.0f %11.1f MB %11.1f MB%n",
            minute + 1,
            rates[minute],
            (disk.writtenBytes() - written) / 1e6,
            Folders.bytes(data) / 1e6);
      }
      double delivered = sink.requests() - deliveredBefore;
      double written = (disk.writtenBytes() - writtenBefore) / delivered;
      wrk.finish();
      out.printf(Locale.ROOT, "written per message of %d B: %.0f B%n", Relay.BODY_BYTES, written);
      return String.format(
          Locale.ROOT,
          "late=%.2f written=%.2f",
          rates[MINUTES - 1] / rates[1],
          written / Relay.BODY_BYTES);
    } finally {
      Folders.delete(data);
    }
  }
}
