package dev.reprise.core.classify;

import dev.reprise.core.RetrySafety;
import dev.reprise.core.classify.Verdict.Basis;
import java.io.IOException;
import java.net.http.HttpConnectTimeoutException;
import java.net.http.HttpTimeoutException;

/** Timeouts of java.net.http. Linked only where that module is present. */
final class HttpClientRule {
  private static final Verdict CONNECT_TIMEOUT =
      Verdict.of(RetrySafety.YES, Basis.INDICATION, "no connection in time, nothing was sent")
          .withTimeout();
  private static final Verdict NO_ANSWER =
      Verdict.of(RetrySafety.MAYBE, Basis.INDICATION, "no answer in time").withTimeout();

  private HttpClientRule() {}

  /** Returns the verdict on a timeout of java.net.http, or {@link Verdict#UNKNOWN}. */
  static Verdict of(IOException failure) {
    if (failure instanceof HttpConnectTimeoutException) {
      return CONNECT_TIMEOUT;
    }
    if (failure instanceof HttpTimeoutException) {
      return NO_ANSWER;
    }
    return Verdict.UNKNOWN;
  }
}
