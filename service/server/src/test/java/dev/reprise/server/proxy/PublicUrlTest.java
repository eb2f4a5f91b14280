package dev.reprise.server.proxy;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import dev.reprise.core.InvalidSettingException;
import java.util.Map;
import org.junit.jupiter.api.Test;

class PublicUrlTest {
  private static PublicUrl of(String text) {
    return PublicUrl.of("public-url", text);
  }

  @Test
  void aUrlIsReadAndWrittenInOneForm() {
    Map.of(
            "https://Example.com/reprise",
            "https://example.com/reprise/",
            "HTTPS://example.com:443/a/b.c_d~e-f/",
            "https://example.com/a/b.c_d~e-f/",
            "http://example.com",
            "http://example.com/",
            "http://[::1]:8443/v1x/",
            "http://[::1]:8443/v1x/",
            "https://10.0.0.1:80/a/v1/",
            "https://10.0.0.1:80/a/v1/")
        .forEach((text, written) -> assertThat(of(text)).hasToString(written));
    assertThat(PublicUrl.NONE).hasToString("");
  }

  @Test
  void whatNoServiceCanHaveIsRefused() {
    String form = "must have a path of letters, digits, '.', '_', '~' and '-' between single";
    Map.ofEntries(
            Map.entry("example.com/reprise/", "must begin with http:// or https://"),
            Map.entry("/reprise/", "must begin with http:// or https://"),
            Map.entry("ftp://example.com/", "must begin with http:// or https://"),
            Map.entry("https:///reprise/", "must"),
            Map.entry("https://exämple.com/", "must have a host"),
            Map.entry("https://example.com:0/", "must have a port"),
            Map.entry("https://example.com:65536/", "must have a port"),
            Map.entry("https://example.com/a/?b", "must have no query"),
            Map.entry("https://example.com/a/#b", "must have no fragment"),
            Map.entry("https://example.com/a/../b/", "must have no segment . or .."),
            Map.entry("https://example.com/./", "must have no segment . or .."),
            Map.entry("https://example.com/a%2Fb/", form),
            Map.entry("https://example.com/a//b/", form),
            Map.entry("https://example.com//", form),
            Map.entry("https://example.com/a;b/", form),
            Map.entry("https://example.com/v1/", "must have a path that does not begin with /v1"),
            Map.entry("https://example.com/topics", "must have a path that does not begin with"),
            Map.entry("https://example.com/a b/", "must be a URL"))
        .forEach(
            (text, rule) ->
                assertThatExceptionOfType(InvalidSettingException.class)
                    .as(text)
                    .isThrownBy(() -> of(text))
                    .withMessageStartingWith("public-url is " + text + ": " + rule));
  }

  @Test
  void noPasswordIsShownInARefusal() {
    for (String text :
        new String[] {"https://ops:pass@example.com/", "https://o p:pass@example.com/"}) {
      assertThatExceptionOfType(InvalidSettingException.class)
          .isThrownBy(() -> of(text))
          .withMessageStartingWith("public-url is https://***@example.com/: must ")
          .satisfies(e -> assertThat(e.value()).doesNotContain("pass"));
    }
  }

  @Test
  void thePathInFrontIsTakenAway() {
    PublicUrl url = of("https://example.com/a/b/");

    assertThat(url.inside("/a/b/")).isEqualTo("/");
    assertThat(url.inside("/a/b/v1/topics")).isEqualTo("/v1/topics");
    assertThat(url.inside("/v1/topics")).isEqualTo("/v1/topics");
    assertThat(url.inside("/a/bc")).isEqualTo("/a/bc");
    assertThat(url.inside("/a/b/a/b/")).isEqualTo("/a/b/");
    assertThat(url.uri("/a/b/v1", "x=/a/b/", "/a/b/v1?x=/a/b/")).isEqualTo("/v1?x=/a/b/");
    assertThat(url.uri("/a/b/v1", null, "http://h/a/b/v1")).isEqualTo("/v1");
    assertThat(url.uri("/v1", "x", "/v1?x")).isEqualTo("/v1?x");
    assertThat(url.lacksSlash("/a/b")).isTrue();
    assertThat(url.lacksSlash("/a/b/")).isFalse();
    assertThat(url.lacksSlash("/a/c")).isFalse();
    assertThat(PublicUrl.NONE.inside("//x")).isEqualTo("//x");
    assertThat(PublicUrl.NONE.lacksSlash("")).isFalse();
  }

  @Test
  void hostAndOriginAreItsOwn() {
    PublicUrl url = of("https://example.com/a/");
    assertThat(url.isHost("Example.com")).isTrue();
    assertThat(url.isHost("example.com:443")).isTrue();
    assertThat(url.isHost("example.com:80")).isFalse();
    assertThat(url.isHost(null)).isFalse();
    assertThat(url.isOrigin("https://example.com")).isTrue();
    assertThat(url.isOrigin("http://example.com")).isFalse();
    assertThat(url.isOrigin("https://example.com.org")).isFalse();
    assertThat(url.isOrigin("null")).isFalse();
    assertThat(PublicUrl.NONE.isOrigin("://")).isFalse();
    assertThat(PublicUrl.NONE.isHost("")).isFalse();
  }
}
