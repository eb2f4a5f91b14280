package dev.reprise.webhook;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.reprise.testkit.SeededRandom;
import java.security.SecureRandom;
import java.util.Base64;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.constraints.Size;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class WebhookSecretTest {
  /** Random numbers that can be had again. */
  private static final class Seeded extends SecureRandom {
    private static final long serialVersionUID = 1L;

    private final transient SeededRandom random;

    Seeded(SeededRandom random) {
      this.random = random;
    }

    @Override
    public void nextBytes(byte[] bytes) {
      random.nextBytes(bytes);
    }
  }

  private static String symmetric(int bytes) {
    return "whsec_" + Base64.getEncoder().encodeToString(new byte[bytes]);
  }

  @ParameterizedTest
  @ValueSource(ints = {24, 25, 32, 64})
  void symmetricSecretsHave24To64Bytes(int bytes) {
    WebhookSecret secret = WebhookSecret.parse(symmetric(bytes));

    assertThat(secret.reveal()).isEqualTo(symmetric(bytes));
    assertThat(secret.publicKey()).isNull();
  }

  @ParameterizedTest
  @ValueSource(ints = {0, 1, 23, 65, 100})
  void otherLengthsAreRefused(int bytes) {
    assertThatThrownBy(() -> WebhookSecret.parse(symmetric(bytes)))
        .isExactlyInstanceOf(IllegalArgumentException.class)
        .hasMessage("key is whsec_…: must have 24 to 64 bytes, and has " + bytes);
  }

  @ParameterizedTest
  @ValueSource(ints = {0, 31, 33, 63, 65})
  void asymmetricSecretsHave32Or64Bytes(int bytes) {
    String text = "whsk_" + Base64.getEncoder().encodeToString(new byte[bytes]);

    assertThatThrownBy(() -> WebhookSecret.parse(text))
        .isExactlyInstanceOf(IllegalArgumentException.class)
        .hasMessage(
            "key is whsk_…: must have 32 bytes, or 64 with the public key, and has " + bytes);
  }

  @ParameterizedTest
  @CsvSource({
    "'', must begin with whsec_ or whsk_",
    "MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw, must begin with whsec_ or whsk_",
    "WHSEC_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw, must begin with whsec_ or whsk_",
    "' whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw', must begin with whsec_ or whsk_",
    "'whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw ', 'must be base64 after the prefix, and nothing"
        + " else'",
    "whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaS-, 'must be base64 after the prefix, and nothing else'",
    "whpk_1SiA4o9hyqTCpIqC5V9HUakiiaeACeqfZTInDBbOir4=, 'must be the private key, whsk_…'",
  })
  void otherTextIsRefusedAndNotShown(String text, String rule) {
    assertThatThrownBy(() -> WebhookSecret.parse(text))
        .isExactlyInstanceOf(IllegalArgumentException.class)
        .hasMessageContaining(rule)
        .hasNoCause()
        .extracting(Throwable::getMessage)
        .asString()
        .doesNotContain("MfKQ", "1SiA", "LaS");
  }

  @Test
  void bothFormsOfAPrivateKeyAreTheSameKey() {
    WebhookSecret long64 = WebhookSecret.parse(Vectors.SVIX_PRIVATE);
    WebhookSecret seed = WebhookSecret.parse(Vectors.SVIX_SEED);

    assertThat(long64.publicKey()).isEqualTo(Vectors.SVIX_PUBLIC);
    assertThat(seed.publicKey()).isEqualTo(Vectors.SVIX_PUBLIC);
    assertThat(long64.reveal()).isEqualTo(Vectors.SVIX_SEED);
  }

  @Test
  void publicHalfOfAnotherKeyIsRefused() {
    byte[] bytes = Base64.getDecoder().decode(Vectors.SVIX_PRIVATE.substring("whsk_".length()));
    bytes[40]++;

    assertThatThrownBy(
            () -> WebhookSecret.parse("whsk_" + Base64.getEncoder().encodeToString(bytes)))
        .isExactlyInstanceOf(IllegalArgumentException.class)
        .hasMessage("key is whsk_…: must end with the public key of its first 32 bytes");
  }

  @Test
  void nothingButRevealShowsASecret() {
    assertThat(WebhookSecret.parse(Vectors.SECRET)).hasToString("whsec_…");
    assertThat(WebhookSecret.parse(Vectors.SVIX_SEED))
        .hasToString("whsk_… of " + Vectors.SVIX_PUBLIC);
  }

  @Test
  void generatedSecretsAreReadBack() {
    SeededRandom.check(
        random -> {
          WebhookSecret symmetric = WebhookSecret.generateSymmetric(new Seeded(random));
          WebhookSecret asymmetric = WebhookSecret.generateAsymmetric(new Seeded(random));

          assertThat(symmetric.reveal()).startsWith("whsec_").hasSize("whsec_".length() + 44);
          assertThat(WebhookSecret.parse(symmetric.reveal()).reveal())
              .isEqualTo(symmetric.reveal())
              .isNotEqualTo(WebhookSecret.generateSymmetric(new Seeded(random)).reveal());
          assertThat(asymmetric.publicKey()).startsWith("whpk_");
          assertThat(WebhookSecret.parse(asymmetric.reveal()).publicKey())
              .isEqualTo(asymmetric.publicKey())
              .isNotEqualTo(WebhookSecret.generateAsymmetric(new Seeded(random)).publicKey());
        });
  }

  @Property
  void whatIsReadIsRevealed(@ForAll @Size(min = 24, max = 64) byte[] bytes) {
    String text = "whsec_" + Base64.getEncoder().encodeToString(bytes);

    assertThat(WebhookSecret.parse(text).reveal()).isEqualTo(text);
    assertThat(WebhookSecret.parse(text.replace("=", "")).reveal()).isEqualTo(text);
  }
}
