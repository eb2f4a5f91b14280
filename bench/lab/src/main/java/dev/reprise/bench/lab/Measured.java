package dev.reprise.bench.lab;

import com.sun.management.OperatingSystemMXBean;
import com.sun.management.ThreadMXBean;
import dev.reprise.bench.common.Figures;
import java.lang.management.ManagementFactory;
import java.util.List;
import java.util.function.ToDoubleFunction;

/**
 * The time and the memory that a piece of work of one thread took.
 *
 * @param seconds by the clock on the wall
 * @param cpuSeconds that processors worked for the whole process, collecting and compiling
 *     included: what the work takes of one core, however busy the machine is
 * @param allocatedBytes what the thread allocated, garbage included: no less than what it held
 */
record Measured(double seconds, double cpuSeconds, long allocatedBytes) {
  private static final ThreadMXBean THREADS = (ThreadMXBean) ManagementFactory.getThreadMXBean();

  private static final OperatingSystemMXBean SYSTEM =
      (OperatingSystemMXBean) ManagementFactory.getOperatingSystemMXBean();

  static Measured of(Runnable work) {
    long allocated = THREADS.getCurrentThreadAllocatedBytes();
    long cpuNanos = SYSTEM.getProcessCpuTime();
    long nanos = System.nanoTime();
    work.run();
    return new Measured(
        (System.nanoTime() - nanos) / 1e9,
        (SYSTEM.getProcessCpuTime() - cpuNanos) / 1e9,
        THREADS.getCurrentThreadAllocatedBytes() - allocated);
  }

  /** Returns the middle of a figure over some rounds. */
  static double median(List<Measured> rounds, ToDoubleFunction<Measured> figure) {
    return Figures.median(rounds.stream().mapToDouble(figure));
  }
}
