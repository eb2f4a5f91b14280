package dev.reprise.lab.scenario;

import java.time.Duration;

/** The wait that a service asks for when it refuses a request ({@code Retry-After}). */
public sealed interface Hint {
  /** Nothing. */
  record None() implements Hint {}

  /**
   * The same to everybody.
   *
   * @param delay at least 0
   */
  record Fixed(Duration delay) implements Hint {
    /** Checks the delay. */
    public Fixed {
      Require.span("delay", delay);
    }
  }

  /**
   * A delay drawn evenly between two bounds.
   *
   * @param lowest at least 0
   * @param highest after {@code lowest}
   */
  record Uniform(Duration lowest, Duration highest) implements Hint {
    /** Checks the bounds. */
    public Uniform {
      Require.span("lowest", lowest);
      Require.span("highest", highest);
      Require.order("lowest", lowest, "highest", highest);
    }
  }

  /** The next free slot of the quota, to each another one: nobody comes in vain again. */
  record Slots() implements Hint {}
}
