package dev.reprise.endpoints.sms;

import static org.assertj.core.api.Assertions.assertThat;

import com.cloudhopper.commons.charset.CharsetUtil;
import dev.reprise.delivery.Protocol;
import dev.reprise.delivery.body.SmsText;
import dev.reprise.delivery.carrier.CarrierType;
import dev.reprise.delivery.carrier.CarrierTypes;
import dev.reprise.delivery.carrier.Secret;
import dev.reprise.endpoints.fixtures.CarrierCalls;
import dev.reprise.policy.document.Checks;
import java.time.Duration;
import java.util.ServiceLoader;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

class SmppSettingsTest {
  private static final SmppCarrierType TYPE = new SmppCarrierType();

  @Test
  void theTypeIsFoundByItsName() {
    assertThat(ServiceLoader.load(CarrierType.class))
        .anyMatch(type -> type instanceof SmppCarrierType && type.name().equals("smpp"));
    assertThat(TYPE.defaultInFlight()).isEqualTo(10);
  }

  @Test
  void fewSettingsAreNeeded() {
    SmppSettings settings =
        CarrierCalls.settings(TYPE, "{\"addresses\": \"smsc.example.com\", \"systemId\": \"me\"}");

    assertThat(settings.addresses()).hasToString("[smsc.example.com:2775]");
    assertThat(settings.password()).isNull();
    assertThat(settings.binds()).isEqualTo(1);
    assertThat(settings.bindType()).isEqualTo(BindType.TRANSCEIVER);
    assertThat(settings.source()).isNull();
    assertThat(settings.receipts()).isTrue();
    assertThat(settings.receiptIds()).isEqualTo(ReceiptIds.AS_SENT);
    assertThat(settings.validity()).isNull();
    assertThat(settings.tls()).isFalse();
    assertThat(settings.enquireLinkInterval()).isEqualTo(Duration.ofSeconds(30));
    assertThat(settings.alphabet()).isEqualTo(Alphabet.GSM);
    assertThat(settings.serviceType()).isEmpty();
    assertThat(settings.sourceType()).isEqualTo(NumberType.NONE);
    assertThat(settings.accountStatuses().codes()).isEmpty();
    assertThat(CarrierCalls.settings(TYPE, TYPE.settings().write(settings).toString()))
        .isEqualTo(settings);
  }

  @Test
  void allSettingsAreWrittenAsTheyWereRead() {
    String json =
        "{\"addresses\":[\"a.example:2775\",\"b.example:2776\"],\"systemId\":\"me\","
            + "\"password\":\"secret\",\"systemType\":\"x\","
            + "\"bindType\":\"transmitter-and-receiver\",\"binds\":4,\"source\":\"Reprise\","
            + "\"receipts\":false,\"receiptIds\":\"decimal\",\"validity\":\"24h\",\"tls\":true,"
            + "\"enquireLinkInterval\":\"10s\",\"alphabet\":\"default-latin1\","
            + "\"serviceType\":\"CMT\",\"sourceTon\":0,\"sourceNpi\":8,\"destinationTon\":2,"
            + "\"destinationNpi\":18,\"addressTon\":6,\"addressNpi\":1,"
            + "\"addressRange\":\"^49151\",\"accountStatuses\":\"0x401, 0x40B\"}";
    SmppSettings settings = CarrierCalls.settings(TYPE, json);
    JsonNode written = TYPE.settings().write(settings);

    assertThat(CarrierCalls.settings(TYPE, written.toString())).isEqualTo(settings);
    assertThat(settings.toString()).doesNotContain("secret\"").contains("(secret)");
  }

  @Test
  void passwordsOf100CharactersAreTaken() {
    Checks checks = new Checks();
    String json =
        "{\"addresses\": \"a\", \"systemId\": \"an account of 24 letters\", \"password\": \""
            + "x".repeat(256)
            + "\"}";
    var ofOne = JsonMapper.shared().readTree(json);
    assertThat(TYPE.settings().read(checks, "", ofOne)).isNull();
    assertThat(checks.violations()).hasSize(1);

    assertThat(
            CarrierCalls.settings(TYPE, json.replace("x".repeat(256), "x".repeat(100))).password())
        .isEqualTo(new Secret("x".repeat(100)));
  }

  @Test
  void thePasswordIsKeptEncrypted() {
    assertThat(CarrierTypes.ofThisProgram().secretsOf("smpp")).containsExactly("password");
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "'\"systemId\": \"\"'|systemId|must be a text of 1 to 255 characters",
        "'\"systemId\": \"ü\"'|systemId|must be a text of 1 to 255 characters of ASCII",
        "'\"systemType\": \"thirteen lett\"'|systemType|must be a text of 0 to 12 characters",
        "'\"password\": \"toolongä\"'|password|must have at most 255 characters of ASCII",
        "'\"serviceType\": \"sixsix\"'|serviceType|must be a text of 0 to 5 characters",
        "'\"sourceTon\": 7'|sourceTon|must be between 0 and 6",
        "'\"destinationNpi\": 19'|destinationNpi|must be between 0 and 18",
        "'\"addressTon\": -1'|addressTon|must be between 0 and 6",
        "'\"alphabet\": \"utf8\"'|alphabet|must be one of gsm, latin1, ascii, default-latin1,"
            + " default-ascii",
        "'\"accountStatuses\": \"1025\"'|accountStatuses|must be at most 32 statuses",
        "'\"accountStatuses\": \"0x0\"'|accountStatuses|must be at most 32 statuses",
        "'\"binds\": 0'|binds|must be between 1 and 16",
        "'\"binds\": 17'|binds|must be between 1 and 16",
        "'\"source\": \"a name too long\"'|source|must be a name of up to 11 letters",
        "'\"source\": \"12\"'|source|must be a name of up to 11 letters",
        "'\"source\": \"\"'|source|must be a name of up to 11 letters",
        "'\"bindType\": \"receiver\"'|bindType|must be one of transceiver,"
            + " transmitter-and-receiver",
        "'\"receiptIds\": \"octal\"'|receiptIds|must be one of as-sent, hex, decimal",
        "'\"validity\": \"59s\"'|validity|must be a duration from 1m to 720h",
        "'\"validity\": \"721h\"'|validity|must be a duration from 1m to 720h",
        "'\"enquireLinkInterval\": \"0s\"'|enquireLinkInterval|must be",
        "'\"addresses\": []'|addresses|must be 1 to 16 addresses of the form host:port"
      })
  void aSettingThatIsWrongIsNamed(String setting, String field, String rule) {
    Checks checks = new Checks();
    String json = "{\"addresses\": \"a\", \"systemId\": \"me\", " + setting + "}";
    SmppSettings settings = TYPE.settings().read(checks, "", JsonMapper.shared().readTree(json));

    assertThat(settings).isNull();
    assertThat(checks.violations()).hasSize(1);
    assertThat(checks.violations().get(0).toString())
        .contains(field)
        .contains(rule)
        .doesNotContain("toolong");
  }

  @ParameterizedTest
  @ValueSource(strings = {"+4915112345678", "+1234567", "+123456789012345"})
  void phoneNumbersAreEndpoints(String number) {
    assertThat(TYPE.endpointProblem(Protocol.SMS, number)).isNull();
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "",
        "+",
        "4915112345678",
        "+123456",
        "+1234567890123456",
        "+49 151 12345678",
        "+0123456",
        "+49151１２３４５",
        "+1234567\n",
        "tel:+1234567"
      })
  void otherTextsAreNoEndpoints(String text) {
    assertThat(TYPE.endpointProblem(Protocol.SMS, text))
        .startsWith("must be a phone number with its country code, such as +4915112345678");
  }

  @ParameterizedTest
  @CsvSource({
    "PT1M, 000000000100000R",
    "PT36H, 000001120000000R",
    "PT23H59M59S, 000000235959000R",
    "P30D, 000030000000000R"
  })
  void aValidityIsRelative(Duration validity, String text) {
    assertThat(SubmitForm.relativeTime(validity)).isEqualTo(text).hasSize(16);
  }

  @Test
  void theAlphabetIsThatOfOthers() {
    for (char character = 0; character < 0x3000; character++) {
      String text = String.valueOf(character);
      SmsText divided = SmsText.of(text);
      if (divided.alphabet() == SmsText.Alphabet.GSM && character != '\f') {
        assertThat(CharsetUtil.decode(divided.shortMessages(0).get(0), CharsetUtil.CHARSET_GSM))
            .isEqualTo(text);
      }
    }
  }
}
