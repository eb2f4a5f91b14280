package dev.reprise.delivery.http;

import static org.assertj.core.api.Assertions.assertThat;

import dev.reprise.fixtures.TestAuthority;
import dev.reprise.fixtures.TestKeys;
import java.math.BigInteger;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.KeyFactory;
import java.security.KeyPairGenerator;
import java.security.interfaces.RSAPrivateCrtKey;
import java.security.spec.PKCS8EncodedKeySpec;
import java.security.spec.RSAPrivateCrtKeySpec;
import java.time.Duration;
import java.time.Instant;
import java.util.Base64;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.constraints.IntRange;
import net.jqwik.api.constraints.Size;
import net.jqwik.api.lifecycle.BeforeContainer;
import org.jspecify.annotations.Nullable;

/** What subscribers may give as certificate, key and authority. */
class TlsMaterialTest {
  private static final String RULE_OF_KEYS =
      "key: must be one key in PEM (BEGIN PRIVATE KEY, BEGIN RSA PRIVATE KEY or BEGIN EC PRIVATE"
          + " KEY)";

  private static String certificate;
  private static String key;
  private static String otherKey;
  private static String expired;
  private static String expiredKey;
  private static String authority;

  @BeforeContainer
  static void issue() throws Exception {
    Path folder = Files.createTempDirectory("tls-material");
    TestAuthority issuer = TestAuthority.in(folder);
    TestAuthority.Identity client = issuer.client("client", "RSA");
    TestAuthority.Identity old = issuer.expiredServer();
    certificate = Files.readString(client.certificatePem());
    key = Files.readString(client.keyPem());
    otherKey = Files.readString(issuer.client("other", "RSA").keyPem());
    expired = Files.readString(old.certificatePem());
    expiredKey = Files.readString(old.keyPem());
    authority = Files.readString(issuer.certificatePem());
    try (var files = Files.list(folder)) {
      for (Path file : files.toList()) {
        Files.delete(file);
      }
    }
    Files.delete(folder);
  }

  @Property(tries = 1)
  void whatBelongsTogetherIsNoProblem() {
    assertThat(problem(null, null, null)).isNull();
    assertThat(problem(certificate, key, null)).isNull();
    assertThat(problem(certificate, key, authority)).isNull();
    assertThat(problem(null, null, authority + "\nBundle of 2:\n" + authority)).isNull();
    assertThat(problem("subject=CN\n" + certificate, "Bag Attributes\r\n" + key, null)).isNull();
  }

  @Property(tries = 1)
  void aProblemNamesPartAndRule() throws Exception {
    assertThat(problem(certificate, null, null)).isEqualTo("key: must be given with a certificate");
    assertThat(problem(null, key, null)).isEqualTo("certificate: must be given with a key");
    assertThat(problem(certificate, otherKey, null))
        .isEqualTo("key: must be the key of the first certificate");
    assertThat(problem(certificate, expiredKey, null))
        .isEqualTo("key: must be the key of the first certificate");
    assertThat(problem(key, key, null))
        .isEqualTo("certificate: must hold blocks of BEGIN CERTIFICATE in Base64 and no others");
    assertThat(problem(certificate, certificate, null)).isEqualTo(RULE_OF_KEYS);
    assertThat(problem(certificate, key + key, null)).isEqualTo(RULE_OF_KEYS);
    assertThat(problem(certificate, key.replace("PRIVATE KEY", "DSA PRIVATE KEY"), null))
        .isEqualTo(RULE_OF_KEYS);
    assertThat(problem(certificate, key.replace("PRIVATE KEY", "RSA PRIVATE KEY"), null))
        .isEqualTo("key: must be an RSA key, or an EC key on P-256, P-384 or P-521");
    assertThat(problem(certificate, pem("EC PRIVATE KEY", new byte[] {0x30, 5}), null))
        .isEqualTo("key: must be an EC private key of SEC 1");
    assertThat(
            problem(
                certificate,
                key.replace(
                        "BEGIN PRIVATE KEY-----",
                        "BEGIN RSA PRIVATE KEY-----\n" + "Proc-Type: 4,ENCRYPTED")
                    .replace("END PRIVATE", "END RSA PRIVATE"),
                null))
        .isEqualTo("key: must not be encrypted");
    assertThat(problem(certificate, key.replace("PRIVATE KEY", "ENCRYPTED PRIVATE KEY"), null))
        .isEqualTo("key: must not be encrypted");
    assertThat(problem(certificate, pem("PRIVATE KEY", new byte[] {1, 2}), null))
        .isEqualTo("key: must be an RSA key, or an EC key on P-256, P-384 or P-521");
    assertThat(problem(certificate, pem("PRIVATE KEY", rsa(1024)), null))
        .isEqualTo("key: RSA key of 1024 bits must have 2048 to 4096 bits");
    assertThat(problem(null, null, pem("CERTIFICATE", new byte[] {1})))
        .isEqualTo("authority: number 1 must be an X.509 certificate");
    assertThat(problem(null, null, "-----BEGIN CERTIFICATE-----\nAAAA"))
        .isEqualTo("authority: is PEM without its end");
    assertThat(problem(null, null, "")).isEqualTo("authority: must be 1 to 10 certificates in PEM");
    assertThat(problem(null, null, " ".repeat(16_385)))
        .isEqualTo("authority: has 16385 characters, must have at most 16384");
  }

  @Property(tries = 1)
  void keysAsOpensslWritesThemByDefaultAreRead() throws Exception {
    for (String kind : new String[] {"rsa-pkcs1", "ec-sec1"}) {
      String own = TestKeys.pem(kind + ".key");
      String shown = TestKeys.pem(kind.substring(0, kind.indexOf('-')) + ".crt");
      assertThat(problem(shown, own, null)).as(kind).isNull();
      assertThat(problem(shown, own.substring(own.lastIndexOf("-----BEGIN")), null)).isNull();
      assertThat(problem(shown, own + key, null)).isEqualTo(RULE_OF_KEYS);
      assertThat(problem(certificate, own, null))
          .isEqualTo("key: must be the key of the first certificate");
    }
  }

  @Property(tries = 1)
  void aCertificateOutOfItsTimeIsNamed() {
    assertThat(problem(expired, expiredKey, null))
        .startsWith("certificate: 'CN=localhost' expired at ");
    assertThat(HttpTls.problem(null, null, authority, Instant.now().plus(Duration.ofDays(10))))
        .startsWith("authority: 'CN=Reprise Test authority' expired at ");
    assertThat(HttpTls.problem(certificate, key, null, Instant.now().minus(Duration.ofDays(10))))
        .startsWith("certificate: 'CN=client' is not valid before ");
  }

  @Property(tries = 100)
  void textThatIsSpoiledIsAProblemAndNeverAnError(
      @ForAll @IntRange(min = 0, max = 2) int part,
      @ForAll @Size(min = 1, max = 5) int[] places,
      @ForAll char with) {
    String[] parts = {certificate, key, authority};
    StringBuilder spoiled = new StringBuilder(parts[part]);
    for (int place : places) {
      spoiled.setCharAt(Math.floorMod(place, spoiled.length()), with);
    }
    parts[part] = spoiled.toString();
    String problem = problem(parts[0], parts[1], parts[2]);
    if (problem != null) {
      assertThat(problem).matches("(certificate|key|authority): [ -~]+");
      assertThat(key.lines().filter(line -> line.length() == 64)).noneMatch(problem::contains);
    }
  }

  @Property(tries = 1)
  void numbersThatWouldTakeMinutesAreRefused() throws Exception {
    byte[] bytes = Base64.getMimeDecoder().decode(key.replaceAll("-----.*-----", ""));
    KeyFactory factory = KeyFactory.getInstance("RSA");
    RSAPrivateCrtKey good =
        (RSAPrivateCrtKey) factory.generatePrivate(new PKCS8EncodedKeySpec(bytes));
    RSAPrivateCrtKeySpec bad =
        new RSAPrivateCrtKeySpec(
            good.getModulus(),
            good.getPublicExponent(),
            good.getPrivateExponent(),
            BigInteger.ONE.shiftLeft(40_000).add(BigInteger.ONE),
            good.getPrimeQ(),
            good.getPrimeExponentP(),
            good.getPrimeExponentQ(),
            good.getCrtCoefficient());
    byte[] encoded = factory.generatePrivate(bad).getEncoded();
    assertThat(problem(certificate, pem("PRIVATE KEY", encoded), null))
        .isEqualTo("key: RSA key must not have numbers above its modulus");
  }

  private static byte[] rsa(int bits) throws Exception {
    KeyPairGenerator generator = KeyPairGenerator.getInstance("RSA");
    generator.initialize(bits);
    return generator.generateKeyPair().getPrivate().getEncoded();
  }

  private static String pem(String kind, byte[] der) {
    return "-----BEGIN %1$s-----\n%2$s\n-----END %1$s-----\n"
        .formatted(kind, Base64.getEncoder().encodeToString(der));
  }

  private static @Nullable String problem(
      @Nullable String certificatePem, @Nullable String keyPem, @Nullable String authorityPem) {
    return HttpTls.problem(certificatePem, keyPem, authorityPem, Instant.now());
  }
}
