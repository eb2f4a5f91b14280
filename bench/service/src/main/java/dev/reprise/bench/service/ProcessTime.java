package dev.reprise.bench.service;

import java.util.concurrent.TimeUnit;

/** Processor time that another process has used. */
final class ProcessTime {
  private ProcessTime() {}

  /** Returns the time of all threads of a process since it began, in nanoseconds. */
  static long nanos(long pid) {
    return ProcessHandle.of(pid)
        .flatMap(process -> process.info().totalCpuDuration())
        .map(time -> TimeUnit.MILLISECONDS.toNanos(time.toMillis()))
        .orElseThrow(() -> new IllegalStateException("process " + pid + " has ended"));
  }
}
