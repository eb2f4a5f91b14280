package dev.reprise.core.retry;

import java.util.concurrent.CancellationException;

/**
 * Completes an operation that was cancelled. Without a stack trace, which would cost more than all
 * the rest of cancelling: a program that shuts down may cancel a million of them.
 */
final class CancelledException extends CancellationException {
  private static final long serialVersionUID = 1;

  private final String place;

  /**
   * Creates the exception of an operation somewhere in a program.
   *
   * @param place after the rest of the message
   */
  CancelledException(String place) {
    this.place = place;
  }

  @Override
  public String getMessage() {
    return "the operation was cancelled" + place;
  }

  @Override
  public Throwable fillInStackTrace() {
    return this;
  }
}
