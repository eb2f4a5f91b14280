package dev.reprise.core;

import com.sun.management.ThreadMXBean;
import java.lang.management.ManagementFactory;

/** What a piece of code allocates, to the byte. */
public final class AllocatedBytes {
  private static final ThreadMXBean THREADS = (ThreadMXBean) ManagementFactory.getThreadMXBean();

  private AllocatedBytes() {}

  /**
   * Returns what the calling thread allocates while it runs the code for the second time; the first
   * time loads classes and links calls.
   */
  public static long ofSecondRun(Runnable code) {
    code.run();
    long before = THREADS.getCurrentThreadAllocatedBytes();
    code.run();
    return THREADS.getCurrentThreadAllocatedBytes() - before;
  }
}
