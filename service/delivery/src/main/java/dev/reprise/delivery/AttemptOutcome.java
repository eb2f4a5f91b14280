package dev.reprise.delivery;

import dev.reprise.core.RetryInfo;
import dev.reprise.core.RetrySafety;
import java.time.Duration;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * The outcome of one attempt, in terms that hold for every protocol.
 *
 * @param failure the facts that decide about a retry; null if the attempt succeeded
 * @param status the protocol's status, such as an HTTP status code; 0 if there was none
 * @param summary one line for people, such as {@code 503 Service Unavailable}
 * @param address the network address that was used, or empty
 * @param response the first bytes of the response, at most {@value #MAX_RESPONSE_BYTES}
 * @param durationNanos how long the attempt took, in nanoseconds
 * @param made false if the attempt was not begun, for a reason that is neither the endpoint's nor
 *     the message's: then the claim is given back. It counts as no attempt, nothing is written, and
 *     {@code failure} is a fact that is always safe to retry
 * @param block what holds back everything that shares the endpoint's host or carrier; null for
 *     nothing. There always is one if the attempt was not made
 * @param receiptIds under which ids the carrier will report later how the message fared, one for
 *     each part of it; empty if it will not, and for a failure
 */
public record AttemptOutcome(
    @Nullable RetryInfo failure,
    int status,
    String summary,
    String address,
    byte[] response,
    long durationNanos,
    boolean made,
    @Nullable Block block,
    List<String> receiptIds) {
  /** The part of a response that the attempt log keeps, in bytes. */
  public static final int MAX_RESPONSE_BYTES = 1024;

  private static final Duration NO_CONNECTION = Duration.ofSeconds(1);
  private static final byte[] NO_RESPONSE = {};
  private static final RetryInfo REFUSAL = () -> RetrySafety.YES;

  /**
   * The outcome of an attempt that was not begun because this process has no right to any more, or
   * cannot be sure that it has.
   */
  public static final AttemptOutcome MAY_NOT_BEGIN =
      givenBack("the lease of the shard has run out", Duration.ofMillis(100));

  /**
   * Something holds back all attempts to one host, or through one carrier.
   *
   * @param time for how long from the end of the attempt, more than 0
   * @param reason one line for people, such as {@code bind refused: 0x0000000E (invalid password)}
   */
  public record Block(Duration time, String reason) {
    /** Checks the time. */
    public Block {
      if (time.isZero() || time.isNegative()) {
        throw new IllegalArgumentException("time is " + time + ": must be more than 0");
      }
    }
  }

  /**
   * Checks the response's length, and that an attempt that was not made says what is in the way.
   */
  public AttemptOutcome {
    receiptIds = List.copyOf(receiptIds);
    if (response.length > MAX_RESPONSE_BYTES) {
      throw new IllegalArgumentException(
          "response has " + response.length + " bytes: must have at most " + MAX_RESPONSE_BYTES);
    }
    if (!made && (failure == null || block == null)) {
      throw new IllegalArgumentException(
          "made is false: an attempt not made has a failure, and says what is in the way");
    }
  }

  /** The outcome of an attempt that was made. */
  public AttemptOutcome(
      @Nullable RetryInfo failure,
      int status,
      String summary,
      String address,
      byte[] response,
      long durationNanos) {
    this(failure, status, summary, address, response, durationNanos, true, null, List.of());
  }

  /**
   * The outcome of an attempt that was not begun for want of a connection of this process. Nothing
   * was sent, and the endpoint is not at fault.
   *
   * @param summary the reason, on one line for people
   */
  public static AttemptOutcome notMade(String summary) {
    return givenBack(summary, NO_CONNECTION);
  }

  /**
   * The outcome of an attempt that was not begun because its host or carrier cannot be used now.
   * Nothing was sent; neither the endpoint nor the message is at fault.
   *
   * @param reason on one line for people
   * @param time for how long everything that shares the host or the carrier waits, more than 0
   */
  public static AttemptOutcome givenBack(String reason, Duration time) {
    return givenBack(new Block(time, reason));
  }

  /** The same, of what is known to hold back the host or the carrier. */
  public static AttemptOutcome givenBack(Block block) {
    return new AttemptOutcome(
        () -> RetrySafety.YES, 0, block.reason(), "", NO_RESPONSE, 0, false, block, List.of());
  }

  /**
   * The outcome of an attempt that must not go where it was to go: by the rules of this process the
   * address is not allowed, or the request would not be one. That is no fault of the message: the
   * allow-list or a name server's answer may be wrong today. So it is safe to retry.
   *
   * @param detail the value and the rule, on one line for people
   */
  public static AttemptOutcome refused(String detail) {
    return new AttemptOutcome(REFUSAL, 0, "refused: " + detail, "", NO_RESPONSE, 0);
  }

  /** The outcome of an attempt that failed in this process before anything was sent. */
  public static AttemptOutcome internalError(RuntimeException error) {
    return new AttemptOutcome(
        () -> RetrySafety.YES, 0, "internal error: " + error, "", NO_RESPONSE, 0);
  }

  /** The same outcome, which also holds back what shares the host or the carrier. */
  public AttemptOutcome withBlock(Block newBlock) {
    return new AttemptOutcome(
        failure, status, summary, address, response, durationNanos, made, newBlock, receiptIds);
  }

  /** The same outcome of a success that the carrier will report on later, under these ids. */
  public AttemptOutcome withReceiptIds(List<String> ids) {
    return new AttemptOutcome(
        failure, status, summary, address, response, durationNanos, made, block, ids);
  }

  /** Whether the endpoint took the message. */
  public boolean succeeded() {
    return failure == null;
  }

  /** Whether it is of {@link #refused}. */
  public boolean isRefused() {
    return failure == REFUSAL;
  }
}
