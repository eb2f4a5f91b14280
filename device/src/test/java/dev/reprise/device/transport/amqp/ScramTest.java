package dev.reprise.device.transport.amqp;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import javax.security.sasl.SaslException;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

final class ScramTest {
  private static final String NONCE = "rOprNGfwEbeRWgbNEkqO";
  private static final String CHALLENGE =
      "r=rOprNGfwEbeRWgbNEkqO%hvYDpWUa2RaTCAfuxFIlj)hNlF$k0,s=W22ZaJ0SNY7soEsUEjb6gQ==,i=4096";

  /** RFC 5802, section 5, and RFC 7677, section 3. */
  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "SCRAM-SHA-1 | fyko+d2lbbFgONRv9qkxdawL |"
            + " r=fyko+d2lbbFgONRv9qkxdawL3rfcNHYJY1ZVvWVs7j,s=QSXCR+Q6sek8bf92,i=4096 |"
            + " c=biws,r=fyko+d2lbbFgONRv9qkxdawL3rfcNHYJY1ZVvWVs7j,p=v0X8v3Bz2T0CJGbJQyF0X+HI4Ts="
            + " | v=rmF9pqV8S7suAoZWja4dJRkFsKQ=",
        "SCRAM-SHA-256 | rOprNGfwEbeRWgbNEkqO | "
            + CHALLENGE
            + " | c=biws,r=rOprNGfwEbeRWgbNEkqO%hvYDpWUa2RaTCAfuxFIlj)hNlF$k0,"
            + "p=dHzbZapWIk4jUhN+Ute9ytag9zjfMHgsqmmiz7AndVQ= |"
            + " v=6rriTRBi23WpRR/wtup+mMhUZUn/dB5nLTJRsjl95G4=",
      })
  void saysAndAcceptsWhatTheDocumentsSay(
      String mechanism, String nonce, String challenge, String proof, String signature)
      throws Exception {
    Scram scram = new Scram(mechanism, "user", "pencil", nonce);

    assertThat(new String(scram.first(), UTF_8)).isEqualTo("n,,n=user,r=" + nonce);
    assertThat(new String(scram.answer(challenge.getBytes(UTF_8)), UTF_8)).isEqualTo(proof);
    assertThat(scram.isVerified()).isFalse();
    assertThat(scram.answer(signature.getBytes(UTF_8))).isEmpty();
    assertThat(scram.isVerified()).isTrue();
  }

  @Test
  void escapesWhatANameMustNotHave() {
    assertThat(new String(new Scram("SCRAM-SHA-512", "a=b,c", "x", "n").first(), UTF_8))
        .isEqualTo("n,,n=a=3Db=2Cc,r=n");
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "",
        "hello",
        "r=somebodyElse,s=W22ZaJ0SNY7soEsUEjb6gQ==,i=4096",
        "r=rOprNGfwEbeRWgbNEkqO1,s=W22ZaJ0SNY7soEsUEjb6gQ==,i=1",
        "r=rOprNGfwEbeRWgbNEkqO1,s=W22ZaJ0SNY7soEsUEjb6gQ==,i=2000000000",
        "r=rOprNGfwEbeRWgbNEkqO1,s=W22ZaJ0SNY7soEsUEjb6gQ==,i=many",
        "r=rOprNGfwEbeRWgbNEkqO1,s=!,i=4096",
        "r=rOprNGfwEbeRWgbNEkqO1,s=,i=4096",
        "m=x,r=rOprNGfwEbeRWgbNEkqO1,s=W22ZaJ0SNY7soEsUEjb6gQ==,i=4096",
      })
  void answersNoOtherChallenge(String challenge) {
    Scram scram = new Scram("SCRAM-SHA-256", "user", "pencil", NONCE);
    assertThatThrownBy(() -> scram.answer(challenge.getBytes(UTF_8)))
        .isInstanceOf(SaslException.class);
  }

  @ParameterizedTest
  @ValueSource(strings = {"v=", "v=AAAA", "e=other-error", "x=y", ""})
  void believesNoOtherProof(String last) throws Exception {
    Scram scram = new Scram("SCRAM-SHA-256", "user", "pencil", NONCE);
    byte[] unused = scram.answer(CHALLENGE.getBytes(UTF_8));
    assertThatThrownBy(() -> scram.answer(last.getBytes(UTF_8))).isInstanceOf(SaslException.class);
    assertThat(scram.isVerified()).isFalse();
  }
}
