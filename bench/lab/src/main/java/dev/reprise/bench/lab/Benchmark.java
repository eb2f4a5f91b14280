package dev.reprise.bench.lab;

import java.io.PrintStream;

/** One question about the speed or the memory of the lab. */
interface Benchmark {
  String name();

  /** Says in a few words what is measured. */
  String what();

  /** Returns the goal as the last line shows it. */
  String goal();

  /** Measures, prints the table, and returns the result for the last line. */
  String run(Effort effort, PrintStream out);
}
