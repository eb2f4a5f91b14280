package dev.reprise.core.classify;

import dev.reprise.core.RetrySafety;
import dev.reprise.core.classify.Verdict.Basis;
import java.io.IOException;
import java.net.SocketException;
import java.nio.channels.ClosedByInterruptException;
import java.nio.channels.FileLockInterruptionException;
import java.util.concurrent.CancellationException;

/** The types that are never retried, whatever other rules say. */
final class VetoRule {
  private static final Verdict ERROR = veto("an Error is never retried");
  private static final Verdict INTERRUPTED = veto("interrupted");
  private static final Verdict CANCELLED = veto("cancelled");

  private VetoRule() {}

  /** Returns a veto, or {@link Verdict#UNKNOWN}. */
  static Verdict of(Throwable failure) {
    if (failure instanceof IOException io) {
      return ofIo(io);
    }

    // The program or the JVM is broken; running more of it makes nothing better.
    if (failure instanceof Error) {
      return ERROR;
    }

    // This thread was interrupted.
    if (Classifier.isInterrupt(failure)) {
      return INTERRUPTED;
    }

    // The operation was cancelled.
    if (failure instanceof CancellationException) {
      return CANCELLED;
    }
    return Verdict.UNKNOWN;
  }

  private static Verdict ofIo(IOException failure) {
    Class<?> type = failure.getClass();

    // OkHttp's whole answer to a cancelled call.
    if (type == IOException.class && "Canceled".equals(failure.getMessage())) {
      return CANCELLED;
    }

    if (Classifier.isInterrupt(failure)) {
      return INTERRUPTED;
    }

    if (failure instanceof ClosedByInterruptException
        || failure instanceof FileLockInterruptionException) {
      return INTERRUPTED;
    }

    // So the JDK reports the interrupt of a virtual thread that is blocked in a socket.
    if (type == SocketException.class && "Closed by interrupt".equals(failure.getMessage())) {
      return INTERRUPTED;
    }
    return Verdict.UNKNOWN;
  }

  private static Verdict veto(String reason) {
    return Verdict.of(RetrySafety.NO, Basis.VETO, reason);
  }
}
