package dev.reprise.bench.retry;

import java.io.PrintStream;

/** Ours beside a floor and beside its peers, in one respect. */
interface Comparison {
  String name();

  /** Says in a few words what is measured. */
  String what();

  /** Returns the goal as the last line of the table shows it. */
  String goal();

  /** Measures and prints the table, and returns the result for its last line. */
  String run(Effort effort, PrintStream out) throws Exception;
}
