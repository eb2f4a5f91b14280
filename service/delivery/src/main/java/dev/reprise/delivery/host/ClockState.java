package dev.reprise.delivery.host;

import java.util.Locale;

/**
 * The service's clock beside the system's, as of the last comparison. Durations are by the
 * monotonic clock: where clocks differ, a date says little.
 *
 * @param course what becomes of the difference
 * @param aheadMillis by how much the service's clock is ahead of the system's; less than 0 if it is
 *     behind
 * @param forMillis how long they have differed by more than a second; 0 if they agree
 * @param mostMillis the greatest such lead, or lag as less than 0, in that time; once they agree
 *     again, that of the last time that they differed
 * @param lastedMillis how long they had differed when they last came to agree; 0 if they never have
 * @param followedMillis by how much the service's clock was set ahead to the system's, in all since
 *     the start
 */
public record ClockState(
    Course course,
    long aheadMillis,
    long forMillis,
    long mostMillis,
    long lastedMillis,
    long followedMillis) {
  /** The ways in which clocks agree or come to. */
  public enum Course {
    /** They differ by a second at the most. */
    AGREES,
    /** The system's clock stepped less than two minutes ago. */
    UNPROVEN,
    /** The service's runs at half speed until the system's has caught up. */
    WAITS,
    /** The service's is more than an hour ahead, and gives up 1 ms in a second. */
    FAR
  }

  /** Returns whether the clocks differ by more than a second, or have not met since they did. */
  public boolean differs() {
    return course != Course.AGREES;
  }

  /** Returns a sentence for people, without a capital and a full stop. */
  public String text() {
    if (!differs()) {
      return "the service's clock agrees with the system's";
    }
    return String.format(
        Locale.ROOT,
        "the service's clock is %s %s the system's, for %d s now; %s",
        seconds(Math.abs(aheadMillis)),
        aheadMillis < 0 ? "behind" : "ahead of",
        forMillis / 1000,
        consequence());
  }

  private String consequence() {
    if (aheadMillis < 0) {
      return "it follows if that lasts for two minutes";
    }
    if (course == Course.WAITS) {
      return String.format(
          Locale.ROOT,
          "delivery goes at half speed until they agree, in about %d s",
          (2 * aheadMillis + 999) / 1000);
    }
    return aheadMillis <= SteadyClock.FAR_MILLIS
        ? "if that lasts for two minutes, delivery goes at half speed until they agree"
        : "more than an hour is given up by 3.6 s in an hour only. If the system's clock is right,"
            + " a start with --clock-from-system goes back to it, but not in a cluster";
  }

  /** Returns a sentence about how the last difference ended, without a capital and a full stop. */
  public String endText(long followedBeforeMillis) {
    long followed = followedMillis - followedBeforeMillis;
    return String.format(
        Locale.ROOT,
        "the service's clock and the system's agree again after %d s; it was up to %s %s%s",
        lastedMillis / 1000,
        seconds(Math.abs(mostMillis)),
        mostMillis < 0 ? "behind" : "ahead",
        followed == 0 ? "" : " and was set ahead by " + seconds(followed));
  }

  private static String seconds(long millis) {
    return String.format(Locale.ROOT, "%.1f s", millis / 1000.0);
  }
}
