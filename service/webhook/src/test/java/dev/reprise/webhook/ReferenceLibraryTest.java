package dev.reprise.webhook;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatCode;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.standardwebhooks.Webhook;
import java.util.Base64;
import java.util.List;
import java.util.Map;
import net.jqwik.api.Arbitraries;
import net.jqwik.api.Arbitrary;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.Provide;
import net.jqwik.api.constraints.LongRange;
import net.jqwik.api.constraints.Size;
import org.junit.jupiter.api.Test;

/**
 * Against the library for Java of the authors of the specification. It verifies by the clock of the
 * system, so that what it is to verify is signed with that.
 */
class ReferenceLibraryTest {
  private static final String BODY = "{\"größe\": \"☃\"}";

  private static long nowSeconds() {
    return System.currentTimeMillis() / 1000;
  }

  private static Map<String, List<String>> headers(long seconds, String signatures) {
    return Map.of(
        WebhookHeaders.ID, List.of(Vectors.ID),
        WebhookHeaders.TIMESTAMP, List.of(String.valueOf(seconds)),
        WebhookHeaders.SIGNATURE, List.of(signatures));
  }

  @Provide
  Arbitrary<String> ids() {
    return Arbitraries.strings().withCharRange('!', '~').excludeChars('.').ofMinLength(1);
  }

  @Provide
  Arbitrary<String> bodies() {
    // Half a pair is no text, and has no bytes that both sides would agree upon.
    return Arbitraries.strings().filter(text -> UTF_8.newEncoder().canEncode(text));
  }

  @Test
  void itVerifiesWhatIsSigned() throws Exception {
    long now = nowSeconds();
    WebhookSigner overlap =
        WebhookSigner.of(
            List.of(
                WebhookSecret.parse(Vectors.SVIX_PRIVATE),
                WebhookSecret.parse(Vectors.OTHER_SECRET),
                WebhookSecret.parse(Vectors.SECRET)));
    Map<String, List<String>> headers =
        headers(now, overlap.sign(Vectors.ID, now, BODY.getBytes(UTF_8)));

    for (String known : List.of(Vectors.SECRET, Vectors.OTHER_SECRET)) {
      assertThatCode(() -> new Webhook(known).verify(BODY, headers)).doesNotThrowAnyException();
    }
    Webhook other = new Webhook(WebhookSecret.parse("whsec_" + "A".repeat(32)).reveal());
    assertThatThrownBy(() -> other.verify(BODY, headers))
        .isExactlyInstanceOf(com.standardwebhooks.exceptions.WebhookVerificationException.class);
  }

  @Test
  void whatItSignsIsVerified() throws Exception {
    long now = nowSeconds();
    String signature = new Webhook(Vectors.SECRET).sign(Vectors.ID, now, BODY);

    assertThat(
            WebhookVerifier.of(Vectors.SECRET)
                .verify(headers(now, signature), BODY.getBytes(UTF_8))
                .id())
        .isEqualTo(Vectors.ID);
  }

  @Property
  void bothSignAlike(
      @ForAll @Size(min = 24, max = 64) byte[] key,
      @ForAll("ids") String id,
      @ForAll @LongRange(min = 0) long seconds,
      @ForAll("bodies") String body)
      throws Exception {
    String secret = "whsec_" + Base64.getEncoder().encodeToString(key);

    assertThat(
            WebhookSigner.of(WebhookSecret.parse(secret)).sign(id, seconds, body.getBytes(UTF_8)))
        .isEqualTo(new Webhook(secret).sign(id, seconds, body));
  }
}
