package dev.reprise.cli.device;

import dev.reprise.common.text.AmountText;
import dev.reprise.device.retry.RetryPolicy;
import dev.reprise.device.transport.TlsSettings;
import java.net.URI;
import java.nio.file.Path;
import java.time.Duration;
import org.jspecify.annotations.Nullable;

/**
 * The devices to run and their work. Errors name the option as it is typed.
 *
 * @param hub where they connect to
 * @param tls how they encrypt, where the URI asks for it
 * @param name what their names begin with
 * @param count how many there are, 1 to 10,000
 * @param rate messages a second of each device, 0 to 10,000
 * @param size bytes of each message, 0 to 1 MiB
 * @param ramp over how long they are opened, evenly
 * @param duration how long they send, or null: until the user ends it
 * @param every how often the state is shown, at least 100 ms
 * @param drain how long the end waits for what is under way
 * @param queue the folder of their queues, or null: in memory
 * @param policy when they reconnect, or null: as a device client does by itself
 */
record DevicePlan(
    URI hub,
    TlsSettings tls,
    String name,
    int count,
    double rate,
    int size,
    Duration ramp,
    @Nullable Duration duration,
    Duration every,
    Duration drain,
    @Nullable Path queue,
    @Nullable RetryPolicy policy) {
  static final int MAX_DEVICES = 10_000;
  static final double MAX_RATE = 10_000;
  static final int MAX_BYTES = 1 << 20;

  private static final Duration MAX_SPAN = Duration.ofDays(3650);
  private static final Duration MIN_EVERY = Duration.ofMillis(100);

  DevicePlan {
    if (name.isBlank() || !name.matches("[A-Za-z0-9._-]{1,64}")) {
      throw new IllegalArgumentException(
          "--name is " + name + ": must be 1 to 64 letters, digits, dots, dashes or underscores");
    }
    if (count < 1 || count > MAX_DEVICES) {
      throw new IllegalArgumentException(
          "--count is " + count + ": must be between 1 and " + MAX_DEVICES);
    }
    if (!(rate >= 0 && rate <= MAX_RATE)) {
      throw new IllegalArgumentException(
          "--rate is " + plain(rate) + ": must be between 0 and " + plain(MAX_RATE));
    }
    if (size < 0 || size > MAX_BYTES) {
      throw new IllegalArgumentException(
          "--size is " + size + ": must be between 0 and " + MAX_BYTES + " bytes");
    }
    within("--ramp", ramp, Duration.ZERO);
    if (duration != null) {
      within("--duration", duration, Duration.ofMillis(1));
    }
    within("--every", every, MIN_EVERY);
    within("--drain", drain, Duration.ZERO);
  }

  private static void within(String option, Duration span, Duration least) {
    if (span.compareTo(least) < 0 || span.compareTo(MAX_SPAN) > 0) {
      throw new IllegalArgumentException(
          option
              + " is "
              + AmountText.exact(span)
              + ": must be between "
              + AmountText.exact(least)
              + " and "
              + AmountText.exact(MAX_SPAN));
    }
  }

  static String plain(double number) {
    return number == Math.rint(number) && Math.abs(number) < 1e15
        ? String.valueOf((long) number)
        : String.valueOf(number);
  }

  String deviceName(int index) {
    return name + "-" + (index + 1);
  }

  /** Returns how many devices are to be open by then. */
  int openAfter(long elapsedNanos) {
    long rampNanos = ramp.toNanos();
    if (elapsedNanos >= rampNanos) {
      return count;
    }
    return 1 + (int) ((count - 1) * ((double) elapsedNanos / rampNanos));
  }

  /** Returns how many messages are due by then, of all devices; number k is of device k % count. */
  long dueAfter(long elapsedNanos) {
    return (long) (elapsedNanos / 1e9 * rate * count);
  }

  /** Returns the URI without the password that it may hold. */
  String shownHub() {
    String userInfo = hub.getRawUserInfo();
    return userInfo == null ? hub.toString() : hub.toString().replace(userInfo + "@", "");
  }
}
