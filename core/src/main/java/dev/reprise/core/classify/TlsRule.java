package dev.reprise.core.classify;

import dev.reprise.core.RetrySafety;
import dev.reprise.core.classify.Verdict.Basis;
import java.io.IOException;
import javax.net.ssl.SSLException;
import javax.net.ssl.SSLHandshakeException;

/**
 * Failures of TLS. The two sides disagree, which they will at the next try too, or the connection
 * under them broke.
 */
final class TlsRule {
  private static final Verdict CUT_HANDSHAKE =
      Verdict.of(
          RetrySafety.YES,
          Basis.INDICATION,
          "the connection broke during the TLS handshake, nothing was sent");
  private static final Verdict TRUNCATED =
      Verdict.of(
          RetrySafety.MAYBE, Basis.INDICATION, "the connection ended without a goodbye of TLS");
  private static final Verdict DISAGREE =
      Verdict.of(RetrySafety.NO, Basis.INDICATION, "the two sides do not agree on TLS");

  private TlsRule() {}

  /** Returns the verdict on an exception of TLS, or {@link Verdict#UNKNOWN}. */
  static Verdict of(IOException failure) {
    if (!(failure instanceof SSLException)) {
      return Verdict.UNKNOWN;
    }
    Throwable cause = failure.getCause();

    // A copy made for its stack trace, as java.net.http does: the original tells more.
    if (cause instanceof SSLException) {
      return Verdict.UNKNOWN;
    }

    // Requests are sent after the handshake. (A renegotiation that is cut looks the same; TLS 1.3
    // has none, and servers that want one do so before they process the request.)
    if (failure instanceof SSLHandshakeException
        && (cause instanceof IOException || saysThatHandshakeWasCut(failure))) {
      return CUT_HANDSHAKE;
    }

    // Not TLS, but the connection under it failed: the cause tells how.
    if (cause instanceof IOException) {
      return Verdict.UNKNOWN;
    }

    // An attacker or a lost connection cut the answer short; the request has arrived.
    if ("closing inbound before receiving peer's close_notify".equals(failure.getMessage())) {
      return TRUNCATED;
    }

    // A bad certificate, no common version, an alert, or a server that does not speak TLS.
    return DISAGREE;
  }

  /**
   * Reads the message, because in java.net.http the cause is missing if the connection ended
   * between two records.
   */
  private static boolean saysThatHandshakeWasCut(IOException failure) {
    return "Remote host terminated the handshake".equals(failure.getMessage());
  }
}
