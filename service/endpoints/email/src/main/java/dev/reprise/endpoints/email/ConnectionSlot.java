package dev.reprise.endpoints.email;

import org.jspecify.annotations.Nullable;

/** The connection that one thread keeps for the next message, if it has one. */
final class ConnectionSlot {
  private volatile @Nullable SmtpConnection connection;
  private int messages;

  /** Returns the connection that is kept; null if there is none. */
  @Nullable SmtpConnection connection() {
    return connection;
  }

  /** Keeps a new connection. */
  void keep(SmtpConnection fresh) {
    connection = fresh;
    messages = 0;
  }

  /** Counts a message; returns how many there were on this connection. */
  int count() {
    return ++messages;
  }

  /** Returns the connection, and keeps it no longer. */
  @Nullable SmtpConnection release() {
    SmtpConnection kept = connection;
    connection = null;
    return kept;
  }
}
