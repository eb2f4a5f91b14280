package dev.reprise.delivery.store;

import com.sun.management.UnixOperatingSystemMXBean;
import java.lang.management.ManagementFactory;

/** The files and connections that this process may have open at once ({@code ulimit -n}). */
public final class OpenFiles {
  private OpenFiles() {}

  /** Returns the limit; a large number where there is none. */
  public static long limit() {
    return ManagementFactory.getOperatingSystemMXBean() instanceof UnixOperatingSystemMXBean unix
        ? unix.getMaxFileDescriptorCount()
        : Integer.MAX_VALUE;
  }
}
