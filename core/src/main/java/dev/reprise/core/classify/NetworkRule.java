package dev.reprise.core.classify;

import dev.reprise.core.RetrySafety;
import dev.reprise.core.classify.Verdict.Basis;
import java.io.EOFException;
import java.io.IOException;
import java.io.InterruptedIOException;
import java.net.BindException;
import java.net.ConnectException;
import java.net.HttpRetryException;
import java.net.MalformedURLException;
import java.net.NoRouteToHostException;
import java.net.ProtocolException;
import java.net.SocketException;
import java.net.SocketTimeoutException;
import java.net.UnknownHostException;
import java.net.UnknownServiceException;
import java.nio.channels.ClosedChannelException;
import org.jspecify.annotations.Nullable;

/** Connections that were not made or broke. Asked last of the rules on {@link IOException}s. */
final class NetworkRule {
  private static final String CONNECT_TIMED_OUT = "connect timed out";

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
  private static final Verdict ANY_IO =
      Verdict.of(RetrySafety.MAYBE, Basis.GENERIC, "input or output failed");

  private NetworkRule() {}

  /** Returns the verdict on an IOException that no other rule knows; it is always known here. */
  static Verdict of(IOException failure) {
    if (failure instanceof SocketException) {
      return ofSocket(failure);
    }

    if (failure instanceof SocketTimeoutException) {
      return isConnectTimeout(failure.getMessage()) ? CONNECT_TIMEOUT : NO_ANSWER;
    }

    // Not an interrupt, or it would not have come so far: a library's word for a timeout.
    if (failure.getClass() == InterruptedIOException.class) {
      return NO_ANSWER;
    }

    // Name servers fail for moments, and cannot tell that from a name that does not exist.
    if (failure instanceof UnknownHostException) {
      return UNKNOWN_HOST;
    }

    // The other side hung up; whether before or after it did the work is not known.
    if (failure instanceof EOFException || failure instanceof ClosedChannelException) {
      return BROKEN;
    }

    // The request is wrong, or the other side speaks something else. Both will be so again.
    if (failure instanceof ProtocolException
        || failure instanceof MalformedURLException
        || failure instanceof UnknownServiceException) {
      return MISUSE;
    }

    // HttpURLConnection says that it cannot send the body again.
    if (failure instanceof HttpRetryException) {
      return MISUSE;
    }
    return ANY_IO;
  }

  /** Returns the verdict on an exception that is an IOException and no more than that. */
  static Verdict ofPlain(IOException failure) {
    String message = failure.getMessage();

    // java.net.http, HTTP/2: our side of the connection refused to open one more stream, or the
    // server said with GOAWAY or REFUSED_STREAM that it did not process this one (RFC 9113, 8.7).
    if ("too many concurrent streams".equals(message)
        || "request not processed by peer".equals(message)) {
      return NOT_PROCESSED;
    }
    return ANY_IO;
  }

  private static Verdict ofSocket(IOException failure) {
    // Refused, or no answer to our SYN: the kernel gave up before there was a connection.
    if (failure instanceof ConnectException) {
      return saysTimeout(failure.getMessage()) ? CONNECT_TIMEOUT : NOT_CONNECTED;
    }

    // No route, or no free local port to connect from. Routes come back and ports become free.
    if (failure instanceof NoRouteToHostException || failure instanceof BindException) {
      return NOT_CONNECTED;
    }

    // Reset, broken pipe, unreachable port: something may have arrived before.
    return BROKEN;
  }

  /**
   * The JDK says "Connect timed out", before 17 in lower case; Apache's client puts a host first.
   */
  private static boolean isConnectTimeout(@Nullable String message) {
    if (message == null) {
      return false;
    }
    int start = message.length() - CONNECT_TIMED_OUT.length();
    boolean isEnding =
        message.regionMatches(true, start, CONNECT_TIMED_OUT, 0, CONNECT_TIMED_OUT.length());
    // A "disconnect timed out" is something else.
    return isEnding && (start == 0 || message.charAt(start - 1) == ' ');
  }

  private static boolean saysTimeout(@Nullable String message) {
    return message != null && message.contains("timed out");
  }

  private static Verdict indication(RetrySafety safety, String reason) {
    return Verdict.of(safety, Basis.INDICATION, reason);
  }
}
