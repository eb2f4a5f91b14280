package dev.reprise.cli.base;

import java.io.IOException;
import java.net.ConnectException;
import java.net.SocketTimeoutException;
import java.net.UnknownHostException;
import java.time.Duration;
import javax.net.ssl.SSLException;
import org.jspecify.annotations.Nullable;

/**
 * The words for a service that gives no answer.
 *
 * @param proxy what it was asked through, if anything
 */
record Unreachable(String baseUrl, @Nullable EnvironmentProxy proxy) {
  static final int CONNECT_MILLIS = 5_000;
  static final int ANSWER_MILLIS = 60_000;

  /** Returns the service, and the proxy that it is asked through. */
  String where() {
    return baseUrl + (proxy == null ? "" : " through the proxy " + proxy);
  }

  /** Returns the words for an answer that took longer than a time of whole seconds. */
  String within(Duration most) {
    return "no answer from " + where() + " within " + most.toSeconds() + " s";
  }

  /** Returns the words for a status that what stands before the service has answered. */
  String ofGateway(int status) {
    return "cannot reach "
        + where()
        + (proxy == null ? ": a proxy or gateway" : ": that proxy, or a gateway behind it,")
        + " answered "
        + status
        + " in its place";
  }

  /** Returns the words for what an exchange ended with. */
  String because(IOException e) {
    if (e instanceof SocketTimeoutException) {
      return "no answer from "
          + where()
          + ("Connect timed out".equalsIgnoreCase(e.getMessage())
              ? " within " + CONNECT_MILLIS / 1000 + " s: is the address right?"
              : " within " + ANSWER_MILLIS / 1000 + " s: it may have done what it was asked to");
    }
    if (e instanceof UnknownHostException) {
      return "cannot reach " + where() + ": there is no such host";
    }
    if (e instanceof SSLException) {
      return "cannot reach "
          + where()
          + ": TLS failed: "
          + e.getMessage()
          + ". If its certificate is of an authority of your own, name that with --api-ca or"
          + " REPRISE_CA";
    }
    if (proxy != null && String.valueOf(e.getMessage()).contains("HTTP/1.1 407")) {
      return proxy.asksForLogin();
    }
    return "cannot reach "
        + where()
        + (e instanceof ConnectException ? "" : " (" + e.getMessage() + ")")
        + (proxy == null
            ? ": is the service running? Start it with ./reprise serve --dev"
            : ": if its host is to be reached without a proxy, name it in no_proxy");
  }
}
