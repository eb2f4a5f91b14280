package dev.reprise.delivery.http;

import static java.nio.charset.StandardCharsets.ISO_8859_1;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import java.util.List;
import net.jqwik.api.Arbitraries;
import net.jqwik.api.Arbitrary;
import net.jqwik.api.Example;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.Provide;
import net.jqwik.api.constraints.IntRange;

/** What proxies answer to CONNECT, and what others would. */
class ConnectAnswerTest {
  private static final HttpProxy PROXY =
      new HttpProxy("proxy.example", 3128, "Basic c2VjcmV0", false);
  private static final String OK = "HTTP/1.1 200 Connection established\r\n\r\n";

  @Example
  void aTunnelIsAnyStatusFrom200To299() {
    for (String head :
        List.of(
            OK,
            "HTTP/1.0 200\n\n",
            "HTTP/1.1 200 \r\nA: b\r\nContent-Length: 5\r\n\r\n",
            "HTTP/1.1 299 x\r\n\r\n",
            "HTTP/1.1 100 Continue\r\n\r\n" + OK,
            "HTTP/1.1 100 Continue\r\nA: b\r\n\r\nHTTP/1.1 103\r\n\r\n" + OK)) {
      ConnectAnswer answer = new ConnectAnswer();
      ByteBuf bytes = bytes(head + "rest");
      assertThat(answer.read(bytes)).as(head).isTrue();
      assertThat(answer.isTunnel()).as(head).isTrue();
      assertThat(bytes.toString(ISO_8859_1)).isEqualTo("rest");
    }
  }

  @Example
  void theFaultIsTheProxysUnlessItSaysOtherwise() {
    check("407 Auth", "", false, false, "does not accept the credentials it was given: 407 Auth");
    check("403 Forbidden", "", false, false, "must allow CONNECT to this port and address");
    check("301 Moved", "Location: http://a", false, false, "refused a tunnel to 1.2.3.4:443: 301");
    check("405", "", false, false, "refused a tunnel to 1.2.3.4:443: 405");
    for (String status : List.of("500 x", "502 Bad Gateway", "503 x", "504 x")) {
      check(status, "", false, true, "made no tunnel to 1.2.3.4:443: " + status);
      check(status, "X-Squid-Error: ERR_CONNECT_FAIL 111", true, true, ", ERR_CONNECT_FAIL 111");
      check(status, "x-squid-error: ERR_DNS_FAIL 0", true, true, ", ERR_DNS_FAIL 0");
      check(status, "X-Squid-Error: ERR_CANNOT_FORWARD 0", false, true, "made no tunnel");
      check(status, "Proxy-Status: p; error=dns_error; rcode=\"x\"", true, true, ", dns_error");
      check(status, "proxy-status: a, b;error=Connection_Refused", true, true, "_refused");
      check(status, "Proxy-Status: p; error=proxy_internal_error", false, true, "made no");
      check(status, "X-Other: error=connection_refused", false, true, "made no tunnel");
    }
    check("503 " + "x".repeat(500), "", false, true, ": 503 " + "x".repeat(80));
  }

  private static void check(
      String status, String header, boolean ofEndpoint, boolean another, String detail) {
    ConnectAnswer answer = new ConnectAnswer();
    String head =
        "HTTP/1.1 " + status + "\r\n" + (header.isEmpty() ? "" : header + "\r\n") + "\r\n";
    assertThat(answer.read(bytes(head))).isTrue();
    assertThat(answer.isTunnel()).isFalse();
    TunnelException fault = answer.refusal(PROXY, "1.2.3.4:443");
    assertThat(fault.isOfEndpoint()).as(head).isEqualTo(ofEndpoint);
    assertThat(fault.isWorthAnotherAddress()).as(head).isEqualTo(another);
    assertThat(fault).hasMessageContaining(detail).hasMessageContaining("proxy.example:3128");
    assertThat(fault.getMessage()).doesNotContain("c2VjcmV0");
  }

  @Example
  void whatIsNoHttpIsNamedAtOnce() {
    for (String garbage :
        List.of(
            "\u0015\u0003\u0001", "SSH-2.0", "HTTP/2", "\r\n", "HTTP/1.1\r\n", "hTTP/1.1 200")) {
      assertThatThrownBy(() -> new ConnectAnswer().read(bytes(garbage)))
          .as(garbage)
          .isInstanceOf(IllegalArgumentException.class)
          .hasMessageStartingWith("it does not begin with ");
    }
    for (String garbage :
        List.of("HTTP/1.1 2000 OK\n", "HTTP/1.1 099 x\n", "HTTP/1.2 200 x\n", "HTTP/1.1 200x\n")) {
      assertThatThrownBy(() -> new ConnectAnswer().read(bytes(garbage)))
          .as(garbage)
          .hasMessage("it does not begin with a status line");
    }
  }

  @Example
  void aHeadWithoutEndIsCutOff() {
    for (String more : List.of("a", "A: b\r\n", "\r\nHTTP/1.1 100\r\n")) {
      ConnectAnswer answer = new ConnectAnswer();
      ByteBuf endless = bytes("HTTP/1.1 100 x\r\n" + more.repeat(20_000));
      assertThatThrownBy(() -> answer.read(endless))
          .as(more)
          .hasMessage("its head has more than 16384 bytes");
    }
  }

  @Property(tries = 3000)
  void noAnswerIsAnErrorAndItsPartsDoNotMatter(
      @ForAll("answers") String text, @ForAll @IntRange(min = 1, max = 9) int size) {
    assertThat(outcome(text, size)).isEqualTo(outcome(text, Integer.MAX_VALUE));
  }

  @Provide
  Arbitrary<String> answers() {
    Arbitrary<String> pieces =
        Arbitraries.oneOf(
            Arbitraries.of(
                "HTTP/1.", "1 ", "0 ", "200", "103", "503", " OK", "\r\n", "\n", "\r", ":", " "),
            Arbitraries.of("Proxy-Status: x;error=dns_error", "X-Squid-Error: ERR_DNS_FAIL 0"),
            Arbitraries.strings().withCharRange('\0', '\u00ff').ofMaxLength(4));
    return pieces.list().ofMaxSize(20).map(all -> String.join("", all));
  }

  /** What becomes of an answer that comes in parts of a size. */
  private static String outcome(String text, int size) {
    ConnectAnswer answer = new ConnectAnswer();
    ByteBuf bytes = bytes(text);
    try {
      while (bytes.isReadable()) {
        int length = Math.min(size, bytes.readableBytes());
        ByteBuf part = bytes.slice(bytes.readerIndex(), length);
        boolean complete = answer.read(part);
        bytes.skipBytes(length - part.readableBytes());
        if (complete) {
          return "after "
              + bytes.readerIndex()
              + (answer.isTunnel() ? ": tunnel" : answer.refusal(PROXY, "a:1").getMessage());
        }
      }
      return "incomplete";
    } catch (IllegalArgumentException e) {
      return String.valueOf(e.getMessage());
    }
  }

  private static ByteBuf bytes(String text) {
    return Unpooled.copiedBuffer(text, ISO_8859_1);
  }
}
