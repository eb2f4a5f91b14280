package dev.reprise.webhook;

import static java.nio.charset.StandardCharsets.ISO_8859_1;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.reprise.webhook.WebhookVerificationException.Reason;
import java.time.Instant;
import java.time.InstantSource;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import net.jqwik.api.Arbitraries;
import net.jqwik.api.Arbitrary;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.Provide;
import net.jqwik.api.constraints.LongRange;
import net.jqwik.api.constraints.Size;
import org.jspecify.annotations.Nullable;

/** Whatever is sent: it is taken as it was signed, and refused with a reason otherwise. */
class WebhookVerifierPropertiesTest {
  /** Those that take microseconds; Ed25519 takes a thousand times as long. */
  private static final WebhookSigner SIGNER =
      WebhookSigner.of(
          List.of(WebhookSecret.parse(Vectors.OTHER_SECRET), WebhookSecret.parse(Vectors.SECRET)));

  private static WebhookVerifier verifierAt(long seconds) {
    return WebhookVerifier.builder(Vectors.SECRET, Vectors.SVIX_PUBLIC)
        .clock(InstantSource.fixed(Instant.ofEpochSecond(seconds)))
        .build();
  }

  private static Map<String, String> signed(String id, long seconds, byte[] body) {
    Map<String, String> headers = new HashMap<>();
    headers.put(WebhookHeaders.ID, id);
    headers.put(WebhookHeaders.TIMESTAMP, String.valueOf(seconds));
    headers.put(WebhookHeaders.SIGNATURE, SIGNER.sign(id, seconds, body));
    return headers;
  }

  @Provide
  Arbitrary<String> ids() {
    return Arbitraries.strings().withCharRange('!', '~').excludeChars('.').ofMinLength(1);
  }

  /** Text that is nearly right, and text that is anything; null is an absent header. */
  @Provide
  Arbitrary<@Nullable String> values() {
    Arbitrary<String> near =
        Arbitraries.of(
                Vectors.ID,
                String.valueOf(Vectors.TIMESTAMP),
                Vectors.SIGNATURE,
                Vectors.SVIX_SIGNATURE,
                "v1,",
                "v1a,",
                " ",
                ",",
                "=",
                ".",
                "\u0000",
                "\ud800")
            .list()
            .ofMaxSize(20)
            .map(parts -> String.join("", parts));
    return Arbitraries.oneOf(near, Arbitraries.strings()).injectNull(0.1);
  }

  @Property
  void arbitraryHeadersAreOnlyEverRefused(
      @ForAll("values") @Nullable String id,
      @ForAll("values") @Nullable String timestamp,
      @ForAll("values") @Nullable String signature,
      @ForAll byte[] body) {
    Map<String, String> headers = new HashMap<>();
    headers.put(WebhookHeaders.ID, id);
    headers.put(WebhookHeaders.TIMESTAMP, timestamp);
    headers.put(WebhookHeaders.SIGNATURE, signature);

    assertThatThrownBy(() -> verifierAt(Vectors.TIMESTAMP).verify(headers::get, body))
        .isExactlyInstanceOf(WebhookVerificationException.class);
  }

  @Property
  void arbitrarySignaturesOfAGoodMessageDoNotMatch(
      @ForAll("values") @Nullable String signature, @ForAll byte[] body) {
    Map<String, String> headers = signed("other", Vectors.TIMESTAMP, body);
    headers.put(WebhookHeaders.SIGNATURE, signature);

    assertThatThrownBy(() -> verifierAt(Vectors.TIMESTAMP).verify(headers::get, body))
        .isExactlyInstanceOf(WebhookVerificationException.class)
        .extracting(e -> ((WebhookVerificationException) e).reason())
        .isEqualTo(signature == null ? Reason.MISSING_HEADER : Reason.NO_MATCHING_SIGNATURE);
  }

  @Property
  void whatIsSignedIsVerified(
      @ForAll("ids") String id,
      @ForAll @LongRange(min = 0, max = 999_999_999_999L) long seconds,
      @ForAll @LongRange(min = -300, max = 300) long late,
      @ForAll byte[] body)
      throws Exception {
    Map<String, String> headers = signed(id, seconds, body);

    VerifiedWebhook message = verifierAt(seconds + late).verify(headers::get, body);

    assertThat(message).isEqualTo(new VerifiedWebhook(id, Instant.ofEpochSecond(seconds)));
  }

  @Property(tries = 50)
  void whatIsSignedWithThePrivateKeyIsVerified(@ForAll("ids") String id, @ForAll byte[] body)
      throws Exception {
    Map<String, String> headers = signed(id, Vectors.TIMESTAMP, body);
    headers.put(
        WebhookHeaders.SIGNATURE,
        WebhookSigner.of(WebhookSecret.parse(Vectors.SVIX_PRIVATE))
            .sign(id, Vectors.TIMESTAMP, body));

    assertThat(verifierAt(Vectors.TIMESTAMP).verify(headers::get, body).id()).isEqualTo(id);
    assertThatThrownBy(
            () ->
                verifierAt(Vectors.TIMESTAMP).verify(headers::get, concat(body, new byte[] {'\n'})))
        .isExactlyInstanceOf(WebhookVerificationException.class);
  }

  @Property
  void oneOtherBitOfTheBodyIsNoticed(
      @ForAll("ids") String id,
      @ForAll @Size(min = 1) byte[] body,
      @ForAll @LongRange(min = 0) long at) {
    Map<String, String> headers = signed(id, Vectors.TIMESTAMP, body);
    byte[] changed = body.clone();
    changed[(int) (at % body.length)] ^= (byte) (1 << (at % 8));

    assertThatThrownBy(() -> verifierAt(Vectors.TIMESTAMP).verify(headers::get, changed))
        .isExactlyInstanceOf(WebhookVerificationException.class);
  }

  @Property
  void anotherIdOrTimeIsNoticed(
      @ForAll("ids") String id,
      @ForAll("ids") String other,
      @ForAll @LongRange(min = 1, max = 300) long seconds) {
    Map<String, String> headers = signed(id, Vectors.TIMESTAMP, Vectors.BODY);
    headers.put(WebhookHeaders.ID, id.equals(other) ? id + "x" : other);
    Map<String, String> later = signed(id, Vectors.TIMESTAMP, Vectors.BODY);
    later.put(WebhookHeaders.TIMESTAMP, String.valueOf(Vectors.TIMESTAMP + seconds));

    for (Map<String, String> changed : List.of(headers, later)) {
      assertThatThrownBy(() -> verifierAt(Vectors.TIMESTAMP).verify(changed::get, Vectors.BODY))
          .isExactlyInstanceOf(WebhookVerificationException.class);
    }
  }

  /** No part of the body can be moved into the headers, or the other way. */
  @Property
  void signedBytesAreDividedInOneWay(
      @ForAll("ids") String id,
      @ForAll @LongRange(min = 0, max = 600) long offset,
      @ForAll byte[] rest) {
    long inside = Vectors.TIMESTAMP - 300 + offset;
    byte[] body = concat((inside + ".").getBytes(ISO_8859_1), rest);
    Map<String, String> headers = signed(id, Vectors.TIMESTAMP, body);
    headers.put(WebhookHeaders.ID, id + "." + Vectors.TIMESTAMP);
    headers.put(WebhookHeaders.TIMESTAMP, String.valueOf(inside));

    assertThatThrownBy(() -> verifierAt(Vectors.TIMESTAMP).verify(headers::get, rest))
        .isExactlyInstanceOf(WebhookVerificationException.class);
  }

  private static byte[] concat(byte[] first, byte[] second) {
    byte[] both = Arrays.copyOf(first, first.length + second.length);
    System.arraycopy(second, 0, both, first.length, second.length);
    return both;
  }
}
