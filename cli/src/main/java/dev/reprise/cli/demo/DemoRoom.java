package dev.reprise.cli.demo;

import com.sun.management.OperatingSystemMXBean;
import dev.reprise.cli.base.CommandFailure;
import java.io.IOException;
import java.lang.management.ManagementFactory;
import java.nio.file.Files;
import java.nio.file.Path;

/** The room that the processes of the cluster's demo need on this machine. */
final class DemoRoom {
  private static final long MEMORY_MIB = 2_500;
  private static final long DISK_MIB = 1_500;
  private static final Path MEMORY_OF_LINUX = Path.of("/proc/meminfo");

  private DemoRoom() {}

  /**
   * Checks that there is room.
   *
   * @param folder where the files go
   * @throws CommandFailure if memory or disk is too small
   */
  static void require(Path folder) {
    require("memory", "", memoryMib(), MEMORY_MIB);
    require("disk", " at " + folder.getParent(), diskMib(folder), DISK_MIB);
  }

  private static void require(String what, String where, long thereMib, long neededMib) {
    if (thereMib < neededMib) {
      throw CommandFailure.failed(
          what
              + where
              + ": "
              + thereMib
              + " MiB are free, and three brokers and three nodes need "
              + neededMib
              + " MiB");
    }
  }

  /**
   * Returns what processes may still take: what the system says, within the bound of a container.
   */
  private static long memoryMib() {
    long total =
        ManagementFactory.getOperatingSystemMXBean() instanceof OperatingSystemMXBean system
            ? system.getTotalMemorySize() >> 20
            : Long.MAX_VALUE;
    try {
      for (String line : Files.readAllLines(MEMORY_OF_LINUX)) {
        if (line.startsWith("MemAvailable:")) {
          return Math.min(total, Long.parseLong(line.replaceAll("\\D", "")) >> 10);
        }
      }
    } catch (IOException e) {
      // Another system.
    }
    return total;
  }

  private static long diskMib(Path folder) {
    try {
      return Files.getFileStore(folder).getUsableSpace() >> 20;
    } catch (IOException e) {
      return Long.MAX_VALUE;
    }
  }
}
