package dev.reprise.endpoints.email;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import dev.reprise.common.text.HarmlessText;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.constraints.IntRange;
import net.jqwik.api.constraints.StringLength;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;

class SmtpReplyTest {
  static Arguments[] replies() {
    return new Arguments[] {
      Arguments.of("550 5.1.1 user unknown", 550, "5.1.1", "550 5.1.1 user unknown"),
      Arguments.of("250 ok", 250, "", "250 ok"),
      Arguments.of("250", 250, "", "250 ok"),
      Arguments.of("421 ", 421, "", "421 service not available"),
      Arguments.of("550 5.1.1", 550, "5.1.1", "550 5.1.1 mailbox unavailable"),
      Arguments.of("550-5.7.1 one\r\n550 5.7.1 two\r\n", 550, "5.7.1", "550 5.7.1 one two"),
      Arguments.of("550-5.7.1 one\n550 5.7.2 two\n", 550, "5.7.1", "550 5.7.1 one two"),
      Arguments.of("451-one\r\n451 4.7.1 two", 451, "4.7.1", "451 4.7.1 one two"),
      Arguments.of("550 4.1.1 another class", 550, "", "550 4.1.1 another class"),
      Arguments.of("550 5.1.1234 no status", 550, "", "550 5.1.1234 no status"),
      Arguments.of("599 odd", 599, "", "599 odd"),
      Arguments.of("250-one\r\n550 two", 250, "", "250 one 550 two"),
      Arguments.of("550 a\u001b[31mred\u202eturned", 550, "", "550 a [31mred turned"),
      Arguments.of("550 Empfänger unbekannt", 550, "", "550 Empfänger unbekannt")
    };
  }

  @ParameterizedTest
  @MethodSource("replies")
  void repliesAreRead(String text, int code, String status, String line) {
    SmtpReply reply = SmtpReply.parse(text.getBytes(UTF_8));

    assertThat(reply).isNotNull();
    assertThat(reply.code()).isEqualTo(code);
    assertThat(reply.status()).isEqualTo(status);
    assertThat(reply).hasToString(line);
  }

  @ParameterizedTest
  @ValueSource(strings = {"", "25", "abc", "150 no", "650 no", "2500", "250+ok", "HTTP/1.1 200 OK"})
  void otherTextIsNoReply(String text) {
    assertThat(SmtpReply.parse(text.getBytes(UTF_8))).isNull();
  }

  @Property(tries = 500)
  void bytesOfStrangersDoNoHarm(@ForAll byte[] bytes) {
    harmless(SmtpReply.parse(bytes));
  }

  @Property(tries = 500)
  void textOfStrangersDoesNoHarm(
      @ForAll @IntRange(min = 200, max = 599) int code,
      @ForAll boolean more,
      @ForAll @StringLength(max = 300) String text) {
    SmtpReply reply = SmtpReply.parse((code + (more ? "-" : " ") + text).getBytes(UTF_8));

    assertThat(reply).isNotNull();
    assertThat(reply.code()).isEqualTo(code);
    harmless(reply);
  }

  private static void harmless(SmtpReply reply) {
    if (reply != null) {
      assertThat(reply.code()).isBetween(200, 599);
      assertThat(reply.status()).matches("|[245]\\.[0-9]{1,3}\\.[0-9]{1,3}");
      assertThat(reply.toString().codePointCount(0, reply.toString().length())).isLessThan(202);
      assertThat(reply.toString().codePoints().filter(HarmlessText::isHarmful)).isEmpty();
      for (SmtpStep step : SmtpStep.values()) {
        assertThat(SmtpVerdicts.of(step, reply, "ann@example.net")).isNotNull();
      }
    }
  }
}
