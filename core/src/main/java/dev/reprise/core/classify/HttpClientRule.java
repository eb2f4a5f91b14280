package dev.reprise.core.classify;

import dev.reprise.core.RetrySafety;
import dev.reprise.core.classify.Verdict.Basis;
import java.io.IOException;
import java.net.http.HttpConnectTimeoutException;
import java.net.http.HttpTimeoutException;
import org.jspecify.annotations.Nullable;

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
    NetworkFailure kind = kindOf(failure);
    if (kind == null) {
      return Verdict.UNKNOWN;
    }
    return kind == NetworkFailure.CONNECT_TIMEOUT ? CONNECT_TIMEOUT : NO_ANSWER;
  }

  /** Returns the kind of a timeout of java.net.http, or null for anything else. */
  static @Nullable NetworkFailure kindOf(IOException failure) {
    if (failure instanceof HttpConnectTimeoutException) {
      return NetworkFailure.CONNECT_TIMEOUT;
    }
    return failure instanceof HttpTimeoutException ? NetworkFailure.NO_ANSWER : null;
  }
}
