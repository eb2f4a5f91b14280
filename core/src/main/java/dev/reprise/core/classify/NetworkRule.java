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
    return switch (kind) {
      case UNKNOWN_HOST -> UNKNOWN_HOST;
      case CONNECT_TIMEOUT -> CONNECT_TIMEOUT;
      case NO_ROUTE, NOT_CONNECTED, NO_LOCAL_PORT -> NOT_CONNECTED;
      case NOT_PROCESSED -> NOT_PROCESSED;
      case NO_ANSWER -> NO_ANSWER;
      case BROKEN -> BROKEN;
      case MISUSE -> MISUSE;
      case OTHER -> ANY_IO;
    };
  }

  private static Verdict indication(RetrySafety safety, String reason) {
    return Verdict.of(safety, Basis.INDICATION, reason);
  }
}
