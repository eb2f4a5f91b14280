package dev.reprise.delivery.catalog;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class HostKeyTest {
  @ParameterizedTest
  @CsvSource({
    "https://example.com/hook, https://example.com:443",
    "HTTPS://Example.COM:443/other?a=b, https://example.com:443",
    "http://example.com, http://example.com:80",
    "http://example.com:/hook, http://example.com:80",
    "http://user:word@example.com:8080/, http://example.com:8080",
    "https://[2001:db8::1]/hook, https://[2001:db8::1]:443",
    "https://[2001:db8::1]:8443/hook, https://[2001:db8::1]:8443",
    "https://b\u00fccher.example/hook, https://xn--bcher-kva.example:443",
    "https://xn--bcher-kva.example/x|y, https://xn--bcher-kva.example:443",
    "https://fa\u00df.de/, https://xn--fa-hia.de:443",
    "not a URL, not a URL",
    "+491701234567, +491701234567"
  })
  void endpointsOfOneHostAndPortAreOneGroup(String endpoint, String group) {
    assertThat(HostKey.of(endpoint)).isEqualTo(group);
  }
}
