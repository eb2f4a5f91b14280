package dev.reprise.delivery.http;

import java.util.concurrent.atomic.LongAdder;

/** The counts of a sender since it was made. Thread-safe. */
public final class HttpFigures {
  private final LongAdder cutHeads = new LongAdder();
  private final LongAdder afterLoss = new LongAdder();
  private final LongAdder unprocessed = new LongAdder();

  HttpFigures() {}

  /**
   * Returns the responses whose head was not read to its end, because it is longer than {@link
   * HttpSenderSettings#maxHeadBytes} or has a line that is no header.
   */
  public long cutHeads() {
    return cutHeads.sum();
  }

  /**
   * Returns the requests that were sent a second time within their attempt, since their kept
   * connection was lost before a byte of an answer had come. The receiver may have had them twice.
   */
  public long sentAgainAfterLoss() {
    return afterLoss.sum();
  }

  /** Returns the requests that were sent again since HTTP/2 said that they were not processed. */
  public long sentAgainUnprocessed() {
    return unprocessed.sum();
  }

  void cutHead() {
    cutHeads.increment();
  }

  void sentAfterLoss() {
    afterLoss.increment();
  }

  void sentUnprocessed() {
    unprocessed.increment();
  }
}
