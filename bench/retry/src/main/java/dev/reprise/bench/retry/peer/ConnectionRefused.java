package dev.reprise.bench.retry.peer;

import java.net.ConnectException;

/**
 * The failure of every benchmark: one that all defaults of ours retry, and that every peer is told
 * to retry. Without a stack trace, because filling one in takes longer than what is measured.
 */
public final class ConnectionRefused extends ConnectException {
  private static final long serialVersionUID = 1L;

  public ConnectionRefused() {
    super("connection refused");
  }

  @Override
  @SuppressWarnings("UnsynchronizedOverridesSynchronized") // There is nothing to guard.
  public Throwable fillInStackTrace() {
    return this;
  }
}
