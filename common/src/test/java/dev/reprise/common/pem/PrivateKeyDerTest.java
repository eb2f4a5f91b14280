package dev.reprise.common.pem;

import static java.nio.charset.StandardCharsets.ISO_8859_1;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.security.KeyFactory;
import java.security.KeyPairGenerator;
import java.security.interfaces.ECPrivateKey;
import java.security.spec.PKCS8EncodedKeySpec;
import java.util.Arrays;
import java.util.HexFormat;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class PrivateKeyDerTest {
  /** A key on P-256 by RFC 5915: version, number, curve; without its public key. */
  private static final String SEC1 =
      "3031" + "020101" + "0420" + "01".repeat(32) + "a00a" + "06082a8648ce3d030107";

  @ParameterizedTest
  @ValueSource(ints = {512, 2048, 4096})
  void anRsaKeyIsWrapped(int bits) throws Exception {
    KeyPairGenerator generator = KeyPairGenerator.getInstance("RSA");
    generator.initialize(bits);
    byte[] pkcs8 = generator.generateKeyPair().getPrivate().getEncoded();
    int begin = new String(pkcs8, ISO_8859_1).indexOf("\u0005\u0000") + 2;
    // Behind the tag and the length of the octet string.
    int lengthBytes = (pkcs8[begin + 1] & 0x80) == 0 ? 0 : pkcs8[begin + 1] & 0x7f;
    byte[] pkcs1 = Arrays.copyOfRange(pkcs8, begin + 2 + lengthBytes, pkcs8.length);

    assertThat(PrivateKeyDer.pkcs8("RSA PRIVATE KEY", pkcs1)).isEqualTo(pkcs8);
    assertThat(PrivateKeyDer.pkcs8("PRIVATE KEY", pkcs8)).isEqualTo(pkcs8);
  }

  @Test
  void anEcKeyIsWrapped() throws Exception {
    byte[] pkcs8 = PrivateKeyDer.pkcs8("EC PRIVATE KEY", HexFormat.of().parseHex(SEC1));

    KeyFactory factory = KeyFactory.getInstance("EC");
    var key = (ECPrivateKey) factory.generatePrivate(new PKCS8EncodedKeySpec(pkcs8));
    assertThat(key.getS().toString(16)).isEqualTo("01".repeat(32).substring(1));
    assertThat(key.getParams().getCurve().getField().getFieldSize()).isEqualTo(256);
  }

  @ParameterizedTest
  @CsvSource({
    "'', must be an EC private key of SEC 1",
    "30, must be an EC private key of SEC 1",
    "3003020101, must be an EC private key of SEC 1",
    "30ffffffffffffff, must be an EC private key of SEC 1",
    "3085ffffffffff, must be an EC private key of SEC 1",
    "0420, must be an EC private key of SEC 1",
    "3006020101040101, must name its curve",
    "3008020101040101a000, must be an EC private key of SEC 1",
    "300a020101040101a0020500, must be an EC private key of SEC 1",
  })
  void whatIsNoEcKeyIsRefused(String hex, String rule) {
    byte[] der = HexFormat.of().parseHex(hex);
    assertThatThrownBy(() -> PrivateKeyDer.pkcs8("EC PRIVATE KEY", der))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessage(rule);
  }

  @Test
  void labelsAreToldApart() {
    assertThat(PrivateKeyDer.isKey("PRIVATE KEY")).isTrue();
    assertThat(PrivateKeyDer.isKey("ENCRYPTED PRIVATE KEY")).isFalse();
    assertThat(PrivateKeyDer.isKey("EC PARAMETERS")).isFalse();
    assertThatThrownBy(() -> PrivateKeyDer.pkcs8("DSA PRIVATE KEY", new byte[0]))
        .hasMessage("label is DSA PRIVATE KEY: must be one of a private key");
  }
}
