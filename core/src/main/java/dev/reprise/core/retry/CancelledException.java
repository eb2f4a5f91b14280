package dev.reprise.core.retry;

import java.util.concurrent.CancellationException;

/**
 * What a cancelled operation completes with. Without a stack trace, which would cost more than all
 * the rest of cancelling: a program that shuts down may cancel a million of them.
 */
final class CancelledException extends CancellationException {
  private static final long serialVersionUID = 1;

  CancelledException() {
    super("the operation was cancelled");
  }

  @Override
  public Throwable fillInStackTrace() {
    return this;
  }
}
