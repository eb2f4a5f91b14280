package dev.reprise.cli.base;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.net.Proxy;
import java.net.URI;
import java.util.HashMap;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Which proxy the environment names for a service: curl's rules. */
class EnvironmentProxyTest {
  private final Map<String, String> variables = new HashMap<>();

  private String proxyOf(String service) {
    return String.valueOf(EnvironmentProxy.of(URI.create(service), variables::get));
  }

  @ParameterizedTest
  @CsvSource({
    "https_proxy, https://a.example, true",
    "HTTPS_PROXY, https://a.example, true",
    "all_proxy, https://a.example, true",
    "ALL_PROXY, https://a.example, true",
    "http_proxy, http://a.example, true",
    "all_proxy, http://a.example, true",
    "ALL_PROXY, http://a.example, true",
    "http_proxy, https://a.example, false",
    "https_proxy, http://a.example, false",
    // A CGI program has a header of its caller in it.
    "HTTP_PROXY, http://a.example, false",
  })
  void theSchemeOfTheServiceChoosesTheVariable(String variable, String service, boolean taken) {
    variables.put(variable, "http://p.example:3128");

    assertThat(proxyOf(service)).isEqualTo(taken ? "p.example:3128 of " + variable : "null");
  }

  @Test
  void smallLettersComeFirstAndAllLast() {
    variables.put("ALL_PROXY", "four.example");
    variables.put("all_proxy", "three.example");
    assertThat(proxyOf("https://a.example")).isEqualTo("three.example:1080 of all_proxy");
    variables.put("HTTPS_PROXY", "two.example");
    assertThat(proxyOf("https://a.example")).isEqualTo("two.example:1080 of HTTPS_PROXY");
    variables.put("https_proxy", "one.example:8080/");
    assertThat(proxyOf("https://a.example")).isEqualTo("one.example:8080 of https_proxy");
  }

  @ParameterizedTest
  @CsvSource({
    "http://localhost:8080",
    "http://LOCALHOST",
    "http://api.localhost",
    "http://127.0.0.1:8080",
    "http://127.9.9.9",
    "http://[::1]:8080",
    "http://localhost.",
    // As a destination, the address of no host is this machine.
    "http://0.0.0.0:8080",
    "http://[::]:8080",
  })
  void thisMachineIsAskedWithoutAProxy(String service) {
    variables.put("all_proxy", "http://p.example:3128");

    assertThat(proxyOf(service)).isEqualTo("null");
  }

  @Test
  void theHostsOfNoProxyAreAskedWithoutOne() {
    variables.put("all_proxy", "http://p.example:3128");
    variables.put("NO_PROXY", "a.example");
    assertThat(proxyOf("https://a.example")).isEqualTo("null");

    variables.put("no_proxy", "b.example, c.example:443");
    assertThat(proxyOf("https://a.example")).isNotEqualTo("null");
    assertThat(proxyOf("https://b.example")).isEqualTo("null");
    assertThat(proxyOf("https://c.example")).isEqualTo("null");
    assertThat(proxyOf("http://c.example")).isNotEqualTo("null");
  }

  @ParameterizedTest
  @CsvSource({
    "http://u:p@p.example:3128, HTTP, u, p",
    "u:p@p.example:3128, HTTP, u, p",
    "http://u%40b:p%3A%2F+%C3%BC@p.example, HTTP, u@b, p:/+ü",
    "http://u@p.example, HTTP, u, ''",
    "http://p.example, HTTP, ,",
    "socks5://p.example, SOCKS, ,",
    "SOCKS5://p.example:1, SOCKS, ,",
    "http://u:p@[::1]:3128/, HTTP, u, p",
  })
  void anUrlHasTypeUserAndPassword(String url, Proxy.Type type, String user, String password) {
    variables.put("all_proxy", url);

    EnvironmentProxy proxy = EnvironmentProxy.of(URI.create("https://a.example"), variables::get);

    assertThat(proxy.server().type()).isEqualTo(type);
    assertThat(proxy.user() == null ? null : proxy.user().getUserName()).isEqualTo(user);
    assertThat(proxy.user() == null ? null : new String(proxy.user().getPassword()))
        .isEqualTo(password);
  }

  @ParameterizedTest
  @CsvSource({
    "http://my_proxy:3128, my_proxy:3128",
    "my_proxy, my_proxy:1080",
    "http://u:p@my_proxy.some_net:3128/, my_proxy.some_net:3128",
    "http://p.example:, p.example:1080",
    "http://[::1]:3128, [::1]:3128",
  })
  void theHostMayBeANameOfAContainer(String url, String read) {
    variables.put("https_proxy", url);

    assertThat(proxyOf("https://a.example")).isEqualTo(read + " of https_proxy");
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "https://u:secret@p.example | https://***@p.example: must be an http: or socks5: URL",
        "ftp://p.example | ftp://p.example: must be an http: or socks5: URL of a proxy, such as",
        "http://u:se#cret@p.example:1 | http://***@p.example:1: must have no path, query or",
        "http://p.example:99999 | http://p.example:99999: must be an http: or socks5: URL",
        "http://u:1/cret@p.example:1 | http://***@p.example:1: must have no path, query or",
        "http://u:1?cret@p.example:1 | http://***@p.example:1: must have no path, query or",
        "http://u:1#cret@p.example:1 | http://***@p.example:1: must have no path, query or",
        "u:cret://x@p.example:1 | ***@p.example:1: must have no path, query or",
        "http://p.example/secret | http://***: must have no path, query or fragment",
        "http://u:1/secret | http://***: must have no path, query or fragment",
        "socks5h://p.example | socks5h://p.example: must be socks5: instead, since the name of",
        "http:// | http://: must be an http: or socks5: URL",
        "socks5://u:secret@p.example | socks5://***@p.example: must have no user and password",
      })
  void aWrongOneIsRefusedWithoutItsPassword(String url, String said) {
    variables.put("HTTPS_PROXY", url);

    assertThatThrownBy(() -> proxyOf("https://a.example"))
        .isInstanceOf(CommandFailure.class)
        .hasMessageStartingWith("HTTPS_PROXY is " + said)
        .hasMessageNotContaining("secret")
        .hasMessageNotContaining("cret@");
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "'*'                   | a.example    | true",
        "example               | a.example    | true",
        ".example              | a.example    | true",
        "*.example             | a.example    | true",
        "A.Example.            | a.example    | true",
        "a.example             | A.EXAMPLE.   | true",
        "a.example             | b.a.example  | true",
        "a.example             | ba.example   | false",
        "b.a.example           | a.example    | false",
        "x y,a.example  z      | a.example    | true",
        "a.example:443         | a.example    | true",
        "a.example:80          | a.example    | false",
        ".example:443          | a.example    | true",
        "''                    | a.example    | false",
        ".                     | a.example    | false",
        "10.1.2.3              | 10.1.2.3     | true",
        "10.1.2.3:443          | 10.1.2.3     | true",
        "10.1.2.3:80           | 10.1.2.3     | false",
        "2.3                   | 10.1.2.3     | false",
        "10.0.0.0/8            | 10.1.2.3     | true",
        "10.1.2.0/23           | 10.1.3.255   | true",
        "10.1.2.0/23           | 10.1.4.0     | false",
        "10.1.2.3/32           | 10.1.2.3     | true",
        "0.0.0.0/0             | 10.1.2.3     | true",
        "10.0.0.0/33           | 10.1.2.3     | false",
        "10.0.0.0/x            | 10.1.2.3     | false",
        "10.0.0.0/8            | a.example    | false",
        "999.0.0.1             | 10.1.2.3     | false",
        "256.0.0.0/8           | 10.1.2.3     | false",
        "fe80::1%eth0          | [fe80::1]    | true",
        "fe80::1               | [fe80::1%eth0] | true",
        "[fe80::1%25eth0]      | [fe80::1%1]  | true",
        "fd00::/8              | [fd12::1]    | true",
        "fd00::/8              | [fe80::1]    | false",
        "fd00::/8              | 10.1.2.3     | false",
        "fd12::1               | [fd12:0::1]  | true",
        "[fd12::1]             | [fd12::1]    | true",
        "[fd12::1]:443         | [fd12::1]    | true",
        "[fd12::1]:80          | [fd12::1]    | false",
      })
  void noProxyKnowsDomainsPortsAndBlocks(String list, String host, boolean covered) {
    assertThat(NoProxy.read(list).covers(host, 443)).isEqualTo(covered);
  }
}
