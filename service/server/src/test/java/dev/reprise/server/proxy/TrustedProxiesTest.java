package dev.reprise.server.proxy;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import dev.reprise.core.InvalidSettingException;
import io.vertx.core.MultiMap;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class TrustedProxiesTest {
  private static final List<String> BLOCKS = List.of("10.0.0.0/8", "fd00::/8", "192.0.2.7");

  private static MultiMap headers(String... namesAndValues) {
    MultiMap headers = MultiMap.caseInsensitiveMultiMap().add("Host", "inner:8080");
    for (int i = 0; i < namesAndValues.length; i += 2) {
      headers.add(namesAndValues[i], namesAndValues[i + 1]);
    }
    return headers;
  }

  private static RequestSource conventional(String peer, String... namesAndValues) {
    return TrustedProxies.of("trusted-proxies", BLOCKS, TrustedProxies.X_FORWARDED)
        .sourceOf(peer, headers(namesAndValues));
  }

  private static RequestSource standard(String peer, String... namesAndValues) {
    return TrustedProxies.of("trusted-proxies", BLOCKS, TrustedProxies.FORWARDED)
        .sourceOf(peer, headers(namesAndValues));
  }

  private static String client(String forwardedFor) {
    return conventional("10.0.0.1", "X-Forwarded-For", forwardedFor).client();
  }

  @Test
  void aClientThatIsNoProxyIsNotBelieved() {
    for (String peer : List.of("198.51.100.4", "2001:db8::1", "192.0.2.8", "11.0.0.1")) {
      RequestSource source =
          conventional(
              peer,
              "X-Forwarded-For",
              "203.0.113.9",
              "X-Forwarded-Host",
              "evil.example",
              "X-Forwarded-Proto",
              "https");

      assertThat(source).isEqualTo(new RequestSource(peer, "inner:8080", false));
    }
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      textBlock =
          """
          203.0.113.9                           | 203.0.113.9
          203.0.113.9:4711                      | 203.0.113.9
          2001:db8::1                           | 2001:db8:0:0:0:0:0:1
          [2001:db8::1]:4711                    | 2001:db8:0:0:0:0:0:1
          ::ffff:203.0.113.9                    | 203.0.113.9
          fe80::1%eth0                          | fe80:0:0:0:0:0:0:1
          6.6.6.6, 203.0.113.9                  | 203.0.113.9
          6.6.6.6, 203.0.113.9, 10.1.1.1        | 203.0.113.9
          6.6.6.6,203.0.113.9 ,fd00::7,10.1.1.1 | 203.0.113.9
          10.3.3.3, 10.2.2.2                    | 10.3.3.3
          """)
  void theClientIsTheLastAddressThatIsNotTrusted(String header, String expected) {
    assertThat(client(header)).isEqualTo(expected);
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      textBlock =
          """
          unknown                    | 10.0.0.1
          203.0.113.9, unknown       | 10.0.0.1
          203.0.113.9, _id, 10.1.1.1 | 10.1.1.1
          203.0.113.9,               | 10.0.0.1
          203.0.113.009              | 10.0.0.1
          203.0.113.9;10.2.2.2       | 10.0.0.1
          host.example               | 10.0.0.1
          [203.0.113.9               | 10.0.0.1
          """)
  void whatCannotBeReadIsTakenFromNobody(String header, String expected) {
    assertThat(client(header)).isEqualTo(expected);
  }

  @Test
  void theLastOfSeveralLinesIsTheNearestProxys() {
    RequestSource source =
        conventional(
            "10.0.0.1",
            "X-Forwarded-For",
            "6.6.6.6",
            "X-Forwarded-For",
            "203.0.113.9, 10.1.1.1",
            "X-Forwarded-Host",
            "evil.example",
            "X-Forwarded-Host",
            "also.example, reprise.example:444",
            "X-Forwarded-Proto",
            "http, HTTPS");

    assertThat(source).isEqualTo(new RequestSource("203.0.113.9", "reprise.example:444", true));
  }

  @ParameterizedTest
  @ValueSource(strings = {"", "a b", "a/b", "user@host", "host:port", "[::1", "a,"})
  void aHostThatIsNoneLeavesTheOneOfTheRequest(String host) {
    assertThat(conventional("10.0.0.1", "X-Forwarded-Host", host).host()).isEqualTo("inner:8080");
  }

  @Test
  void onlyTheChosenHeaderIsRead() {
    String[] both = {
      "X-Forwarded-For", "203.0.113.1", "Forwarded", "for=203.0.113.2", "X-Forwarded-Proto", "https"
    };

    assertThat(conventional("10.0.0.1", both).client()).isEqualTo("203.0.113.1");
    assertThat(standard("10.0.0.1", both).client()).isEqualTo("203.0.113.2");
    assertThat(standard("10.0.0.1", both).secure()).isFalse();
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      quoteCharacter = '`',
      textBlock =
          """
          for=203.0.113.9                                  | 203.0.113.9
          For="203.0.113.9:4711";by=10.0.0.1               | 203.0.113.9
          for="[2001:db8::1]:4711"                         | 2001:db8:0:0:0:0:0:1
          for=6.6.6.6, for=203.0.113.9 , for="[fd00::7]"   | 203.0.113.9
          for="6.6.6.6, for=10.9.9.9", for=203.0.113.9     | 203.0.113.9
          for=203.0.113.9, by=10.0.0.9                     | 10.0.0.1
          for=unknown                                      | 10.0.0.1
          for="_hidden"                                    | 10.0.0.1
          for=6.6.6.6, for="203.0.113.9                    | 10.0.0.1
          for=203.0.113.9;for=6.6.6.6                      | 10.0.0.1
          for 203.0.113.9                                  | 10.0.0.1
          for=[2001:db8::1]                                | 10.0.0.1
          for=203.0.113.9,                                 | 10.0.0.1
          """)
  void theHeaderOfTheStandardIsReadStrictly(String header, String expected) {
    assertThat(standard("10.0.0.1", "Forwarded", header).client()).isEqualTo(expected);
  }

  @Test
  void hostAndSchemeOfTheStandardAreTheLastOnes() {
    RequestSource source =
        standard(
            "fd00::1",
            "Forwarded",
            "for=6.6.6.6;host=evil.example;proto=http",
            "Forwarded",
            "for=203.0.113.9;proto=https;host=\"reprise.example:444\"");

    assertThat(source).isEqualTo(new RequestSource("203.0.113.9", "reprise.example:444", true));
    // The line of the nearest proxy cannot be read: nothing before it counts.
    assertThat(standard("10.0.0.1", "Forwarded", "for=6.6.6.6", "Forwarded", "for=\"").client())
        .isEqualTo("10.0.0.1");
  }

  @Test
  void aListWithoutEndCostsNoMoreThanAnother() {
    String many = "10.2.2.2, ".repeat(1500);

    assertThat(client("6.6.6.6, " + many + "10.2.2.2")).isEqualTo("10.2.2.2");
    assertThat(standard("10.0.0.1", "Forwarded", "for=\"" + "\\a".repeat(8000)).client())
        .isEqualTo("10.0.0.1");
    assertThat(client("1".repeat(16_000))).isEqualTo("10.0.0.1");
  }

  @Test
  void allAddressesMayBeTrusted() {
    TrustedProxies all =
        TrustedProxies.of("trusted-proxies", List.of("::/0"), TrustedProxies.X_FORWARDED);

    assertThat(all.sourceOf("127.0.0.1", headers("X-Forwarded-For", "203.0.113.9")).client())
        .isEqualTo("203.0.113.9");
  }

  @ParameterizedTest
  @ValueSource(strings = {"", "proxy.example", "10.0.0.1/8", "10.0.0.0/33", "10.0.0"})
  void whatIsNoAddressIsRefused(String wrong) {
    assertThatExceptionOfType(InvalidSettingException.class)
        .isThrownBy(
            () ->
                TrustedProxies.of(
                    "trusted-proxies", List.of("10.0.0.1", wrong), TrustedProxies.FORWARDED))
        .withMessage(
            "trusted-proxies is "
                + wrong
                + ": must be an address or a block of addresses, such as 10.0.0.0/8, with no bits"
                + " set after the prefix");
  }
}
