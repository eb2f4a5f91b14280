package dev.reprise.bench.service;

import java.io.PrintStream;

/** One question about speed or memory, answered by measuring both sides in one run. */
interface Benchmark {
  String name();

  /** One line: what is measured. */
  String what();

  /** What the result should be, as {@code <=x} or {@code >=x}. */
  String goal();

  /** What has to be installed besides a JDK. */
  String needs();

  /**
   * Measures, and prints a short table.
   *
   * @return the last line's figures, such as {@code ratio=0.71}
   */
  String run(PrintStream out) throws Exception;
}
