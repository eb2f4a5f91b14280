package dev.reprise.cli.device;

import dev.reprise.cli.base.Json;
import dev.reprise.device.ConnectionStatus;
import dev.reprise.device.DeviceCounters;
import dev.reprise.device.error.TransportException;
import java.time.Duration;
import java.util.Comparator;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;
import tools.jackson.databind.node.ObjectNode;

/**
 * The summed state of many devices at one moment.
 *
 * @param devices how many there are
 * @param connected how many can send
 * @param connecting how many connect for the first time, or for a new token
 * @param retrying how many were refused or lost, and try again
 * @param disconnected how many are not open yet, or have given up
 * @param longestWaitNanos the longest wait before a retry that a device is in
 * @param reasons why devices are not connected, or slowed down, with how many each
 * @param counted what they have done, in sum
 */
record DeviceState(
    int devices,
    int connected,
    int connecting,
    int retrying,
    int disconnected,
    long longestWaitNanos,
    List<Reason> reasons,
    DeviceCounters counted) {

  /**
   * Why some of the devices are in their state.
   *
   * @param name the reason and the code behind it, the same for all of them
   * @param example the message of the error of one of them, or nothing
   */
  record Reason(String name, int devices, String example) {}

  /** Sums up what devices say of themselves. */
  static final class Sum {
    private final Map<String, Reason> reasons = new TreeMap<>();
    private final int[] states = new int[4];
    private long longestWaitNanos;
    private int devices;
    private DeviceCounters counted = DeviceCounters.NONE;

    Sum add(ConnectionStatus status, DeviceCounters counters) {
      devices++;
      int state =
          switch (status.state()) {
            case CONNECTED -> 0;
            case CONNECTING -> 1;
            case RETRYING -> 2;
            case DISCONNECTED -> 3;
          };
      states[state]++;
      Duration wait = status.retryDelay();
      if (wait != null) {
        longestWaitNanos = Math.max(longestWaitNanos, wait.toNanos());
      }
      TransportException cause = status.cause();
      if (cause != null) {
        String message = String.valueOf(cause.getMessage());
        reasons.merge(
            name(status, cause),
            new Reason(name(status, cause), 1, message),
            (one, more) -> new Reason(one.name(), one.devices() + 1, one.example()));
      }
      counted = counted.plus(counters);
      return this;
    }

    private static String name(ConnectionStatus status, TransportException cause) {
      String reason = word(status.reason());
      return reason.equals(cause.protocol())
          ? reason + ": " + cause.code()
          : reason + ": " + cause.protocol() + " " + cause.code();
    }

    DeviceState state() {
      List<Reason> mostFirst =
          reasons.values().stream()
              .sorted(Comparator.comparingInt(Reason::devices).reversed())
              .toList();
      return new DeviceState(
          devices,
          states[0],
          states[1],
          states[2],
          states[3],
          longestWaitNanos,
          mostFirst,
          counted);
    }
  }

  static String word(Enum<?> constant) {
    return constant.name().toLowerCase(Locale.ROOT).replace('_', ' ');
  }

  /** Returns how many messages were acknowledged a second since the state before. */
  double acknowledgedPerSecond(@Nullable DeviceState before, long nanosSince) {
    long earlier = before == null ? 0 : before.counted.acknowledged();
    return nanosSince <= 0 ? 0 : (counted.acknowledged() - earlier) * 1e9 / nanosSince;
  }

  /** Returns whether nothing waits or is under way. */
  boolean isDrained() {
    return counted.waiting() == 0 && counted.inFlight() == 0;
  }

  ObjectNode toJson(long elapsedMillis, double acknowledgedPerSecond) {
    ObjectNode json =
        Json.object()
            .put("type", "state")
            .put("elapsedMillis", elapsedMillis)
            .put("devices", devices)
            .put("connected", connected)
            .put("connecting", connecting)
            .put("retrying", retrying)
            .put("disconnected", disconnected)
            .put("longestWaitMillis", longestWaitNanos / 1_000_000)
            .put("waiting", counted.waiting())
            .put("inFlight", counted.inFlight())
            .put("accepted", counted.accepted())
            .put("recovered", counted.recovered())
            .put("acknowledged", counted.acknowledged())
            .put("rejected", counted.rejected())
            .put("expired", counted.expired())
            .put("dropped", counted.dropped())
            .put("attempts", counted.attempts())
            .put("connects", counted.connects())
            .put("losses", counted.losses())
            .put("acknowledgedPerSecond", Math.round(acknowledgedPerSecond * 10) / 10.0);
    ObjectNode why = json.putObject("reasons");
    reasons.forEach(reason -> why.put(reason.name(), reason.devices()));
    return json;
  }
}
