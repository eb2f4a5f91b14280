package dev.reprise.webhook;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.junit.jupiter.params.provider.Arguments.arguments;

import java.util.ArrayList;
import java.util.Base64;
import java.util.Collections;
import java.util.HexFormat;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.concurrent.CyclicBarrier;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;

class WebhookSignerTest {
  private static final WebhookSecret SYMMETRIC = WebhookSecret.parse(Vectors.SECRET);

  static List<Arguments> vectors() {
    return List.of(
        arguments(Vectors.SECRET, Vectors.SIGNATURE),
        arguments(Vectors.GO_PRIVATE, Vectors.GO_SIGNATURE),
        arguments(Vectors.SVIX_PRIVATE, Vectors.SVIX_SIGNATURE),
        arguments(Vectors.SVIX_SEED, Vectors.SVIX_SIGNATURE));
  }

  @ParameterizedTest
  @MethodSource("vectors")
  void vectorsOfOthers(String secret, String signature) {
    assertThat(
            WebhookSigner.of(WebhookSecret.parse(secret))
                .sign(Vectors.ID, Vectors.TIMESTAMP, Vectors.BODY))
        .isEqualTo(signature);
  }

  /** RFC 4231 test case 4: the only one whose key is long enough. */
  @Test
  void hmacIsThatOfTheRfc() {
    byte[] key = HexFormat.of().parseHex("0102030405060708090a0b0c0d0e0f10111213141516171819");
    byte[] data = HexFormat.of().parseHex("cd".repeat(50));
    byte[] expected =
        HexFormat.of().parseHex("82558a389a443c0ea4cc819899f2083a85f0faa3e578f8077a2e3ff46729665b");

    assertThat(
            HmacKey.parse("whsec_" + Base64.getEncoder().encodeToString(key))
                .sign(new byte[0], data))
        .isEqualTo("v1," + Base64.getEncoder().encodeToString(expected));
  }

  @Test
  void allSecretsSignTheNewestFirst() {
    WebhookSigner signer =
        WebhookSigner.of(List.of(WebhookSecret.parse(Vectors.SVIX_SEED), SYMMETRIC));

    assertThat(signer.sign(Vectors.ID, Vectors.TIMESTAMP, Vectors.BODY))
        .isEqualTo(Vectors.SVIX_SIGNATURE + " " + Vectors.SIGNATURE);
  }

  @Test
  void thereAreOneToSixteenSecrets() {
    assertThatThrownBy(() -> WebhookSigner.of(List.of()))
        .isExactlyInstanceOf(IllegalArgumentException.class)
        .hasMessage("secrets is a list of 0: must be 1 to 16");
    assertThatThrownBy(() -> WebhookSigner.of(Collections.nCopies(17, SYMMETRIC)))
        .isExactlyInstanceOf(IllegalArgumentException.class)
        .hasMessage("secrets is a list of 17: must be 1 to 16");
    String header =
        WebhookSigner.of(Collections.nCopies(16, SYMMETRIC))
            .sign(Vectors.ID, Vectors.TIMESTAMP, Vectors.BODY);
    assertThat(header.split(" ")).hasSize(16).containsOnly(Vectors.SIGNATURE);
  }

  @Test
  void laterChangesOfTheListChangeNothing() {
    List<WebhookSecret> secrets = new ArrayList<>(List.of(SYMMETRIC));
    WebhookSigner signer = WebhookSigner.of(secrets);
    secrets.clear();

    assertThat(signer.sign(Vectors.ID, Vectors.TIMESTAMP, Vectors.BODY))
        .isEqualTo(Vectors.SIGNATURE);
  }

  @ParameterizedTest
  @ValueSource(strings = {"", ".", "a.b", "msg.", " ", "a b", "a\nb", "ä", "\u007f", "a\u0000"})
  void idsThatCouldBeReadInTwoWaysAreRefused(String id) {
    WebhookSigner signer = WebhookSigner.of(SYMMETRIC);

    assertThatThrownBy(() -> signer.sign(id, Vectors.TIMESTAMP, Vectors.BODY))
        .isExactlyInstanceOf(IllegalArgumentException.class)
        .hasMessage(
            "id is " + id + ": must be visible ASCII characters, at least one, none of them '.'");
  }

  @Test
  void timestampsBefore1970AreRefused() {
    WebhookSigner signer = WebhookSigner.of(SYMMETRIC);

    assertThatThrownBy(() -> signer.sign(Vectors.ID, -1, Vectors.BODY))
        .isExactlyInstanceOf(IllegalArgumentException.class)
        .hasMessage("timestampSeconds is -1: must be >= 0");
    assertThat(signer.sign(Vectors.ID, 0, new byte[0])).startsWith("v1,");
  }

  @Test
  void threadsDoNotDisturbEachOther() throws Exception {
    int threads = 4;
    List<WebhookSecret> secrets = List.of(SYMMETRIC, WebhookSecret.parse(Vectors.OTHER_SECRET));
    WebhookSigner signer = WebhookSigner.of(secrets);
    String expected = signer.sign(Vectors.ID, Vectors.TIMESTAMP, Vectors.BODY);
    CyclicBarrier start = new CyclicBarrier(threads);
    Callable<Boolean> work =
        () -> {
          start.await(300, TimeUnit.SECONDS);
          boolean same = true;
          for (int i = 0; i < 2_000; i++) {
            same &= signer.sign(Vectors.ID, Vectors.TIMESTAMP, Vectors.BODY).equals(expected);
          }
          return same;
        };
    ExecutorService executor = Executors.newFixedThreadPool(threads);
    try {
      List<Future<Boolean>> results = new ArrayList<>();
      for (int i = 0; i < threads; i++) {
        results.add(executor.submit(work));
      }
      for (Future<Boolean> result : results) {
        assertThat(result.get(300, TimeUnit.SECONDS)).isTrue();
      }
    } finally {
      executor.shutdownNow();
    }
  }
}
