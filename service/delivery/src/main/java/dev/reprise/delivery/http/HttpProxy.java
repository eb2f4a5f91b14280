package dev.reprise.delivery.http;

import dev.reprise.delivery.address.AddressGuard;
import dev.reprise.delivery.address.EndpointUrl;
import dev.reprise.delivery.address.VettedResolver;
import java.util.Locale;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * A forward proxy, which the operator has set up. Attempts go through a tunnel ({@code CONNECT},
 * RFC 9110, section 9.3.6), for http and https alike. The proxy's own address is the operator's
 * choice and is not vetted; the endpoint's is.
 *
 * @param host a name or an address of the proxy; IPv6 without brackets
 * @param port its port, from 1 to 65535
 * @param authorization the value of the Proxy-Authorization header; empty for none
 * @param resolves whether the proxy looks up the endpoint's name: then the tunnel is asked for by
 *     name, only addresses that stand in a URL are vetted here, and the proxy must refuse the
 *     others. Otherwise the name is looked up here, its addresses are vetted, and the tunnel is
 *     asked for by address
 */
public record HttpProxy(String host, int port, String authorization, boolean resolves) {
  /** Checks host, port and the characters of the authorization. */
  public HttpProxy {
    if (port < 1 || port > 65535) {
      throw new IllegalArgumentException("port " + port + " must be from 1 to 65535");
    }
    if (RequestHeaders.refusalOfValue("Proxy-Authorization", authorization) != null) {
      // Without the value, which is a secret.
      throw new IllegalArgumentException("authorization must be printable ASCII");
    }
    EndpointUrl url = url(host, port);
    if (url == null || !url.host().equals(host.toLowerCase(Locale.ROOT))) {
      throw new IllegalArgumentException(
          "host '" + Faults.clean(host) + "' must be a name or an address");
    }
  }

  /** Host and port as those of a URL; its addresses are for {@link VettedResolver#ofOperator}. */
  EndpointUrl url() {
    return Objects.requireNonNull(url(host, port));
  }

  private static @Nullable EndpointUrl url(String host, int port) {
    String bracketed = host.indexOf(':') >= 0 ? "[" + host + "]" : host;
    return EndpointUrl.parse("http://" + bracketed + ":" + port, AddressGuard.ofOperator()).url();
  }

  /** Hides the authorization. */
  @Override
  public String toString() {
    return (host.indexOf(':') >= 0 ? "[" + host + "]" : host) + ":" + port;
  }
}
