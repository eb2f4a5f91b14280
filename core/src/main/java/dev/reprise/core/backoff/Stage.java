package dev.reprise.core.backoff;

/**
 * The four stages of a staged backoff, in the order in which they are passed (Amazon SNS
 * documentation).
 */
public enum Stage {
  /** Retries without any delay. */
  IMMEDIATE("immediate"),

  /** Retries with the minimum delay. */
  MIN_DELAY("minDelay"),

  /** Retries whose delay grows from the minimum to the maximum. */
  BACKOFF("backoff"),

  /** Retries with the maximum delay. */
  MAX_DELAY("maxDelay");

  private final String wireName;

  Stage(String wireName) {
    this.wireName = wireName;
  }

  /**
   * Returns the name in documents and in the API: {@code immediate}, {@code minDelay} and so on.
   */
  public String wireName() {
    return wireName;
  }
}
