package dev.reprise.device.error;

import dev.reprise.common.text.HarmlessText;
import java.io.Serializable;
import java.time.Duration;
import org.jspecify.annotations.Nullable;

/**
 * The details of one error. Texts of the other side are put on one line and cut off where they are
 * very long.
 *
 * @param row what its code means
 * @param message what happened, in one sentence, with the words of the other side if it had any
 * @param cause the failure that it was read from, or null
 * @param retryAfter how long the other side asked to wait, at least 0, or null; a negative one
 *     counts as none
 * @param serverReference the server to go to instead, as {@code host:port} or {@code host}, or null
 */
public record ErrorDetails(
    ErrorRow row,
    String message,
    @Nullable Throwable cause,
    @Nullable Duration retryAfter,
    @Nullable String serverReference)
    implements Serializable {
  private static final int MAX_MESSAGE = 1_000;

  /** Corrects invalid values from the other side; throws nothing. */
  public ErrorDetails {
    message = HarmlessText.oneLine(message, MAX_MESSAGE);
    if (retryAfter != null && retryAfter.isNegative()) {
      retryAfter = null;
    }
  }

  /** Returns the details of an error of which nothing but the code is known. */
  public static ErrorDetails of(ErrorRow row) {
    return new ErrorDetails(
        row, row.name() + " (" + row.protocol() + " " + row.code() + ")", null, null, null);
  }

  /**
   * Returns these details with what happened in words; the name of the error is put before them.
   *
   * @param message null or blank when there are no words: then these details stay as they are
   */
  public ErrorDetails withMessage(@Nullable String message) {
    return message == null || message.isBlank()
        ? this
        : new ErrorDetails(row, row.name() + ": " + message, cause, retryAfter, serverReference);
  }

  /** Returns these details with the failure that they were read from, or null for none. */
  public ErrorDetails withCause(@Nullable Throwable cause) {
    return new ErrorDetails(row, message, cause, retryAfter, serverReference);
  }

  /** Returns these details with the wait that the other side asked for, or null for none. */
  public ErrorDetails withRetryAfter(@Nullable Duration retryAfter) {
    return new ErrorDetails(row, message, cause, retryAfter, serverReference);
  }

  /** Returns these details with the server to go to instead, or null for none. */
  public ErrorDetails withServerReference(@Nullable String serverReference) {
    return new ErrorDetails(row, message, cause, retryAfter, serverReference);
  }
}
