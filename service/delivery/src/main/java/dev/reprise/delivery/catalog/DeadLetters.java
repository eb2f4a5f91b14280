package dev.reprise.delivery.catalog;

/** The treatment of a delivery that is given up. */
public enum DeadLetters {
  /** It is kept until it is redriven or purged. */
  KEEP("keep"),
  /** It is counted and forgotten. */
  DISCARD("discard");

  private final String wireName;

  DeadLetters(String wireName) {
    this.wireName = wireName;
  }

  /** The name in documents: {@code keep} or {@code discard}. */
  public String wireName() {
    return wireName;
  }
}
