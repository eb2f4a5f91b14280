package dev.reprise.endpoints.email;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.reprise.delivery.Protocol;
import dev.reprise.delivery.carrier.CarrierType;
import dev.reprise.fixtures.TestAuthority;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ServiceLoader;
import java.util.Set;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

class SmtpTypeTest {
  private static final JsonMapper JSON = JsonMapper.shared();

  private final SmtpType type = new SmtpType();

  private static SmtpSettings with(String more) {
    return SmtpTests.read(
        "{\"addresses\": \"relay.example.com\", \"from\": \"orders@example.com\"" + more + "}");
  }

  @Test
  void typeIsFoundByItsName() {
    assertThat(ServiceLoader.load(CarrierType.class)).hasAtLeastOneElementOfType(SmtpType.class);
    SmtpType type = new SmtpType();
    assertThat(type.name()).isEqualTo("smtp");
    assertThat(type.protocols()).isEqualTo(Set.of(Protocol.EMAIL));
    assertThat(type.defaultInFlight()).isEqualTo(4);
  }

  @Test
  void twoSettingsAreEnough() {
    SmtpSettings settings = with("");

    assertThat(settings.security()).isEqualTo(SmtpSecurity.STARTTLS);
    assertThat(settings.relays()).hasToString("[relay.example.com:587]");
    assertThat(settings.subject()).isEqualTo("Message from {topic}");
    assertThat(settings.from().address()).isEqualTo("orders@example.com");
  }

  @Test
  void portFollowsFromSecurity() {
    String addresses = "\"addresses\": [\"a\", \"b:587\", \"c:465\", \"[::1]\"]";
    SmtpSettings settings =
        SmtpTests.read("{%s, \"security\": \"tls\", \"from\": \"a@b.c\"}".formatted(addresses));

    assertThat(settings.relays()).hasToString("[a:465, b:587, c:465, [::1]:465]");
    assertThat(type.settings().write(settings).get("addresses"))
        .isEqualTo(JSON.readTree("[\"a\", \"b:587\", \"c:465\", \"[::1]\"]"));
  }

  @Test
  void settingsAreReadAsTheyWereWritten(@TempDir Path folder) throws Exception {
    String pem = Files.readString(TestAuthority.in(folder).certificatePem());
    SmtpSettings settings =
        with(
            """
            , "username": "reprise", "password": "s3cret", "replyTo": "Help <help@example.com>",
            "subject": "News", "heloName": "host.example.com", "messageIdDomain": "mail.example.com",
            "unsubscribe": "https://example.com/u/{subscription}?m={message}",
            "returnPath": "bounces+{id}@example.com", "authority": %s
            """
                .formatted(JSON.writeValueAsString(pem)));

    JsonNode written = type.settings().write(settings);

    assertThat(SmtpTests.read(written.toString())).isEqualTo(settings);
    assertThat(settings.toString()).doesNotContain("s3cret");
  }

  @ParameterizedTest
  @CsvSource({
    "orders@example.com, orders@example.com, ''",
    "<orders@example.com>, orders@example.com, ''",
    "Orders <orders@example.com>, orders@example.com, Orders",
    "'\"Orders, \\\"Ltd\\\"\" <orders@bücher.example>', orders@xn--bcher-kva.example,"
        + " 'Orders, \"Ltd\"'"
  })
  void sendersHaveNames(String text, String address, String name) {
    assertThat(MailSender.of(text)).isEqualTo(new MailSender(text, address, name));
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        ", \"username\": \"reprise\"",
        ", \"password\": \"s3cret\"",
        ", \"username\": \"reprise\", \"password\": \"s3cret\", \"security\": \"none\"",
        ", \"password\": 7000111",
        ", \"security\": \"ssl\"",
        ", \"authority\": \"no certificate\"",
        ", \"from\": \"nobody\"",
        ", \"from\": \"A\\r\\nBcc: b@example.com <a@example.com>\"",
        ", \"replyTo\": \"a@b.c, d@e.f\"",
        ", \"subject\": \"\"",
        ", \"subject\": \"a\\r\\nBcc: b@example.com\"",
        ", \"heloName\": \"a b\"",
        ", \"heloName\": \"a\\r\\nMAIL\"",
        ", \"messageIdDomain\": \"a>\"",
        ", \"unsubscribe\": \"http://example.com/\"",
        ", \"unsubscribe\": \"https://example.com/{topic}\"",
        ", \"unsubscribe\": \"https://example.com/>\"",
        ", \"unsubscribe\": \"https://exämple.com/\"",
        ", \"unsubscribe\": \"https://example.com/\\r\\nBcc: b@example.com\"",
        ", \"returnPath\": \"\"",
        ", \"returnPath\": \"bounces-of-our-many-orders-{id}@example.com\"",
        ", \"returnPath\": \"b@example.com\\r\\nDATA\""
      })
  void rulesAreTold(String more) {
    String base = more.contains("\"from\"") ? "" : ", \"from\": \"orders@example.com\"";
    assertThatThrownBy(
            () -> SmtpTests.read("{\"addresses\": \"relay.example.com\"" + base + more + "}"))
        .isInstanceOf(AssertionError.class)
        .hasMessageContaining("must")
        .message()
        .doesNotContain("s3cret", "7000111");
  }

  @Test
  void passwordInClearStaysOnThisMachine() {
    assertThat(SmtpTests.settings("localhost:25", ", \"username\": \"u\", \"password\": \"p\""))
        .isNotNull();
  }

  @Test
  void everySettingIsDescribed() {
    assertThat(type.settings().fields())
        .allSatisfy(
            field -> assertThat(field.schema().path("description").asString()).isNotBlank());
    assertThat(type.settings().schema().at("/properties/password/writeOnly").booleanValue())
        .isTrue();
  }
}
