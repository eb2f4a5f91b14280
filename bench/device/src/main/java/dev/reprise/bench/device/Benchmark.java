package dev.reprise.bench.device;

import java.io.PrintStream;

/** One question about speed, memory or survival, answered against a real server. */
interface Benchmark {
  String name();

  /** Says in a few words what is measured. */
  String what();

  /** Returns the goal as the last line shows it. */
  String goal();

  /** Measures, prints the table, and returns the result for the last line. */
  String run(Effort effort, PrintStream out) throws Exception;
}
