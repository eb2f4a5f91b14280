package dev.reprise.core.classify;

import dev.reprise.core.RetrySafety;
import dev.reprise.core.classify.Verdict.Basis;
import java.nio.channels.UnresolvedAddressException;
import java.security.cert.CertPathBuilderException;
import java.security.cert.CertPathValidatorException;
import java.security.cert.CertificateException;
import java.util.NoSuchElementException;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.TimeoutException;

/** Exceptions of java.base that are no {@link java.io.IOException}. */
final class OtherRule {
  private static final Verdict NO_RESULT =
      Verdict.of(RetrySafety.MAYBE, Basis.INDICATION, "no result in time").withTimeout();
  private static final Verdict UNRESOLVED =
      Verdict.of(RetrySafety.YES, Basis.INDICATION, "the name was not resolved, nothing was sent");
  private static final Verdict REJECTED =
      Verdict.of(RetrySafety.NO, Basis.INDICATION, "the executor is full or was shut down");
  private static final Verdict BAD_CERTIFICATE =
      Verdict.of(RetrySafety.NO, Basis.INDICATION, "the certificate is not trusted");

  private OtherRule() {}

  /** Returns the verdict, or {@link Verdict#UNKNOWN}. */
  static Verdict of(Throwable failure) {
    // The work may still be going on.
    if (failure instanceof TimeoutException) {
      return NO_RESULT;
    }

    // Thrown by channels, and so by java.net.http, instead of UnknownHostException.
    if (failure instanceof UnresolvedAddressException) {
      return UNRESOLVED;
    }

    // Jetty's client, whose queue for this host is full.
    if (failure instanceof RejectedExecutionException
        && saysFirst(failure, "Max requests queued per destination ")) {
      return LibraryRule.NO_CONNECTION_FREE;
    }

    // Apache Commons Pool 2, below whatever the pool is one of.
    if (failure instanceof NoSuchElementException
        && saysFirst(failure, "Timeout waiting for idle object")) {
      return LibraryRule.NO_CONNECTION_FREE;
    }

    // It never ran, so a retry were safe. But which of the two it is cannot be told, and a program
    // that is shutting down must not be held up by retries.
    if (failure instanceof RejectedExecutionException) {
      return REJECTED;
    }

    // The cause of TLS failures, also of those that a framework has wrapped in its own exception.
    if (failure instanceof CertificateException
        || failure instanceof CertPathValidatorException
        || failure instanceof CertPathBuilderException) {
      return BAD_CERTIFICATE;
    }
    return Verdict.UNKNOWN;
  }

  private static boolean saysFirst(Throwable failure, String beginning) {
    String message = failure.getMessage();
    return message != null && message.startsWith(beginning);
  }
}
