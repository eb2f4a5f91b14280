package dev.reprise.delivery.address;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class EndpointUrlTest {
  private static final AddressGuard GUARD = AddressGuard.globalOnly();

  @ParameterizedTest
  @CsvSource({
    "http://example.com, http://example.com/",
    "HTTPS://EXAMPLE.com:443/Hook?a=B, https://example.com/Hook?a=B",
    "http://example.com:8080?x=1, http://example.com:8080/?x=1",
    "https://example.com.:443/, https://example.com./",
    "https://example.com:/x, https://example.com/x",
    "http://bücher.example/ä, http://xn--bcher-kva.example/%C3%A4",
    "https://faß.de/h, https://xn--fa-hia.de/h",
    "https://βόλος.com/, https://xn--nxasmm1c.com/",
    "https://نامه\u200cای.com/, https://xn--mgba3gch31f060k.com/",
    "https://😀.ws/, https://xn--e28h.ws/",
    "https://ꯃꯅꯤ.com/, https://xn--x19ae7g.com/",
    "https://my_svc.bücher.example:8443/, https://my_svc.xn--bcher-kva.example:8443/",
    "https://r3---sn.bücher.example/, https://r3---sn.xn--bcher-kva.example/",
    "https://xn--fa-hia.de/, https://xn--fa-hia.de/",
    "http://hooks:8080/, http://hooks:8080/",
    "http://my_service.example/, http://my_service.example/",
    "http://8.8.8.8/, http://8.8.8.8/",
    "http://[2606:4700:4700::1111]:81/, http://[2606:4700:4700::1111]:81/",
    "http://[::ffff:8.8.8.8]/, http://8.8.8.8/",
    "http://1e100.net/, http://1e100.net/",
    "http://0xcafe.example/, http://0xcafe.example/",
  })
  void isReadIntoItsNormalForm(String text, String normal) {
    assertThat(url(text)).hasToString(normal);
    assertThat(url(normal)).isEqualTo(url(text)).hasSameHashCodeAs(url(text));
  }

  @ParameterizedTest
  @CsvSource({
    "example.com/hook, must be a URL such as https://example.com/hook",
    "notaurl, must be a URL such as https://example.com/hook",
    "//example.com/hook, scheme '' must be http or https",
    "ftp://example.com/, scheme 'ftp' must be http or https",
    "file:///etc/passwd, scheme 'file' must be http or https",
    "gopher://example.com/, scheme 'gopher' must be http or https",
    "http:///hook, must name a host",
    "http:example.com, must name a host",
    "http://, must name a host",
    "http://:80/, must not be empty",
    "http://example.com/#top, fragment",
    "http://example.com:0/, port 0 must be from 1 to 65535",
    "http://example.com:65536/, port 65536 must be from 1 to 65535",
    "http://example.com:99999999999/, must be a number from 1 to 65535",
    "http://example.com:-1/, must be a number from 1 to 65535",
    "http://example.com:8o/, must be a number from 1 to 65535",
    "http://exa mple.com/, a blank at index 10 must be percent-encoded",
    "'http://example.com/\ta', the control character U+0009 at index 19",
    "'http://example.com/\u0085', the control character U+0085 at index 19",
    "'http://example.com/\uD83D', half of a surrogate pair",
    "http://exa\\mple.com/, labels",
    "http://\u200cb.de/, has a joiner where none is allowed",
    "http://\uE000.de/, has a character that is not allowed",
    "http://\u05D0a.de/, mixes directions of writing",
    "'http://example.com/a b', is not a URL",
    "http://a..b/, labels",
    "http://-a.b/, labels",
    "http://a-.b/, labels",
    "http://exa%6dple.com/, labels",
    "http://exa$mple.com/, labels",
    "http://[::1/, must be an IPv6 address in brackets",
    "http://[fe80::1%25eth0]/, without a zone",
    "http://256.1.1.1/, four decimal numbers",
  })
  void isRefusedForItsForm(String text, String rule) {
    assertThat(problems(text))
        .allMatch(problem -> problem.startsWith("endpoint: "))
        .anyMatch(problem -> problem.contains(rule));
  }

  /** The receiver may have signed them, and tells apart what a normal form makes the same. */
  @ParameterizedTest
  @ValueSource(
      strings = {
        "/a/../b/./c//d",
        "/%2f%2F%41%7e?x=%c3%a4&y=%C3%A4",
        "/a|b^c`d{e}[f]?g={h}&i[]=j|k",
        "/100%/sure?rate=5%",
        "/?",
        "/a;v=1,2?sig=a+b/c==&t='x'"
      })
  void pathAndQueryAreSentAsTheyWereGiven(String target) {
    assertThat(url("https://example.com" + target).target()).isEqualTo(target);
  }

  @Test
  void noFormOfAnAccentIsMadeAnother() {
    assertThat(url("https://example.com/e\u0301/\u00e9?\u212b").target())
        .isEqualTo("/e%CC%81/%C3%A9?%E2%84%AB");
  }

  /** All ways to write an address of one's own network that some software understands. */
  @ParameterizedTest
  @ValueSource(
      strings = {
        "http://127.0.0.1/",
        "http://127.0.0.1./",
        "http://127.1/",
        "http://127.0.1/",
        "http://2130706433/",
        "http://017700000001/",
        "http://0x7f000001/",
        "http://0x7f.0.0.1/",
        "http://0177.0.0.1/",
        "http://127.0.0.01/",
        "http://127.0.0.0x1/",
        "http://0/",
        "http://0x/",
        "http://１２７.０.０.１/",
        "http://127。0。0。1/",
        "http://localhost/",
        "http://LOCALHOST./",
        "http://ｌocalhost/",
        "http://hook.localhost/",
        "http://[::1]/",
        "http://[0:0:0:0:0:0:0:1]/",
        "http://[::]/",
        "http://[::ffff:127.0.0.1]/",
        "http://[::ffff:7f00:1]/",
        "http://[::127.0.0.1]/",
        "http://[64:ff9b::7f00:1]/",
        "http://[2002:7f00:1::]/",
        "http://[fe80::1]/",
        "http://[fd00:ec2::254]/",
        "http://169.254.169.254/latest/meta-data/",
        "http://[::ffff:a9fe:a9fe]/",
        "http://2852039166/",
        "http://10.0.0.1/",
        "http://192.168.1.1:8080/",
        "http://0.0.0.0/",
        "http://255.255.255.255/",
      })
  void isRefusedForItsAddress(String text) {
    assertThat(problems(text)).hasSize(1);
  }

  @Test
  void allProblemsAreNamedAtOnceAndThePasswordIsNot() {
    List<String> problems = problems("ftp://user:geheim@10.0.0.1:99999/#x");
    assertThat(problems)
        .hasSize(5)
        .anyMatch(p -> p.contains("scheme"))
        .anyMatch(p -> p.contains("user name or password"))
        .anyMatch(p -> p.contains("fragment"))
        .anyMatch(p -> p.contains("port 99999"))
        .anyMatch(p -> p.contains("10.0.0.1 (private network, 10.0.0.0/8)"))
        .noneMatch(p -> p.contains("geheim"));
    assertThat(problems("http://user:ge heim@example.com/")).noneMatch(p -> p.contains("heim"));
  }

  @Test
  void theLengthIsLimited() {
    String longest = "http://example.com/" + "x".repeat(EndpointUrl.MAX_LENGTH - 19);
    assertThat(EndpointUrl.parse(longest, GUARD).problems()).isEmpty();
    assertThat(problems(longest + "x"))
        .containsExactly("endpoint: has 2049 characters, must have at most 2048");
    assertThat(problems("http://" + "a".repeat(64) + ".example/")).hasSize(1);
    assertThat(problems("http://" + "a.".repeat(127) + "example/")).hasSize(1);
  }

  @Test
  void developersMayUseTheirOwnMachine() {
    AddressGuard dev = AddressGuard.allowing(true, List.of());
    for (String text : List.of("http://localhost:9/", "http://127.0.0.1:9/", "http://[::1]:9/")) {
      assertThat(EndpointUrl.parse(text, dev).url()).hasToString(text);
    }
    assertThat(EndpointUrl.parse("http://10.0.0.1/", dev).problems()).hasSize(1);
  }

  private static EndpointUrl url(String text) {
    EndpointUrl.Parsed parsed = EndpointUrl.parse(text, GUARD);
    assertThat(parsed.problems()).isEmpty();
    return parsed.url();
  }

  private static List<String> problems(String text) {
    EndpointUrl.Parsed parsed = EndpointUrl.parse(text, GUARD);
    assertThat(parsed.url()).isNull();
    return parsed.problems();
  }
}
