package dev.reprise.cli.device;

import dev.reprise.cli.base.Json;
import dev.reprise.device.error.TransportException;
import dev.reprise.device.message.MessageOutcome.Kind;
import dev.reprise.device.message.NotDeliveredException;
import java.util.EnumMap;
import java.util.Map;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;
import tools.jackson.databind.node.ObjectNode;

/**
 * Counts the outcomes of messages on the side of the sender, which shows whether a device lost one.
 * Thread-safe.
 */
final class DeviceOutcomes {
  /** More would not be read. */
  private static final int MAX_REASONS = 8;

  private final Map<Kind, Long> kinds = new EnumMap<>(Kind.class);
  private final Map<String, Long> reasons = new TreeMap<>();
  private long sent;
  private long unknown;

  synchronized void sent() {
    sent++;
  }

  /** Notes the end of a message: its outcome, or how its stage failed. */
  synchronized void ended(@Nullable Throwable failure) {
    if (failure == null) {
      kinds.merge(Kind.ACKNOWLEDGED, 1L, Long::sum);
    } else if (failure instanceof NotDeliveredException not) {
      ended(not.outcome().kind(), not.outcome().cause());
    } else {
      unknown++;
      reason("unexpected", failure);
    }
  }

  synchronized void ended(Kind kind, @Nullable Throwable cause) {
    kinds.merge(kind, 1L, Long::sum);
    if (cause != null) {
      reason(DeviceState.word(kind), cause);
    }
  }

  private void reason(String kind, Throwable cause) {
    String what =
        cause instanceof TransportException known
            ? known.protocol() + " " + known.code()
            : String.valueOf(cause.getMessage());
    String reason = kind + ": " + what;
    if (reasons.containsKey(reason) || reasons.size() < MAX_REASONS) {
      reasons.merge(reason, 1L, Long::sum);
    }
  }

  synchronized long sentCount() {
    return sent;
  }

  synchronized long count(Kind kind) {
    return kinds.getOrDefault(kind, 0L);
  }

  synchronized long endedCount() {
    return kinds.values().stream().mapToLong(Long::longValue).sum() + unknown;
  }

  /** Returns the number of messages without a known outcome; 0, unless a device has a fault. */
  synchronized long lost() {
    return sent - (endedCount() - unknown);
  }

  /** Returns whether everything that was sent is where it should be: at the hub, or on disk. */
  synchronized boolean isWell() {
    return sent == count(Kind.ACKNOWLEDGED) + count(Kind.STORED);
  }

  synchronized Map<String, Long> reasons() {
    return new TreeMap<>(reasons);
  }

  synchronized ObjectNode toJson() {
    ObjectNode json = Json.object().put("sent", sent);
    for (Kind kind : Kind.values()) {
      json.put(DeviceState.word(kind), count(kind));
    }
    json.put("lost", lost());
    ObjectNode why = json.putObject("reasons");
    reasons.forEach(why::put);
    return json;
  }
}
