package dev.reprise.device.credential;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.net.URLDecoder;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.Base64;
import javax.crypto.Mac;
import javax.crypto.spec.SecretKeySpec;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

class SharedAccessSignatureTest {
  private static final String RESOURCE = "example.azure-devices.net/devices/device-7";
  private static final String KEY =
      Base64.getEncoder().encodeToString("0123456789abcdef0123456789abcdef".getBytes(UTF_8));
  private static final Instant NOW = Instant.ofEpochSecond(1_800_000_000L);

  private final SharedAccessSignature supplier =
      SharedAccessSignature.of(RESOURCE, KEY).withClock(InstantSource.fixed(NOW));

  /**
   * The signature was computed with OpenSSL: {@code printf '%s\n%s' "$resource" "$expiry" | openssl
   * dgst -sha256 -hmac 0123456789abcdef0123456789abcdef -binary | base64}.
   */
  @Test
  void tokenIsWhatOpenSslComputes() {
    assertThat(supplyAfter(null).secret())
        .isEqualTo(
            "SharedAccessSignature sr=example.azure-devices.net%2Fdevices%2Fdevice-7&sig="
                + "T7vw3Lv%2BTOmzQAG0KUNZYLeeR7Zru7oy%2BgeEfXji%2B2U%3D"
                + "&se=1800003600");
  }

  @Test
  void signatureCoversResourceAndExpiry() throws Exception {
    String token =
        supply(SharedAccessSignature.of("h/devices/ä b", KEY).withClock(InstantSource.fixed(NOW)))
            .secret();

    assertThat(token).startsWith("SharedAccessSignature sr=h%2Fdevices%2F%C3%A4+b&sig=");
    String signature = token.substring(token.indexOf("&sig=") + 5, token.indexOf("&se="));
    Mac mac = Mac.getInstance("HmacSHA256");
    mac.init(new SecretKeySpec(Base64.getDecoder().decode(KEY), "HmacSHA256"));
    assertThat(Base64.getDecoder().decode(URLDecoder.decode(signature, UTF_8)))
        .isEqualTo(mac.doFinal("h%2Fdevices%2F%C3%A4+b\n1800003600".getBytes(UTF_8)));
  }

  @Test
  void credentialSaysHowLongTheTokenHolds() {
    assertThat(supply(supplier).lifetime()).isEqualTo(Duration.ofHours(1));
    Credential brief = supply(supplier.withLifetime(Duration.ofMillis(90_500)));
    assertThat(brief.lifetime()).isEqualTo(Duration.ofSeconds(90));
    assertThat(brief.secret()).endsWith("&se=1800000090");
  }

  @Test
  void userNameIsGivenWithTheToken() {
    assertThat(supply(supplier).username()).isNull();
    assertThat(supply(supplier.withUsername("someone")).username()).isEqualTo("someone");
  }

  @Test
  void refusedTokenIsNotSuppliedAgainWithinTheSameSecond() {
    Credential first = supplyAfter(null);
    Credential second = supplyAfter(first);

    assertThat(second.secret()).isNotEqualTo(first.secret()).endsWith("&se=1800003601");
  }

  @Test
  void refusalIsNotFinal() {
    assertThat(supplier.isRenewable()).isTrue();
  }

  @Test
  void keyAndTokenAreNotPrinted() {
    assertThat(supplier.toString())
        .isEqualTo("SharedAccessSignature[" + RESOURCE + ", lifetime=PT1H]");
    assertThat(supplyAfter(null).toString()).doesNotContain("sig=");
  }

  @Test
  void keyThatIsNotBase64IsRefusedWithoutShowingIt() {
    assertThatThrownBy(() -> SharedAccessSignature.of(RESOURCE, "top secret!"))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessage("key is not Base64: must be the device's key as the hub shows it")
        .hasNoCause();
    assertThatThrownBy(() -> SharedAccessSignature.of(RESOURCE, ""))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessage("key is empty: must be the device's key in Base64");
  }

  @Test
  void lifetimeBelowOneSecondIsRefused() {
    assertThatThrownBy(() -> supplier.withLifetime(Duration.ofMillis(999)))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessage("lifetime is PT0.999S: must be >= PT1S");
  }

  private Credential supplyAfter(@Nullable Credential refused) {
    return supplier.supply(refused).toCompletableFuture().join();
  }

  private static Credential supply(CredentialSupplier supplier) {
    return supplier.supply(null).toCompletableFuture().join();
  }
}
