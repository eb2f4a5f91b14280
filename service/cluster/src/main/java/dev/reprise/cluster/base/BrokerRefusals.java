package dev.reprise.cluster.base;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.BasicFileAttributes;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/**
 * The refusals of a node by the brokers. They may end by themselves, so a node goes on trying; but
 * one whose file of clients' settings has changed since it was read, as with a new password, can
 * only be started again. Not safe for use by several threads.
 */
public final class BrokerRefusals {
  /** Passwords are changed at brokers one after the other, and in the file. */
  private static final long LIMIT_NANOS = TimeUnit.SECONDS.toNanos(30);

  private final @Nullable Path file;
  private final String before;
  private boolean refused;
  private long sinceNanos;
  private long lastNanos;

  /** Nothing was refused yet, and the file is as the settings have it. */
  public BrokerRefusals(ClusterSettings settings) {
    String given = settings.clients().get(ClusterSettings.CLIENTS_FILE);
    file = given == null ? null : Path.of(given);
    before = state();
  }

  /** Returns what distinguishes versions of the file; empty if there is none to look at. */
  private String state() {
    if (file == null) {
      return "";
    }
    try {
      BasicFileAttributes now = Files.readAttributes(file, BasicFileAttributes.class);
      return now.size() + " " + now.lastModifiedTime();
    } catch (IOException e) {
      // In the middle of a replacement it is missing.
      return "";
    }
  }

  /**
   * The brokers refuse this node just now.
   *
   * @throws ClusterException if they have done so for a while, and a new start would read other
   *     settings
   */
  public void add(RuntimeException why, long nowNanos) {
    if (!refused || nowNanos - lastNanos > LIMIT_NANOS) {
      refused = true;
      sinceNanos = nowNanos;
    }
    lastNanos = nowNanos;
    String now = state();
    if (nowNanos - sinceNanos >= LIMIT_NANOS && !now.isEmpty() && !now.equals(before)) {
      throw new ClusterException(
          "the brokers refuse this node ("
              + why.getMessage()
              + "), and the file of --cluster-properties, "
              + file
              + ", has changed since it was read",
          why);
    }
  }
}
