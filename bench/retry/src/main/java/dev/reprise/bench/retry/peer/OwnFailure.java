package dev.reprise.bench.retry.peer;

import java.io.IOException;

/**
 * The failure of the blocking benchmarks: an exception of the program's own, which no default rule
 * of ours knows by its type, and which every loop is told to retry. Without a stack trace, because
 * filling one in takes longer than what is measured.
 */
public final class OwnFailure extends IOException {
  private static final long serialVersionUID = 1L;

  public OwnFailure() {
    super("conflict");
  }

  @Override
  @SuppressWarnings("UnsynchronizedOverridesSynchronized") // There is nothing to guard.
  public Throwable fillInStackTrace() {
    return this;
  }
}
