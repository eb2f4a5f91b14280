package dev.reprise.cli.base;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.net.SocketException;
import java.net.URI;
import java.net.UnknownHostException;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** The words for failures of a proxy, which are not failures of the service. */
class UnreachableTest {
  private static final String URL = "http://reprise.example";

  private static String because(String proxy, IOException failure) {
    return new Unreachable(
            URL, EnvironmentProxy.of(URI.create(URL), Map.of("http_proxy", proxy)::get))
        .because(failure);
  }

  @ParameterizedTest
  @CsvSource({"HTTP/1.0 407 Proxy Authentication Required", "HTTP/1.1 407 any"})
  void aLoginIsAskedForInBothVersions(String line) {
    IOException failure =
        new IOException("Unable to tunnel through proxy. Proxy returns \"" + line + "\"");

    assertThat(because("p.example:3128", failure))
        .isEqualTo(
            "the proxy p.example:3128 of http_proxy asks for a user and password: write them as"
                + " http://user:password@host:port");
  }

  @ParameterizedTest
  @CsvSource({
    // Only the proxy looks up the service's name.
    "http://p.example:3128, p.example",
    "socks5://p.example:3128, p.example",
    "socks5://p.example:3128, p.example: Name or service not known",
  })
  void theNameOfTheProxyIsTheUnknownOne(String proxy, String message) {
    assertThat(because(proxy, new UnknownHostException(message)))
        .isEqualTo(
            "cannot reach "
                + URL
                + " through the proxy p.example:3128 of http_proxy: there is no such host as the"
                + " proxy's, p.example");
  }

  @Test
  void javaNamesTheProxyInAnotherExceptionForSocks() {
    assertThat(because("socks5://p.example:1", new SocketException("p.example")))
        .endsWith("there is no such host as the proxy's, p.example");
  }

  @Test
  void theNameOfTheServiceIsTheUnknownOneBehindSocks() {
    assertThat(because("socks5://p.example:1", new UnknownHostException("reprise.example")))
        .isEqualTo(
            "cannot reach "
                + URL
                + " through the proxy p.example:1 of http_proxy: there is no such host");
  }
}
