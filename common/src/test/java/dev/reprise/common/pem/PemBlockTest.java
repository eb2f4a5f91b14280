package dev.reprise.common.pem;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.security.KeyPairGenerator;
import java.security.PrivateKey;
import java.security.cert.CertificateException;
import java.security.spec.InvalidKeySpecException;
import java.util.Base64;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class PemBlockTest {
  /** On P-256, and the key that openssl has made it with. */
  private static final String CERTIFICATE =
      """
      -----BEGIN CERTIFICATE-----
      MIIBlDCCATugAwIBAgIUBA2gU/DoI+BPS4NIMbmsSmThTpUwCgYIKoZIzj0EAwIw
      FDESMBAGA1UEAwwJbG9jYWxob3N0MCAXDTI2MTEyOTA4MjcyNloYDzIxMjYxMTA1
      MDgyNzI2WjAUMRIwEAYDVQQDDAlsb2NhbGhvc3QwWTATBgcqhkjOPQIBBggqhkjO
      PQMBBwNCAAS/P/Tcgdv2JM8eZXFNQ0xAqcelZmWaX7GDO3yDj/OFExH0DiGfzXKg
      D97d6d6F77lA02vL5cTcUUn++EgjxMVTo2kwZzAdBgNVHQ4EFgQUNR1zlfzvtIAd
      0kDyVbPr8H1lOnAwHwYDVR0jBBgwFoAUNR1zlfzvtIAd0kDyVbPr8H1lOnAwDwYD
      VR0TAQH/BAUwAwEB/zAUBgNVHREEDTALgglsb2NhbGhvc3QwCgYIKoZIzj0EAwID
      RwAwRAIgDeyRAXGvsqhiflPd5R6OsIbzFE9fLGTZhYEVTC5zJ84CIDFM9RGr73Rn
      T0i9mMitQftaCb353b4my0sa+MrHNNLn
      -----END CERTIFICATE-----
      """;

  private static final String KEY =
      """
      -----BEGIN EC PARAMETERS-----
      BggqhkjOPQMBBw==
      -----END EC PARAMETERS-----
      -----BEGIN EC PRIVATE KEY-----
      MHcCAQEEIEHpFb9/arnXz9Wjq9/XGrEybWWqQdmrTrTi8DnmWd1goAoGCCqGSM49
      AwEHoUQDQgAEvz/03IHb9iTPHmVxTUNMQKnHpWZlml+xgzt8g4/zhRMR9A4hn81y
      oA/e3enehe+5QNNry+XE3FFJ/vhII8TFUw==
      -----END EC PRIVATE KEY-----
      """;

  @Test
  void aCertificateAndItsKeyAreRead() throws Exception {
    List<PemBlock> blocks = PemBlock.in("Subject: of people\n" + CERTIFICATE + KEY);

    assertThat(blocks)
        .extracting(PemBlock::label)
        .containsExactly("CERTIFICATE", "EC PARAMETERS", "EC PRIVATE KEY");
    assertThat(blocks).extracting(PemBlock::isCertificate).containsExactly(true, false, false);
    assertThat(blocks).extracting(PemBlock::isBesideKey).containsExactly(false, true, false);
    assertThat(blocks).extracting(PemBlock::isKey).containsExactly(false, false, true);
    assertThat(blocks).allMatch(block -> !block.toString().contains(block.base64().strip()));
    PrivateKey key = blocks.get(2).privateKey();
    assertThat(Certificates.isKeyOf(key, blocks.get(0).certificate())).isTrue();
    assertThat(Certificates.in(CERTIFICATE)).containsExactly(blocks.get(0).certificate());
  }

  @ParameterizedTest
  @ValueSource(strings = {"EC", "RSA", "Ed25519"})
  void aKeyOfAnotherPairIsNotThatOfACertificate(String algorithm) throws Exception {
    PrivateKey other = KeyPairGenerator.getInstance(algorithm).generateKeyPair().getPrivate();

    assertThat(Certificates.isKeyOf(other, Certificates.in(CERTIFICATE).get(0))).isFalse();
  }

  @Test
  void aKeyThatIsNeitherRsaNorEcIsRefused() throws Exception {
    byte[] key =
        KeyPairGenerator.getInstance("Ed25519").generateKeyPair().getPrivate().getEncoded();
    PemBlock block = new PemBlock("PRIVATE KEY", Base64.getEncoder().encodeToString(key));

    assertThatThrownBy(block::privateKey)
        .isInstanceOf(InvalidKeySpecException.class)
        .hasMessage("must be an RSA or an EC key");
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "-----BEGIN A",
        "-----BEGIN A-----",
        "-----BEGIN A-----\nAAAA\n-----END B-----",
        "-----BEGIN A-----\nAAAA\n-----BEGIN B-----\nAAAA\n-----END A-----",
        "-----BEGIN -----BEGIN -----BEGIN "
      })
  void aBlockWithoutItsLastLineHasNoContent(String text) {
    assertThat(PemBlock.in(text)).isNotEmpty().allMatch(block -> block.base64() == null);
    assertThat(PemBlock.in(text)).allMatch(block -> block.der() == null);
  }

  @Test
  void theNextBlockIsFoundBehindOneWithoutItsLastLine() {
    String text = "-----BEGIN A-----\nAAAA\n-----BEGIN B-----\r\nAAAA\r\n-----END B-----";

    assertThat(PemBlock.in(text)).extracting(PemBlock::label).containsExactly("A", "B");
    assertThat(PemBlock.in(text).get(1).der()).containsExactly(0, 0, 0);
  }

  @ParameterizedTest
  @ValueSource(strings = {"", " \n", "A", "AAA!", "Proc-Type: 4,ENCRYPTED\n\nAAAA"})
  void whatIsNotBase64IsNoContent(String base64) {
    assertThat(new PemBlock("CERTIFICATE", base64).der()).isNull();
    assertThatThrownBy(new PemBlock("CERTIFICATE", base64)::certificate)
        .isInstanceOf(CertificateException.class)
        .hasMessage("must be Base64");
    assertThatThrownBy(new PemBlock("PRIVATE KEY", base64)::privateKey)
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessage("must be Base64");
  }

  @ParameterizedTest
  @ValueSource(strings = {"", "no certificate", "-----BEGIN CERTIFICATE-----\nAAAA"})
  void aTextWithoutCertificatesIsRefused(String text) {
    assertThat(Certificates.areIn(text)).isFalse();
    assertThat(Certificates.areIn(CERTIFICATE + text)).isEqualTo(!text.contains("BEGIN"));
    assertThatThrownBy(() -> Certificates.in(text)).isInstanceOf(CertificateException.class);
  }

  @Test
  void noOtherCertificatesAreTrusted() throws Exception {
    var trusted = Certificates.trust(Certificates.in(CERTIFICATE + CERTIFICATE));

    assertThat(trusted.getTrustManagers()).hasSize(1);
    assertThat(Certificates.trust(null).getTrustManagers()).hasSize(1);
  }
}
