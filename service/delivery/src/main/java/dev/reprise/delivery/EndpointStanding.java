package dev.reprise.delivery;

import java.util.Comparator;
import java.util.List;
import java.util.Optional;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * The standing of a subscription's endpoint by the attempts that have ended: whether it fails and
 * since when. Checks of the receiver, later reports of a carrier and attempts that were not made do
 * not count. What another endpoint of the same subscription answered counts until the first answer
 * of the new one.
 *
 * @param failingSinceMillis when the first of the present unbroken row of failed attempts ended,
 *     wall time; 0 if the last attempt succeeded or none has ended
 * @param lastSuccessMillis when the last attempt that succeeded ended, wall time; 0 if none has
 * @param last the last attempt that ended; null if none has, or none since an older program kept
 *     the ledger
 */
public record EndpointStanding(
    long failingSinceMillis, long lastSuccessMillis, @Nullable LastOutcome last) {
  /** No attempt has ended. */
  public static final EndpointStanding NONE = new EndpointStanding(0, 0, null);

  /**
   * The last attempt that ended.
   *
   * @param atMillis when it ended, wall time
   * @param outcome the class of its outcome
   * @param summary one line for people with the status, such as {@code 503 Service Unavailable}, of
   *     at most {@value #MAX_SUMMARY_LENGTH} characters without control characters
   */
  public record LastOutcome(long atMillis, OutcomeClass outcome, String summary) {
    /** The longest summary, in characters. */
    public static final int MAX_SUMMARY_LENGTH = 120;

    private static final Pattern CONTROL = Pattern.compile("[\\x00-\\x1f\\x7f-\\x9f]");

    /** Cuts the summary to its length, and puts spaces where it has control characters. */
    public LastOutcome {
      summary = harmless(summary);
    }

    private static String harmless(String text) {
      String line = text;
      if (line.chars().anyMatch(Character::isISOControl)) {
        line = CONTROL.matcher(line).replaceAll(" ");
      }
      if (line.length() <= MAX_SUMMARY_LENGTH) {
        return line;
      }
      int end = MAX_SUMMARY_LENGTH - 1;
      return line.substring(0, Character.isHighSurrogate(line.charAt(end - 1)) ? end - 1 : end)
          + "…";
    }
  }

  /** Returns whether the last attempt failed. */
  public boolean isFailing() {
    return failingSinceMillis > 0;
  }

  /**
   * Returns the standing of one endpoint that several shards deliver to. It fails if an attempt has
   * failed after the last success of all shards. The row began with the first failure after that
   * success; of a shard whose row is older than a success of another shard only the first failure
   * is known, and then the row is said to begin with that success, which may be too early by the
   * time between the two.
   *
   * @param parts the standing in each shard, at least one
   */
  public static EndpointStanding of(List<EndpointStanding> parts) {
    long lastSuccess =
        parts.stream().mapToLong(EndpointStanding::lastSuccessMillis).max().orElseThrow();
    List<EndpointStanding> failing =
        parts.stream().filter(part -> part.failsAfter(lastSuccess)).toList();
    if (failing.isEmpty()) {
      return parts.stream()
          .max(Comparator.comparingLong(EndpointStanding::lastSuccessMillis))
          .orElseThrow();
    }
    long first =
        failing.stream().mapToLong(EndpointStanding::failingSinceMillis).min().orElseThrow();
    LastOutcome last =
        failing.stream()
            .flatMap(part -> Optional.ofNullable(part.last).stream())
            .max(Comparator.comparingLong(LastOutcome::atMillis))
            .orElse(null);
    return new EndpointStanding(Math.max(first, lastSuccess), lastSuccess, last);
  }

  /** Whether an attempt failed after this success, which is the last one of all shards. */
  private boolean failsAfter(long successMillis) {
    return isFailing()
        && (lastSuccessMillis == successMillis || (last != null && last.atMillis > successMillis));
  }
}
