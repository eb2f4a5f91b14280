package dev.reprise.device.credential;

import static java.nio.charset.StandardCharsets.US_ASCII;
import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.reprise.fixtures.TestAuthority;
import dev.reprise.fixtures.TestAuthority.Identity;
import java.nio.file.Path;
import java.security.KeyPair;
import java.security.KeyPairGenerator;
import java.security.PublicKey;
import java.security.Signature;
import java.security.spec.ECGenParameterSpec;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.Base64;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

class JwtCredentialTest {
  private static final Instant NOW = Instant.ofEpochSecond(1_800_000_000L);

  @TempDir Path folder;

  @Test
  void rsaKeySignsRs256() throws Exception {
    KeyPair keys = rsa(2048);
    String token = supply(JwtCredential.of("project-1", keys.getPrivate())).secret();

    assertThat(part(token, 0).get("alg").stringValue()).isEqualTo("RS256");
    assertThat(part(token, 0).get("typ").stringValue()).isEqualTo("JWT");
    assertThat(isSignedBy(token, "SHA256withRSA", keys.getPublic())).isTrue();
    assertThat(isSignedBy(token, "SHA256withRSA", rsa(2048).getPublic())).isFalse();
  }

  @Test
  void ecKeySignsEs256AsTwoNumbersOf32Bytes() throws Exception {
    KeyPair keys = ec("secp256r1");
    String token = supply(JwtCredential.of("project-1", keys.getPrivate())).secret();

    assertThat(part(token, 0).get("alg").stringValue()).isEqualTo("ES256");
    assertThat(Base64.getUrlDecoder().decode(token.split("\\.", -1)[2])).hasSize(64);
    assertThat(isSignedBy(token, "SHA256withECDSAinP1363Format", keys.getPublic())).isTrue();
  }

  @Test
  void tokenIsForTheProjectAndHoldsOneHourFromAMinuteAgo() throws Exception {
    Credential credential = supply(JwtCredential.of("project-1", ec("secp256r1").getPrivate()));
    JsonNode claims = part(credential.secret(), 1);

    assertThat(claims.get("aud").stringValue()).isEqualTo("project-1");
    assertThat(claims.get("iat").longValue()).isEqualTo(1_799_999_940L);
    assertThat(claims.get("exp").longValue()).isEqualTo(1_800_003_540L);
    assertThat(claims.propertyNames()).containsExactly("aud", "iat", "exp");
    assertThat(credential.lifetime()).isEqualTo(Duration.ofMinutes(59));
  }

  @Test
  void longestLifetimeIsNotExceededByTheClaims() throws Exception {
    Credential credential =
        supply(
            JwtCredential.of("p", ec("secp256r1").getPrivate())
                .withLifetime(JwtCredential.MAX_LIFETIME));
    JsonNode claims = part(credential.secret(), 1);

    assertThat(claims.get("exp").longValue() - claims.get("iat").longValue()).isEqualTo(86_400);
    assertThat(credential.lifetime()).isEqualTo(Duration.ofHours(24).minusMinutes(1));
  }

  @Test
  void everyCharacterOfTheAudienceArrives() throws Exception {
    String audience = "a\"b\\c\n\u0001/ä\u20ac\ud83d\ude00";
    Credential credential = supply(JwtCredential.of(audience, ec("secp256r1").getPrivate()));

    assertThat(part(credential.secret(), 1).get("aud").stringValue()).isEqualTo(audience);
  }

  @Test
  void furtherClaimsAreTextsAndNumbers() throws Exception {
    JwtCredential supplier =
        JwtCredential.of("p", ec("secp256r1").getPrivate())
            .withClaim("uid", "device \"7\"")
            .withClaim("ut", 3);
    JsonNode claims = part(supply(supplier).secret(), 1);

    assertThat(claims.propertyNames()).containsExactly("aud", "iat", "exp", "uid", "ut");
    assertThat(claims.get("uid").stringValue()).isEqualTo("device \"7\"");
    assertThat(claims.get("ut").intValue()).isEqualTo(3);
    assertThatThrownBy(() -> supplier.withClaim("exp", 1))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessage("claim is exp: must not be [aud, iat, exp]");
  }

  @Test
  void keyIsReadFromPem() throws Exception {
    TestAuthority authority = TestAuthority.in(folder);
    for (String algorithm : new String[] {"RSA", "EC"}) {
      Identity device = authority.client("device", algorithm);
      String token = supply(JwtCredential.of("project-1", device.keyPem())).secret();
      PublicKey key = PemFile.read(device.certificatePem()).certificates().get(0).getPublicKey();

      assertThat(
              isSignedBy(
                  token,
                  algorithm.equals("RSA") ? "SHA256withRSA" : "SHA256withECDSAinP1363Format",
                  key))
          .isTrue();
    }
  }

  @Test
  void refusedTokenIsNotSuppliedAgainWithinTheSameSecond() throws Exception {
    JwtCredential supplier = fixed(JwtCredential.of("project-1", rsa(2048).getPrivate()));
    Credential first = supply(supplier);
    Credential second = supplier.supply(first).toCompletableFuture().join();

    assertThat(supply(supplier).secret()).isEqualTo(first.secret());
    assertThat(second.secret()).isNotEqualTo(first.secret());
    assertThat(supplier.isRenewable()).isTrue();
  }

  @Test
  void userNameIsGivenWithTheToken() throws Exception {
    JwtCredential supplier = JwtCredential.of("project-1", ec("secp256r1").getPrivate());

    assertThat(supply(supplier).username()).isNull();
    assertThat(supply(supplier.withUsername("unused")).username()).isEqualTo("unused");
    assertThat(supplier.toString()).isEqualTo("JwtCredential[audience=project-1, lifetime=PT1H]");
  }

  @Test
  void keysThatTheBridgesDoNotKnowAreRefused() throws Exception {
    assertThatThrownBy(() -> JwtCredential.of("p", ec("secp384r1").getPrivate()))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessage("key is EC on a curve of 384 bits: must be on P-256");
    assertThatThrownBy(() -> JwtCredential.of("p", rsa(1024).getPrivate()))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessage("key is RSA of 1024 bits: must be >= 2048");
    KeyPair ed25519 = KeyPairGenerator.getInstance("Ed25519").generateKeyPair();
    assertThatThrownBy(() -> JwtCredential.of("p", ed25519.getPrivate()))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessage("key is EdDSA: must be RSA or EC");
  }

  @Test
  void lifetimeOutsideItsRangeIsRefused() throws Exception {
    JwtCredential supplier = JwtCredential.of("p", ec("secp256r1").getPrivate());

    for (Duration lifetime : new Duration[] {Duration.ofSeconds(119), Duration.ofSeconds(86_401)}) {
      assertThatThrownBy(() -> supplier.withLifetime(lifetime))
          .isInstanceOf(IllegalArgumentException.class)
          .hasMessage("lifetime is " + lifetime + ": must be PT2M to PT24H");
    }
  }

  private static Credential supply(JwtCredential supplier) {
    return fixed(supplier).supply(null).toCompletableFuture().join();
  }

  private static JwtCredential fixed(JwtCredential supplier) {
    return supplier.withClock(InstantSource.fixed(NOW));
  }

  private static JsonNode part(String token, int index) {
    return new JsonMapper()
        .readTree(new String(Base64.getUrlDecoder().decode(token.split("\\.", -1)[index]), UTF_8));
  }

  private static boolean isSignedBy(String token, String algorithm, PublicKey key)
      throws Exception {
    int end = token.lastIndexOf('.');
    Signature verifier = Signature.getInstance(algorithm);
    verifier.initVerify(key);
    verifier.update(token.substring(0, end).getBytes(US_ASCII));
    return verifier.verify(Base64.getUrlDecoder().decode(token.substring(end + 1)));
  }

  private static KeyPair rsa(int bits) throws Exception {
    KeyPairGenerator generator = KeyPairGenerator.getInstance("RSA");
    generator.initialize(bits);
    return generator.generateKeyPair();
  }

  private static KeyPair ec(String curve) throws Exception {
    KeyPairGenerator generator = KeyPairGenerator.getInstance("EC");
    generator.initialize(new ECGenParameterSpec(curve));
    return generator.generateKeyPair();
  }
}
