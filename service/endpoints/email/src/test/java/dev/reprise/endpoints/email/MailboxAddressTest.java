package dev.reprise.endpoints.email;

import static org.assertj.core.api.Assertions.assertThat;

import dev.reprise.delivery.Protocol;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class MailboxAddressTest {
  @ParameterizedTest
  @CsvSource(
      quoteCharacter = '`',
      value = {
        "ann@example.com, ann@example.com",
        "Ann.B+x@Example.com, Ann.B+x@Example.com",
        "a!#$%&'*+/=?^_{|}~-@example.com, a!#$%&'*+/=?^_{|}~-@example.com",
        "\"john doe\"@example.com, \"john doe\"@example.com",
        "\"a@b\"@example.com, \"a@b\"@example.com",
        "ann@bücher.example, ann@xn--bcher-kva.example",
        "ann@例え.jp, ann@xn--r8jz45g.jp",
        "ann@fußball.de, ann@xn--fuball-cta.de",
        "ann@βόλος.com, ann@xn--nxasmm1c.com",
        "ann@😀.ws, ann@xn--e28h.ws",
        "root@localhost, root@localhost",
        "ann@3com.example, ann@3com.example"
      })
  void mailboxesAreTakenInAscii(String text, String ascii) {
    assertThat(MailboxAddress.ascii(text)).isEqualTo(ascii);
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "",
        "ann",
        "@example.com",
        "ann@",
        "Ann <ann@example.com>",
        "<ann@example.com>",
        "ann@example.com, bob@example.com",
        "ann@example.com\r\nBcc: bob@example.com",
        "ann\r\n@example.com",
        "\"ann\r\nRCPT TO:<x>\"@example.com",
        "ann@example.com\n",
        ".ann@example.com",
        "ann.@example.com",
        "a..b@example.com",
        "änn@example.com",
        "ann@exa mple.com",
        "ann@-example.com",
        "ann@\u200cb.de",
        "ann@example..com",
        "ann@example.com.",
        "ann@[192.0.2.1]",
        "ann@192.0.2.1",
        "ann@example.com>",
        "\"ann@example.com",
        "\"a>: Sender address rejected: \"@example.com",
        "\"a\\>b\"@example.com"
      })
  void otherTextIsRefused(String text) {
    assertThat(MailboxAddress.ascii(text)).isNull();
    assertThat(new SmtpType().endpointProblem(Protocol.EMAIL, text)).isEqualTo(MailboxAddress.RULE);
  }

  @Test
  void lengthsHaveBounds() {
    String domain = ("a".repeat(60) + ".").repeat(3) + "example";

    assertThat(MailboxAddress.ascii("a".repeat(64) + "@example.com")).isNotNull();
    assertThat(MailboxAddress.ascii("a".repeat(65) + "@example.com")).isNull();
    assertThat(MailboxAddress.ascii("a".repeat(63) + "@" + domain)).hasSize(254);
    assertThat(MailboxAddress.ascii("a".repeat(64) + "@" + domain)).isNull();
    assertThat(MailboxAddress.ascii("ann@" + "a".repeat(64) + ".com")).isNull();
    // Short enough as it is written, but not in ASCII.
    assertThat(
            MailboxAddress.ascii("a".repeat(60) + "@" + ("例え".repeat(8) + ".").repeat(10) + "jp"))
        .isNull();
  }

  @Property(tries = 1000)
  void whatIsTakenIsOneWordOfAscii(@ForAll String local, @ForAll String domain) {
    String ascii = MailboxAddress.ascii(local + "@" + domain);

    if (ascii != null) {
      assertThat(ascii).matches("[ -~]{3,254}");
    }
  }
}
