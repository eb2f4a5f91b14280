package dev.reprise.core.classify;

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
import java.nio.channels.UnresolvedAddressException;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * The kinds of network failures, as told by the exceptions of the JDK and of its usual clients.
 * {@link Classifier#defaults()} rests on them; rules for other failures, such as the error codes of
 * a protocol, can use them too. The most telling kinds come first: if the causes of a failure are
 * of several kinds, the first of them counts.
 */
public enum NetworkFailure {
  /** The name of the other side was not resolved. Nothing was sent. */
  UNKNOWN_HOST,

  /** No connection was made in time. Nothing was sent. */
  CONNECT_TIMEOUT,

  /** There is no route to the other side. Nothing was sent. */
  NO_ROUTE,

  /** The connection was refused, or could not be made for another reason. Nothing was sent. */
  NOT_CONNECTED,

  /** There is no local port to connect from. Nothing was sent. */
  NO_LOCAL_PORT,

  /** The other side did not take the request in, and the connection is good. */
  NOT_PROCESSED,

  /** No answer came in time. The request may have taken effect. */
  NO_ANSWER,

  /** The connection broke. The request may have taken effect. */
  BROKEN,

  /** The protocol was not kept, or the address is wrong. */
  MISUSE,

  /** Anything else: a failure that is not about a network, or tells no more. */
  OTHER;

  private static final String CONNECT_TIMED_OUT = "connect timed out";
  private static final String CONNECT_TIMEOUT_OF_JETTY = "Connect Timeout";

  /** Returns the kind of one exception; its causes are not asked. */
  public static NetworkFailure of(Throwable failure) {
    Objects.requireNonNull(failure, "failure");
    if (!(failure instanceof IOException io)) {
      // Channels, and with them java.net.http, throw it instead of UnknownHostException.
      return failure instanceof UnresolvedAddressException ? UNKNOWN_HOST : OTHER;
    }
    if (failure.getClass() == IOException.class) {
      return ofPlain(io);
    }
    NetworkFailure http = DefaultRules.mayBeOfHttpClient(io) ? HttpClientRule.kindOf(io) : null;
    return http == null ? ofTyped(io) : http;
  }

  /** Returns the kind of an exception that is an IOException and no more than that. */
  static NetworkFailure ofPlain(IOException failure) {
    String message = failure.getMessage();

    // java.net.http, HTTP/2: our side of the connection refused to open one more stream, or the
    // server said with GOAWAY or REFUSED_STREAM that it did not process this one (RFC 9113, 8.7).
    return "too many concurrent streams".equals(message)
            || "request not processed by peer".equals(message)
        ? NOT_PROCESSED
        : OTHER;
  }

  /** Returns the kind of an exception of java.base. */
  static NetworkFailure ofTyped(IOException failure) {
    if (failure instanceof SocketException) {
      return ofSocket(failure);
    }

    if (failure instanceof SocketTimeoutException) {
      return isConnectTimeout(failure.getMessage()) ? CONNECT_TIMEOUT : NO_ANSWER;
    }

    // Not an interrupt, which is read before: a library's word for a timeout.
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
    return failure instanceof HttpRetryException ? MISUSE : OTHER;
  }

  private static NetworkFailure ofSocket(IOException failure) {
    // Refused, or no answer to our SYN: the kernel gave up before there was a connection. Netty's
    // own timeout is one of these too.
    if (failure instanceof ConnectException) {
      return saysTimeout(failure.getMessage()) ? CONNECT_TIMEOUT : NOT_CONNECTED;
    }

    // Routes come back.
    if (failure instanceof NoRouteToHostException) {
      return NO_ROUTE;
    }

    // Ports become free.
    if (failure instanceof BindException) {
      return NO_LOCAL_PORT;
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
    if (message.equals(CONNECT_TIMEOUT_OF_JETTY)) {
      return true;
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
}
