package dev.reprise.bench.common;

import java.io.PrintStream;

/** One question about speed, memory or survival, answered by measuring. */
public interface Benchmark {
  /** Returns the name, which {@code bench/list} describes. */
  String name();

  /** Returns the goal, in the notation of {@link Goal}. */
  String goal();

  /**
   * Measures, and prints a table.
   *
   * @return the figures of the last line, such as {@code ratio=0.71}; the goal's are among them
   * @throws Exception when something failed, so that there is no result
   */
  String run(Effort effort, PrintStream out) throws Exception;
}
