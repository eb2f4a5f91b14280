package dev.reprise.common.process;

import java.io.IOException;

/** The process that has started this one as a part of itself. */
public final class Starter {
  /** The exit code of a process whose starter is gone. */
  private static final int GONE = 2;

  private Starter() {}

  /**
   * Ends this process at once when its standard input ends: that is a pipe from the starter, which
   * breaks however the starter ends. Returns immediately.
   */
  public static void endWithIt() {
    Thread thread = new Thread(Starter::awaitEnd, "starter");
    thread.setDaemon(true);
    thread.start();
  }

  private static void awaitEnd() {
    try {
      while (System.in.read() >= 0) {
        // The starter writes nothing to it.
      }
    } catch (IOException e) {
      // The same as its end.
    }
    Runtime.getRuntime().halt(GONE);
  }
}
