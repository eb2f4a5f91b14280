package dev.reprise.endpoints.sms;

import static java.nio.charset.StandardCharsets.ISO_8859_1;
import static java.nio.charset.StandardCharsets.UTF_16BE;
import static org.assertj.core.api.Assertions.assertThat;

import com.cloudhopper.smpp.pdu.SubmitSm;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** The fields that providers want to be others, as an SMS centre gets them. */
class SmppFieldsTest {
  private static SmsCentre centre;

  @BeforeAll
  static void open() throws Exception {
    centre = new SmsCentre();
  }

  @AfterAll
  static void close() {
    centre.close();
  }

  @BeforeEach
  void reset() {
    centre.reset();
  }

  private static SubmitSm sent(String settings, String text) throws Exception {
    try (SmppSetting setting = SmppSetting.bound(centre.address(), 10, settings)) {
      assertThat(setting.send(text).succeeded()).isTrue();
      return centre.awaitSession().awaitSubmit();
    }
  }

  @ParameterizedTest
  @CsvSource({
    "latin1, 3",
    "default-latin1, 0",
  })
  void textsOfLatin1AreSentInIt(String alphabet, int dataCoding) throws Exception {
    SubmitSm submit = sent("\"alphabet\": \"" + alphabet + "\"", "a@b_c £5 {é}");

    assertThat(submit.getDataCoding()).isEqualTo((byte) dataCoding);
    assertThat(new String(submit.getShortMessage(), ISO_8859_1)).isEqualTo("a@b_c £5 {é}");
  }

  @ParameterizedTest
  @CsvSource({
    "latin1, 12 € and Ω",
    "latin1, À bientôt",
    "ascii, £5",
    "default-ascii, é",
    "gsm, À bientôt",
  })
  void otherTextsAreSentInUcs2(String alphabet, String text) throws Exception {
    SubmitSm submit = sent("\"alphabet\": \"" + alphabet + "\"", text);

    assertThat(submit.getDataCoding()).isEqualTo((byte) 8);
    assertThat(new String(submit.getShortMessage(), UTF_16BE)).isEqualTo(text);
  }

  @ParameterizedTest
  @CsvSource({"ascii, 1", "default-ascii, 0"})
  void textsOfAsciiAreSentInIt(String alphabet, int dataCoding) throws Exception {
    SubmitSm submit = sent("\"alphabet\": \"" + alphabet + "\"", "a@b_c $5");

    assertThat(submit.getDataCoding()).isEqualTo((byte) dataCoding);
    assertThat(new String(submit.getShortMessage(), ISO_8859_1)).isEqualTo("a@b_c $5");
  }

  /** Handsets get septets, of which braces take two, whatever the SMS centre is given. */
  @Test
  void partsOfLatin1AreAsLongAsThoseOfHandsets() throws Exception {
    SubmitSm submit = sent("\"alphabet\": \"latin1\"", "{".repeat(81));

    // 6 bytes of header, and 76 characters of two septets each of the 153.
    assertThat(submit.getShortMessage()).hasSize(6 + 76);
  }

  @Test
  void numbersAndServiceAreWhatTheProviderWants() throws Exception {
    SubmitSm submit =
        sent(
            "\"source\": \"+4915100000\", \"sourceTon\": 0, \"sourceNpi\": 8,"
                + " \"destinationTon\": 2, \"destinationNpi\": 9, \"serviceType\": \"CMT\"",
            "hello");

    assertThat(submit.getSourceAddress().getTon()).isEqualTo((byte) 0);
    assertThat(submit.getSourceAddress().getNpi()).isEqualTo((byte) 8);
    assertThat(submit.getSourceAddress().getAddress()).isEqualTo("4915100000");
    assertThat(submit.getDestAddress().getTon()).isEqualTo((byte) 2);
    assertThat(submit.getDestAddress().getNpi()).isEqualTo((byte) 9);
    assertThat(submit.getServiceType()).isEqualTo("CMT");
  }

  @Test
  void bindsSayWhatTheProviderWants() throws Exception {
    String password = "a password of 40 characters, which is lo";
    try (SmppSetting setting =
        SmppSetting.withAccount(
            centre.address(),
            "an account of 24 letters",
            password,
            "\"addressTon\": 1, \"addressNpi\": 6, \"addressRange\": \"^49151\","
                + " \"systemType\": \"VMA\"")) {
      setting.awaitConnections(1);
      var bind = SmsCentre.await(centre.binds, "no bind");

      assertThat(bind.getPassword()).isEqualTo(password);
      assertThat(bind.getSystemId()).isEqualTo("an account of 24 letters");
      assertThat(bind.getSystemType()).isEqualTo("VMA");
      assertThat(bind.getInterfaceVersion()).isEqualTo((byte) 0x34);
      assertThat(bind.getAddressRange().getTon()).isEqualTo((byte) 1);
      assertThat(bind.getAddressRange().getNpi()).isEqualTo((byte) 6);
      assertThat(bind.getAddressRange().getAddress()).isEqualTo("^49151");
    }
  }
}
