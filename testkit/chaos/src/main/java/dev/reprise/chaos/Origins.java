package dev.reprise.chaos;

import static java.nio.charset.StandardCharsets.US_ASCII;

import java.io.IOException;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Locale;
import java.util.Map;

/** Tells which process has opened a connection to this one, as Linux shows it in {@code /proc}. */
final class Origins {
  private static final int LOCAL_ADDRESS = 1;
  private static final int REMOTE_ADDRESS = 2;
  private static final int INODE = 9;

  private Origins() {}

  /**
   * Returns the process at the other end of a connection over loopback.
   *
   * @param port of the other end
   * @param here the port of this end
   * @param processes the names of the processes that it may be, by their ids
   * @return its name; empty if it is none of them, or has ended
   */
  static String of(int port, int here, Map<Long, String> processes) {
    String inode = inode(Path.of("/proc/net/tcp6"), port, here);
    if (inode.isEmpty()) {
      inode = inode(Path.of("/proc/net/tcp"), port, here);
    }
    if (inode.isEmpty()) {
      return "";
    }
    String socket = "socket:[" + inode + "]";
    for (Map.Entry<Long, String> each : processes.entrySet()) {
      if (hasOpen(each.getKey(), socket)) {
        return each.getValue();
      }
    }
    return "";
  }

  private static String inode(Path table, int port, int here) {
    String local = String.format(Locale.ROOT, ":%04X", port);
    String remote = String.format(Locale.ROOT, ":%04X", here);
    try {
      for (String line : Files.readAllLines(table, US_ASCII)) {
        String[] fields = line.trim().split(" +", -1);
        if (fields.length > INODE
            && fields[LOCAL_ADDRESS].endsWith(local)
            && fields[REMOTE_ADDRESS].endsWith(remote)) {
          return fields[INODE];
        }
      }
    } catch (IOException e) {
      // Another system: nothing is known.
    }
    return "";
  }

  private static boolean hasOpen(long process, String socket) {
    Path folder = Path.of("/proc", Long.toString(process), "fd");
    try (DirectoryStream<Path> files = Files.newDirectoryStream(folder)) {
      for (Path each : files) {
        if (isLinkTo(each, socket)) {
          return true;
        }
      }
    } catch (IOException e) {
      // It has ended.
    }
    return false;
  }

  private static boolean isLinkTo(Path file, String target) {
    try {
      return Files.readSymbolicLink(file).toString().equals(target);
    } catch (IOException e) {
      // Closed since the folder was read.
      return false;
    }
  }
}
