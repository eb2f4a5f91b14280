package dev.reprise.cli.base;

import java.io.IOException;
import java.net.ConnectException;
import java.net.Proxy;
import java.net.SocketTimeoutException;
import java.net.UnknownHostException;
import java.time.Duration;
import java.util.regex.Pattern;
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

  /** The words of Java for the refusal of a tunnel. */
  private static final Pattern REFUSED_LOGIN = Pattern.compile("HTTP/1\\.[01] 407");

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
    if (proxy != null && isOfProxy(proxy, e)) {
      return "cannot reach " + where() + ": there is no such host as the proxy's, " + proxy.host();
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
    if (proxy != null && REFUSED_LOGIN.matcher(String.valueOf(e.getMessage())).find()) {
      return proxy.asksForLogin();
    }
    return "cannot reach "
        + where()
        + (e instanceof ConnectException ? "" : " (" + e.getMessage() + ")")
        + (proxy == null
            ? ": is the service running? Start it with ./reprise serve --dev"
            : ": if its host is to be reached without a proxy, name it in no_proxy");
  }

  /**
   * The service's own name is looked up by an HTTP proxy, and here for a SOCKS proxy, where Java
   * throws another exception for the name of the proxy.
   */
  private static boolean isOfProxy(EnvironmentProxy proxy, IOException e) {
    return (e instanceof UnknownHostException && proxy.server().type() == Proxy.Type.HTTP)
        || String.valueOf(e.getMessage()).split(":", 2)[0].equals(proxy.host());
  }
}
