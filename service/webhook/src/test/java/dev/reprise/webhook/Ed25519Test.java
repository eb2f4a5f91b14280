package dev.reprise.webhook;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.security.KeyFactory;
import java.security.KeyPair;
import java.security.KeyPairGenerator;
import java.security.PublicKey;
import java.security.Signature;
import java.security.spec.X509EncodedKeySpec;
import java.util.Arrays;
import java.util.Base64;
import java.util.HexFormat;
import java.util.List;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.constraints.Size;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** The keys against RFC 8032, and against the provider of the JDK without any code of ours. */
class Ed25519Test {
  private static final String X509 = "302a300506032b6570032100";
  private static final byte[] NOTHING = {};

  private static byte[] bytes(String hex) {
    return HexFormat.of().parseHex(hex);
  }

  private static String base64(byte[] bytes) {
    return Base64.getEncoder().encodeToString(bytes);
  }

  @ParameterizedTest
  @CsvSource({
    // Section 7.1, tests 1 to 3.
    "9d61b19deffd5a60ba844af492ec2cc44449c5697b326919703bac031cae7f60,"
        + "d75a980182b10ab7d54bfed3c964073a0ee172f3daa62325af021a68f707511a,"
        + "'',"
        + "e5564300c360ac729086e2cc806e828a84877f1eb8e5d974d873e06522490155"
        + "5fb8821590a33bacc61e39701cf9b46bd25bf5f0595bbe24655141438e7a100b",
    "4ccd089b28ff96da9db6c346ec114e0f5b8a319f35aba624da8cf6ed4fb8a6fb,"
        + "3d4017c3e843895a92b70aa74d1b7ebc9c982ccf2ec4968cc0cd55f12af4660c,"
        + "72,"
        + "92a009a9f0d4cab8720e820b5f642540a2b27b5416503f8fb3762223ebdb69da"
        + "085ac1e43e15996e458f3613d0f11d8c387b2eaeb4302aeeb00d291612bb0c00",
    "c5aa8df43f9f837bedb7442f31dcb7b166d38535076f094b85ce3a2e0b4458f7,"
        + "fc51cd8e6218a1a38da47ed00230f0580816ed13ba3303ac5deb911548908025,"
        + "af82,"
        + "6291d657deec24024827e69c3abe01a30ce548a284743a445e3680d7db5ac3ac"
        + "18ff9b538d16f290ae67f760984dc6594a7c15e9716ed28dc027beceea1ec40a",
  })
  void vectorsOfTheRfc(String seed, String publicKey, String message, String signature) {
    Ed25519PrivateKey key = Ed25519PrivateKey.parse("whsk_" + base64(bytes(seed)));
    String expected = "v1a," + base64(bytes(signature));

    assertThat(key.publicKey()).isEqualTo("whpk_" + base64(bytes(publicKey)));
    assertThat(key.sign(NOTHING, bytes(message))).isEqualTo(expected);
    assertThat(key.sign(bytes(message), NOTHING)).isEqualTo(expected);
    assertThat(
            Ed25519PublicKey.parse(key.publicKey())
                .madeOneOf(List.of(expected), NOTHING, bytes(message)))
        .isTrue();
  }

  @Test
  void providerOfTheJdkVerifiesWhatIsSigned() throws Exception {
    WebhookSecret secret = WebhookSecret.parse(Vectors.GO_PRIVATE);
    String header = WebhookSigner.of(secret).sign(Vectors.ID, Vectors.TIMESTAMP, Vectors.BODY);

    byte[] raw = Base64.getDecoder().decode(secret.publicKey().substring("whpk_".length()));
    PublicKey key =
        KeyFactory.getInstance("Ed25519")
            .generatePublic(new X509EncodedKeySpec(bytes(X509 + HexFormat.of().formatHex(raw))));
    Signature signature = Signature.getInstance("Ed25519");
    signature.initVerify(key);
    signature.update((Vectors.ID + ".1614265330.").getBytes(UTF_8));
    signature.update(Vectors.BODY);

    assertThat(signature.verify(Base64.getDecoder().decode(header.substring("v1a,".length()))))
        .isTrue();
  }

  @Test
  void whatTheProviderOfTheJdkSignsIsVerified() throws Exception {
    KeyPair pair = KeyPairGenerator.getInstance("Ed25519").generateKeyPair();
    byte[] encoded = pair.getPublic().getEncoded();
    Signature signature = Signature.getInstance("Ed25519");
    signature.initSign(pair.getPrivate());
    signature.update(Vectors.BODY);
    List<String> header = List.of("v1a," + base64(signature.sign()));

    Ed25519PublicKey key =
        Ed25519PublicKey.parse("whpk_" + base64(Arrays.copyOfRange(encoded, 12, 44)));

    assertThat(key.madeOneOf(header, NOTHING, Vectors.BODY)).isTrue();
    assertThat(key.madeOneOf(header, new byte[1], Vectors.BODY)).isFalse();
  }

  @ParameterizedTest
  @CsvSource({
    "0000000000000000000000000000000000000000000000000000000000000000, small order",
    "0000000000000000000000000000000000000000000000000000000000000080, small order",
    "0100000000000000000000000000000000000000000000000000000000000000, small order",
    "26e8958fc2b227b045c3f489f2ef98f0d5dfac05d3c63339b13802886d53fc85, small order",
    "c7176a703d4dd84fba3c0b760d10670f2a2053fa2c39ccc64ec7fd7792ac037a, small order",
    "ecffffffffffffffffffffffffffffffffffffffffffffffffffffffffffff7f, small order",
    "ffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffff, of the curve",
    "edffffffffffffffffffffffffffffffffffffffffffffffffffffffffffff7f, of the curve",
    "0200000000000000000000000000000000000000000000000000000000000000, of the curve",
    "00, 'must have 32 bytes, and has 1'",
    "'', 'must have 32 bytes, and has 0'",
  })
  void publicKeysThatProveNothingAreRefused(String hex, String rule) {
    assertThatThrownBy(() -> Ed25519PublicKey.parse("whpk_" + base64(bytes(hex))))
        .isExactlyInstanceOf(IllegalArgumentException.class)
        .hasMessageStartingWith("key is whpk_…: ")
        .hasMessageContaining(rule);
  }

  @ParameterizedTest
  @ValueSource(strings = {"", "=", "!", "AAAA", "hnO3f9T8Ytu9HwrXslvumlUpqtNVqkhqw"})
  void malformedSignaturesDoNotMatch(String signature) {
    Ed25519PublicKey key = Ed25519PublicKey.parse(Vectors.SVIX_PUBLIC);

    assertThat(key.madeOneOf(List.of("v1a," + signature), NOTHING, Vectors.BODY)).isFalse();
  }

  @Property(tries = 100)
  void arbitraryBytesAreNoSignature(@ForAll @Size(64) byte[] signature) {
    Ed25519PublicKey key = Ed25519PublicKey.parse(Vectors.SVIX_PUBLIC);

    assertThat(key.madeOneOf(List.of("v1a," + base64(signature)), NOTHING, Vectors.BODY)).isFalse();
  }

  /** RFC 8032 section 5.1.7: S must be below the order of the group, or there were two of each. */
  @Test
  void signatureHasOnlyOneForm() {
    byte[] order = bytes("edd3f55c1a631258d69cf7a2def9de1400000000000000000000000000000010");
    byte[] signature =
        Base64.getDecoder().decode(Vectors.SVIX_SIGNATURE.substring("v1a,".length()));
    int carry = 0;
    for (int i = 0; i < 32; i++) {
      int sum = (signature[32 + i] & 0xff) + (order[i] & 0xff) + carry;
      signature[32 + i] = (byte) sum;
      carry = sum >> 8;
    }
    byte[] prefix = SignedContent.prefix(Vectors.ID, Vectors.TIMESTAMP);
    Ed25519PublicKey key = Ed25519PublicKey.parse(Vectors.SVIX_PUBLIC);

    assertThat(key.madeOneOf(List.of(Vectors.SVIX_SIGNATURE), prefix, Vectors.BODY)).isTrue();
    assertThat(key.madeOneOf(List.of("v1a," + base64(signature)), prefix, Vectors.BODY)).isFalse();
  }
}
