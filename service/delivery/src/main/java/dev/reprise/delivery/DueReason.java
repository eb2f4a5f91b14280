package dev.reprise.delivery;

import dev.reprise.core.backoff.Stage;

/**
 * Why a delivery's next attempt is due when it is. Stored with the delivery when the decision is
 * made, so that it tells what was decided, whatever has been configured since.
 *
 * @param kind what made the attempt due
 * @param retry which retry of the schedule this is, from 1; 0 unless {@code kind} is RETRY
 * @param stage the stage of the schedule; IMMEDIATE unless {@code kind} is RETRY
 * @param backoffMillis what the policy asked to wait, in milliseconds
 * @param hintMillis what the endpoint asked to wait, in milliseconds; -1 if it did not
 */
public record DueReason(Kind kind, int retry, Stage stage, long backoffMillis, long hintMillis) {
  /** The reason why an attempt is due. */
  public enum Kind {
    /** The first attempt is due at once. */
    FIRST,
    /** The retry policy decided. */
    RETRY,
    /** A client asked for the dead letter to be tried again. */
    REDRIVE,
    /** A client asked for the next attempt to be made at once. */
    REQUESTED,
    /** It was refused as those before it, which are one cause: it waits, and is not charged. */
    HELD
  }

  /** The reason of every first attempt. */
  public static final DueReason FIRST = new DueReason(Kind.FIRST, 0, Stage.IMMEDIATE, 0, -1);

  /** The reason of the first attempt after a redrive. */
  public static final DueReason REDRIVE = new DueReason(Kind.REDRIVE, 0, Stage.IMMEDIATE, 0, -1);

  /** The reason of an attempt that a client asked for before it was due. */
  public static final DueReason REQUESTED =
      new DueReason(Kind.REQUESTED, 0, Stage.IMMEDIATE, 0, -1);

  /**
   * The reason of an attempt that waits until the endpoint may be over what it refuses everything
   * for.
   *
   * @param waitMillis for how long, in milliseconds
   */
  public static DueReason held(long waitMillis) {
    return new DueReason(Kind.HELD, 0, Stage.IMMEDIATE, waitMillis, -1);
  }

  /** One sentence for people. */
  public String describe() {
    return switch (kind) {
      case FIRST -> "first attempt, due at once";
      case REDRIVE -> "redriven from the dead letters";
      case REQUESTED -> "an attempt now was asked for";
      case HELD -> "refused as all others: it is not charged, and waits " + seconds(backoffMillis);
      case RETRY -> "retry " + retry + ", " + stage.wireName() + " stage: " + waited();
    };
  }

  private String waited() {
    String backoff = "the policy waits " + seconds(backoffMillis);
    if (hintMillis < 0) {
      return backoff;
    }
    if (hintMillis > backoffMillis) {
      return "the endpoint asked for " + seconds(hintMillis) + " (Retry-After), " + backoff;
    }
    return backoff + ", no less than the " + seconds(hintMillis) + " that the endpoint asked for";
  }

  private static String seconds(long millis) {
    return millis % 1000 == 0 ? millis / 1000 + " s" : millis / 1000.0 + " s";
  }
}
