package dev.reprise.core.classify;

import dev.reprise.core.RetrySafety;
import dev.reprise.core.classify.Verdict.Basis;
import java.io.IOException;

/** Connections that were not made or broke. Asked last of the rules on {@link IOException}s. */
final class NetworkRule {
  private static final Verdict NOT_CONNECTED =
      indication(RetrySafety.YES, "no connection, nothing was sent");
  private static final Verdict CONNECT_TIMEOUT = NOT_CONNECTED.withTimeout();
  private static final Verdict UNKNOWN_HOST =
      indication(RetrySafety.YES, "the name was not resolved, nothing was sent");
  private static final Verdict NOT_PROCESSED =
      indication(RetrySafety.YES, "the other side did not take the request in");
  private static final Verdict NO_ANSWER =
      indication(RetrySafety.MAYBE, "no answer in time").withTimeout();
  private static final Verdict BROKEN = indication(RetrySafety.MAYBE, "the connection broke");
  private static final Verdict MISUSE =
      indication(RetrySafety.NO, "the protocol was not kept, or the address is wrong");
  static final Verdict ANY_IO =
      Verdict.of(RetrySafety.MAYBE, Basis.GENERIC, "input or output failed");

  private NetworkRule() {}

  /** Returns the verdict on an IOException that no other rule knows; it is always known here. */
  static Verdict of(IOException failure) {
    return of(NetworkFailure.ofTyped(failure));
  }

  /** Returns the verdict on an exception that is an IOException and no more than that. */
  static Verdict ofPlain(IOException failure) {
    return of(NetworkFailure.ofPlain(failure));
  }

  private static Verdict of(NetworkFailure kind) {
    // No switch: its table is a class more, for which the first failure of a program would wait.
    if (kind == NetworkFailure.BROKEN) {
      return BROKEN;
    }
    if (kind == NetworkFailure.NO_ANSWER) {
      return NO_ANSWER;
    }
    if (kind == NetworkFailure.NOT_CONNECTED
        || kind == NetworkFailure.NO_ROUTE
        || kind == NetworkFailure.NO_LOCAL_PORT) {
      return NOT_CONNECTED;
    }
    if (kind == NetworkFailure.CONNECT_TIMEOUT) {
      return CONNECT_TIMEOUT;
    }
    if (kind == NetworkFailure.UNKNOWN_HOST) {
      return UNKNOWN_HOST;
    }
    if (kind == NetworkFailure.NOT_PROCESSED) {
      return NOT_PROCESSED;
    }
    return kind == NetworkFailure.MISUSE ? MISUSE : ANY_IO;
  }

  private static Verdict indication(RetrySafety safety, String reason) {
    return Verdict.of(safety, Basis.INDICATION, reason);
  }
}
