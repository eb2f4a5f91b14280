package dev.reprise.cli.base;

import java.io.IOException;
import java.net.HttpURLConnection;
import java.net.Proxy;
import java.net.URI;
import java.net.URL;
import java.util.function.UnaryOperator;
import org.jspecify.annotations.Nullable;

/** By which way the service is reached, as the environment says. */
final class Route {
  /** The environment says nothing: by the properties of Java, if they name a proxy. */
  static final Route OF_JAVA = new Route(null, null);

  /** By no proxy, whatever the properties of Java say. */
  private static final Route DIRECT = new Route(Proxy.NO_PROXY, null);

  private final @Nullable Proxy way;
  private final @Nullable EnvironmentProxy proxy;
  private final @Nullable ProxyLogin login;

  private Route(@Nullable Proxy way, @Nullable EnvironmentProxy proxy) {
    this.way = way;
    this.proxy = proxy;
    this.login = proxy == null ? null : new ProxyLogin(proxy.user());
  }

  static Route through(EnvironmentProxy proxy) {
    return new Route(proxy.server(), proxy);
  }

  /**
   * Returns the way to a URL.
   *
   * @param variables the value of a variable of the environment; null if it is not set or empty
   * @throws CommandFailure when the variable that counts is no URL of a proxy
   */
  static Route to(URI service, UnaryOperator<@Nullable String> variables) {
    if (EnvironmentProxy.isExcepted(service, variables)) {
      return DIRECT;
    }
    EnvironmentProxy proxy = EnvironmentProxy.of(service, variables);
    return proxy == null ? OF_JAVA : through(proxy);
  }

  /** Returns the proxy of the environment, if there is one on the way. */
  @Nullable EnvironmentProxy proxy() {
    return proxy;
  }

  /** Returns a connection that is not made yet, for one request. */
  HttpURLConnection open(URL url) throws IOException {
    HttpURLConnection connection =
        (HttpURLConnection) (way == null ? url.openConnection() : url.openConnection(way));
    if (login != null) {
      login.renew();
      connection.setAuthenticator(login);
    }
    return connection;
  }
}
