package dev.reprise.delivery;

import java.util.Locale;
import java.util.Optional;
import java.util.stream.Stream;

/** Why an endpoint gets as many attempts at the same time as it does. */
public enum LimitReason {
  /** The endpoint is new: a place is added for each success while answers stay as quick. */
  STARTING("new: growing while answers stay as quick as they were"),
  /** All places of the subscription are open. */
  MAXIMUM("all places are open"),
  /** The endpoint, or this process, answers as many a second with fewer places. */
  THROUGHPUT("more places brought no more answers a second"),
  /** A recent share of the attempts has failed. */
  FAILURES("attempts have failed; successes bring places back"),
  /** For the moment another number of places is tried. */
  MEASURING("measuring what another number of places brings");

  private final String sentence;

  LimitReason(String sentence) {
    this.sentence = sentence;
  }

  /** Returns the name in documents. */
  public String wireName() {
    return name().toLowerCase(Locale.ROOT);
  }

  /** Returns the reason with this name in documents, if there is one. */
  public static Optional<LimitReason> of(String wireName) {
    return Stream.of(values()).filter(reason -> reason.wireName().equals(wireName)).findFirst();
  }

  /** Returns the reason for people: a clause without a full stop. */
  public String describe() {
    return sentence;
  }
}
