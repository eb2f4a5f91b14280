package dev.reprise.device.error;

import dev.reprise.core.classify.Classifier;
import dev.reprise.core.classify.NetworkFailure;
import java.io.EOFException;
import java.io.IOException;
import java.net.BindException;
import java.net.ConnectException;
import java.net.SocketException;
import java.net.SocketTimeoutException;
import java.net.http.HttpTimeoutException;
import java.nio.channels.ClosedChannelException;
import java.util.List;
import java.util.concurrent.TimeoutException;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;

/**
 * Translates what the JDK, Netty and libraries throw about connections. The whole chain of causes
 * is searched, for each of them wraps in its own way; failures of TLS before those of the network,
 * for a refused certificate often looks like a lost connection from outside.
 */
public final class NetworkErrors {
  private static final String PROTOCOL = "network";
  private static final String UNKNOWN = "unknown";

  private NetworkErrors() {}

  /**
   * Returns the same failure as a kind of the table. Never throws, even where the methods of the
   * failure do. One that already is a {@link TransportException}, or is caused by one, is returned
   * as that. An unknown failure, null included, is of kind {@link ErrorKind#UNKNOWN} and not
   * retried.
   */
  public static TransportException of(@Nullable Throwable failure) {
    try {
      return translated(CauseChain.of(failure), failure);
    } catch (RuntimeException e) {
      // The failure's own methods throw. Nothing is known of a retry then, so there is none.
      return DeviceErrors.exception(
          ErrorDetails.of(DeviceErrors.row(PROTOCOL, UNKNOWN)).withCause(failure));
    }
  }

  private static TransportException translated(List<Throwable> chain, @Nullable Throwable failure) {
    for (Throwable link : chain) {
      if (link instanceof TransportException translated) {
        return translated;
      }
    }
    return DeviceErrors.exception(
        ErrorDetails.of(DeviceErrors.row(PROTOCOL, code(chain)))
            .withMessage(CauseChain.describe(chain))
            .withCause(failure));
  }

  private static String code(List<Throwable> chain) {
    // A cancelled or interrupted attempt, or an Error, which core never retries either.
    if (chain.isEmpty() || Classifier.defaults().classify(chain.get(0)).isVeto()) {
      return UNKNOWN;
    }

    String tls = TlsFailures.code(chain);
    if (tls != null) {
      return tls;
    }

    // java.net.http wraps it into the exception that otherwise means: refused.
    if (any(chain, NetworkFailure.UNKNOWN_HOST)) {
      return "unknown-host";
    }

    if (any(chain, NetworkFailure.CONNECT_TIMEOUT)) {
      return "connect-timeout";
    }

    if (any(chain, NetworkFailure.NO_ROUTE) || says(chain, "no route to host")) {
      return "no-route";
    }

    if (says(chain, "unreachable", "network is down")) {
      return "unreachable";
    }

    if (any(chain, ConnectException.class)) {
      return "connection-refused";
    }

    if (any(chain, NetworkErrors::isReadTimeout)) {
      return "read-timeout";
    }

    if (says(
        chain,
        "connection reset",
        "broken pipe",
        "connection abort",
        "was aborted",
        "forcibly closed")) {
      return "connection-reset";
    }

    if (any(chain, EOFException.class) || any(chain, ClosedChannelException.class)) {
      return "connection-closed";
    }
    if (says(chain, "received no bytes", "socket closed", "connection closed", "stream closed")) {
      return "connection-closed";
    }

    // Nothing was sent: the server's limit of streams for one HTTP/2 connection is reached. The
    // connection is good.
    if (says(chain, "too many concurrent streams")) {
      return "too-many-streams";
    }

    // The answer is not HTTP, and often not from the server.
    if (any(chain, java.net.ProtocolException.class)) {
      return "unreadable-answer";
    }

    // Input or output failed, and nothing but that is known. Of other types of IOException some
    // are mistakes in an address or a file.
    return isPlain(chain.get(chain.size() - 1)) ? "io-error" : UNKNOWN;
  }

  private static boolean isReadTimeout(Throwable link) {
    return link instanceof SocketTimeoutException
        || link instanceof HttpTimeoutException
        || link instanceof TimeoutException
        // Netty's, by name: what a transport is made of is not known here.
        || link.getClass().getName().equals("io.netty.handler.timeout.ReadTimeoutException")
        || (link instanceof SocketException && CauseChain.message(link).contains("timed out"));
  }

  private static boolean isPlain(Throwable root) {
    Class<?> type = root.getClass();
    return type == IOException.class
        || type == SocketException.class
        || type == BindException.class
        // Netty's native transports, which name the call of the system that failed.
        || type.getSimpleName().equals("NativeIoException");
  }

  private static boolean any(List<Throwable> chain, NetworkFailure kind) {
    return any(chain, link -> NetworkFailure.of(link) == kind);
  }

  private static boolean any(List<Throwable> chain, Class<? extends Throwable> type) {
    return any(chain, type::isInstance);
  }

  private static boolean any(List<Throwable> chain, Predicate<Throwable> test) {
    return chain.stream().anyMatch(test);
  }

  /** Returns true if an IOException says one of the words; other failures may quote any text. */
  private static boolean says(List<Throwable> chain, String... words) {
    return any(
        chain,
        link -> {
          String message = CauseChain.message(link);
          return link instanceof IOException && List.of(words).stream().anyMatch(message::contains);
        });
  }
}
