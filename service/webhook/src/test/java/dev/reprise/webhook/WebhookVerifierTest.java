package dev.reprise.webhook;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import dev.reprise.testkit.VirtualClock;
import dev.reprise.webhook.WebhookVerificationException.Reason;
import java.time.Duration;
import java.time.Instant;
import java.util.Arrays;
import java.util.Collections;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class WebhookVerifierTest {
  private static final String WRONG = "v1,Ceo5qEr07ixe2NLpvHk3FH9bwy/WavXrAFQ/9tdO6mc=";

  private final VirtualClock clock = new VirtualClock(0, Instant.ofEpochSecond(Vectors.TIMESTAMP));
  private final Map<String, String> headers =
      new HashMap<>(
          Map.of(
              WebhookHeaders.ID, Vectors.ID,
              WebhookHeaders.TIMESTAMP, String.valueOf(Vectors.TIMESTAMP),
              WebhookHeaders.SIGNATURE, Vectors.SIGNATURE));

  private WebhookVerifier verifier(String... keys) {
    return WebhookVerifier.builder(keys).clock(clock.wallClock()).build();
  }

  private Reason refusal(WebhookVerifier verifier) {
    return refusal(verifier, Vectors.BODY);
  }

  private Reason refusal(WebhookVerifier verifier, byte[] body) {
    return catchThrowableOfType(
            WebhookVerificationException.class, () -> verifier.verify(headers::get, body))
        .reason();
  }

  private String messageOfRefusal() {
    return catchThrowableOfType(
            WebhookVerificationException.class,
            () -> verifier(Vectors.SECRET).verify(headers::get, Vectors.BODY))
        .getMessage();
  }

  @Test
  void signatureOfTheKeyIsTaken() throws Exception {
    VerifiedWebhook message = verifier(Vectors.SECRET).verify(headers::get, Vectors.BODY);

    assertThat(message)
        .isEqualTo(new VerifiedWebhook(Vectors.ID, Instant.ofEpochSecond(Vectors.TIMESTAMP)));
  }

  @ParameterizedTest
  @ValueSource(strings = {Vectors.SVIX_SIGNATURE, WRONG + " " + Vectors.SVIX_SIGNATURE})
  void signatureOfThePrivateKeyIsTaken(String signature) throws Exception {
    headers.put(WebhookHeaders.SIGNATURE, signature);

    VerifiedWebhook message = verifier(Vectors.SVIX_PUBLIC).verify(headers::get, Vectors.BODY);

    assertThat(message.id()).isEqualTo(Vectors.ID);
  }

  @Test
  void oneKeyIsEnoughWhileASecretIsReplaced() throws Exception {
    WebhookSigner overlap =
        WebhookSigner.of(
            List.of(
                WebhookSecret.parse(Vectors.SVIX_PRIVATE),
                WebhookSecret.parse(Vectors.SECRET),
                WebhookSecret.parse(Vectors.OTHER_SECRET)));
    headers.put(
        WebhookHeaders.SIGNATURE, overlap.sign(Vectors.ID, Vectors.TIMESTAMP, Vectors.BODY));

    for (String key : List.of(Vectors.SVIX_PUBLIC, Vectors.SECRET, Vectors.OTHER_SECRET)) {
      assertThat(verifier(key).verify(headers::get, Vectors.BODY).id()).isEqualTo(Vectors.ID);
    }
  }

  @Test
  void receiverMayKnowSeveralKeys() throws Exception {
    WebhookVerifier verifier = verifier(Vectors.OTHER_SECRET, Vectors.SVIX_PUBLIC, Vectors.SECRET);

    assertThat(verifier.verify(headers::get, Vectors.BODY).id()).isEqualTo(Vectors.ID);
  }

  @Test
  void otherKeyDoesNotMatch() {
    assertThat(refusal(verifier(Vectors.OTHER_SECRET, Vectors.SVIX_PUBLIC)))
        .isEqualTo(Reason.NO_MATCHING_SIGNATURE);
  }

  @ParameterizedTest
  @CsvSource({
    "webhook-id, msg_p5jXN8AQM9LWM0D4loKWxJel",
    "webhook-id, msg_p5jXN8AQM9LWM0D4loKWxJe",
    "webhook-timestamp, 1614265331",
    "webhook-timestamp, 1614265329",
    "webhook-signature, 'v1,G0hM9SsE+OTPJTGt/tmIKtSyZlE3uFJELVlNIOLJ1OE='",
    "webhook-signature, 'v1,g0hM9SsE+OTPJTGt/tmIKtSyZlE3uFJELVlNIOLJ1OE'",
    "webhook-signature, 'v1,g0hM9SsE+OTPJTGt/tmIKtSyZlE3uFJELVlNIOLJ1OF='",
    "webhook-signature, 'v1a,g0hM9SsE+OTPJTGt/tmIKtSyZlE3uFJELVlNIOLJ1OE='",
    "webhook-signature, 'v2,g0hM9SsE+OTPJTGt/tmIKtSyZlE3uFJELVlNIOLJ1OE='",
    "webhook-signature, 'g0hM9SsE+OTPJTGt/tmIKtSyZlE3uFJELVlNIOLJ1OE='",
    "webhook-signature, 'v1,'",
    "webhook-signature, 'v1'",
    "webhook-signature, 'v1,v1,v1, ,'",
    "webhook-signature, ''",
    "webhook-signature, '     '",
  })
  void whatWasChangedDoesNotMatch(String name, String value) {
    headers.put(name, value);

    assertThat(refusal(verifier(Vectors.SECRET, Vectors.SVIX_PUBLIC)))
        .isEqualTo(Reason.NO_MATCHING_SIGNATURE);
  }

  @ParameterizedTest
  @ValueSource(strings = {"", "{\"test\": 2432232315}", "{\"test\":2432232314}", " "})
  void changedBodyDoesNotMatch(String body) {
    headers.merge(WebhookHeaders.SIGNATURE, " " + Vectors.SVIX_SIGNATURE, String::concat);

    assertThat(refusal(verifier(Vectors.SECRET, Vectors.SVIX_PUBLIC), body.getBytes(UTF_8)))
        .isEqualTo(Reason.NO_MATCHING_SIGNATURE);
  }

  @ParameterizedTest
  @ValueSource(strings = {"webhook-id", "webhook-timestamp", "webhook-signature"})
  void everyHeaderIsNeeded(String name) {
    headers.remove(name);

    assertThat(refusal(verifier(Vectors.SECRET))).isEqualTo(Reason.MISSING_HEADER);
    assertThat(messageOfRefusal()).isEqualTo(name + " is missing");
  }

  /** Signed bytes that another division would turn into a younger message with another body. */
  @Test
  void signedBytesCannotBeDividedInAnotherWay() {
    String id = "msg";
    byte[] body = (Vectors.TIMESTAMP + ".{}").getBytes(UTF_8);
    String signature = WebhookSigner.of(WebhookSecret.parse(Vectors.SECRET)).sign(id, 1, body);
    headers.put(WebhookHeaders.ID, "msg.1");
    headers.put(WebhookHeaders.SIGNATURE, signature);

    assertThat(refusal(verifier(Vectors.SECRET), "{}".getBytes(UTF_8)))
        .isEqualTo(Reason.MALFORMED_ID);
  }

  @ParameterizedTest
  @ValueSource(strings = {"", "a b", "a\nb", "ä", "msg."})
  void malformedIdsAreRefused(String id) {
    headers.put(WebhookHeaders.ID, id);

    assertThat(refusal(verifier(Vectors.SECRET))).isEqualTo(Reason.MALFORMED_ID);
    assertThat(messageOfRefusal())
        .isEqualTo("webhook-id must be visible ASCII characters, at least one, none of them '.'");
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "",
        " ",
        "-1",
        "+1614265330",
        " 1614265330",
        "1614265330 ",
        "01614265330",
        "1614265330.0",
        "1614265330s",
        "0x10",
        "1e9",
        "9223372036854775807",
        "9223372036854775808",
        "99999999999999999999999999",
        "١٦١٤٢٦٥٣٣٠",
        "2021-02-25T15:02:10Z"
      })
  void malformedTimestampsAreRefused(String timestamp) {
    headers.put(WebhookHeaders.TIMESTAMP, timestamp);

    assertThat(refusal(verifier(Vectors.SECRET))).isEqualTo(Reason.MALFORMED_TIMESTAMP);
  }

  @ParameterizedTest
  @CsvSource({
    "PT0S, ",
    "PT5M, ",
    "PT5M0.999S, ",
    "PT5M1S, TOO_OLD",
    "PT24H, TOO_OLD",
    "-PT5M, ",
    "-PT5M0.001S, TOO_NEW",
    "-PT24H, TOO_NEW",
  })
  void fiveMinutesAreToleratedInBothDirections(Duration late, Reason reason) throws Exception {
    clock.shiftWall(late);
    WebhookVerifier verifier = verifier(Vectors.SECRET);

    if (reason == null) {
      assertThat(verifier.verify(headers::get, Vectors.BODY).id()).isEqualTo(Vectors.ID);
    } else {
      assertThat(refusal(verifier)).isEqualTo(reason);
    }
  }

  @Test
  void refusalOfATimeTellsBothClocks() {
    clock.shiftWall(Duration.ofSeconds(301));

    assertThat(messageOfRefusal())
        .isEqualTo(
            "webhook-timestamp is 1614265330: must be within 300 s of this receiver's 1614265631");
  }

  @ParameterizedTest
  @CsvSource({"PT1S, 1, ", "PT1.9S, 2, TOO_OLD", "P1D, 86400, ", "P1D, 86401, TOO_OLD"})
  void toleranceCanBeSet(Duration tolerance, long lateSeconds, Reason reason) throws Exception {
    clock.shiftWall(Duration.ofSeconds(lateSeconds));
    WebhookVerifier verifier =
        WebhookVerifier.builder(Vectors.SECRET)
            .clock(clock.wallClock())
            .tolerance(tolerance)
            .build();

    if (reason == null) {
      assertThat(verifier.verify(headers::get, Vectors.BODY).id()).isEqualTo(Vectors.ID);
    } else {
      assertThat(refusal(verifier)).isEqualTo(reason);
    }
  }

  @ParameterizedTest
  @ValueSource(strings = {"PT0S", "PT0.999S", "-PT1S", "PT24H0.001S", "PT2562047788015215H"})
  void toleranceHasBounds(Duration tolerance) {
    WebhookVerifier.Builder builder = WebhookVerifier.builder(Vectors.SECRET);

    assertThatThrownBy(() -> builder.tolerance(tolerance))
        .isExactlyInstanceOf(IllegalArgumentException.class)
        .hasMessage("tolerance is " + tolerance + ": must be from PT1S to P1D");
  }

  @ParameterizedTest
  @CsvSource({"webhook-id", "Webhook-Id", "WEBHOOK-ID"})
  void namesInAMapAreOfAnyCase(String name) throws Exception {
    Map<String, List<String>> map = new HashMap<>();
    map.put(null, List.of("HTTP/1.1 200 OK"));
    map.put("Webhook-Signature", List.of(Vectors.SIGNATURE, "ignored"));
    map.put("WEBHOOK-TIMESTAMP", List.of(String.valueOf(Vectors.TIMESTAMP)));
    map.put("content-type", List.of());
    map.put(name, List.of(Vectors.ID));

    assertThat(verifier(Vectors.SECRET).verify(map, Vectors.BODY).id()).isEqualTo(Vectors.ID);
  }

  @Test
  void headerWithoutAValueIsMissing() {
    for (List<String> none :
        Arrays.asList(null, List.<String>of(), Collections.<String>singletonList(null))) {
      Map<String, List<String>> map = new HashMap<>();
      headers.forEach((name, value) -> map.put(name, List.of(value)));
      map.put(WebhookHeaders.ID, none);

      assertThatThrownBy(() -> verifier(Vectors.SECRET).verify(map, Vectors.BODY))
          .isExactlyInstanceOf(WebhookVerificationException.class)
          .hasMessage("webhook-id is missing");
    }
  }

  @Test
  void unknownVersionsAreIgnored() throws Exception {
    headers.put(WebhookHeaders.SIGNATURE, "v2,x  v1b,AAAA , v1 " + Vectors.SIGNATURE + " v3,");

    assertThat(verifier(Vectors.SECRET).verify(headers::get, Vectors.BODY).id())
        .isEqualTo(Vectors.ID);
  }

  @Test
  void onlyTheFirstSixteenSignaturesAreLookedAt() throws Exception {
    headers.put(WebhookHeaders.SIGNATURE, (WRONG + " ").repeat(15) + Vectors.SIGNATURE);
    assertThat(verifier(Vectors.SECRET).verify(headers::get, Vectors.BODY).id())
        .isEqualTo(Vectors.ID);

    headers.put(WebhookHeaders.SIGNATURE, (WRONG + " ").repeat(16) + Vectors.SIGNATURE);
    assertThat(refusal(verifier(Vectors.SECRET))).isEqualTo(Reason.NO_MATCHING_SIGNATURE);
  }

  @Test
  void refusalShowsNothingThatTheRequestBrought() {
    headers.put(WebhookHeaders.SIGNATURE, "v1,evil\u001b[31m");

    assertThat(messageOfRefusal()).doesNotContain("evil", "MfKQ", Vectors.ID);
  }

  @ParameterizedTest
  @CsvSource({
    "'', must begin with whsec_ or whpk_",
    "secret, must begin with whsec_ or whpk_",
    "whsk_6Xb/dCcHpPea21PS1N9VY/NZW723CEc77N4rJCubMbc=, 'must be the public key, whpk_…'",
    "whsec_AAAA, 'must have 24 to 64 bytes, and has 3'",
    "whpk_AAAA, 'must have 32 bytes, and has 3'",
    "whpk_!, must be base64",
  })
  void keysOfOtherKindsAreRefusedAndNotShown(String key, String rule) {
    assertThatThrownBy(() -> WebhookVerifier.of(Vectors.SECRET, key))
        .isExactlyInstanceOf(IllegalArgumentException.class)
        .hasMessageStartingWith("key is ")
        .hasMessageContaining(rule)
        .extracting(Throwable::getMessage)
        .asString()
        .doesNotContain("6Xb", "AAAA", "secret");
  }

  @Test
  void thereIsAKey() {
    assertThatThrownBy(WebhookVerifier::of)
        .isExactlyInstanceOf(IllegalArgumentException.class)
        .hasMessage("keys is empty: must have at least one");
  }
}
