package dev.reprise.endpoints.kafka;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.reprise.delivery.Protocol;
import dev.reprise.delivery.carrier.CarrierType;
import dev.reprise.delivery.carrier.SettingCodecs.Address;
import dev.reprise.endpoints.fixtures.CarrierCalls;
import java.util.List;
import java.util.ServiceLoader;
import java.util.Set;
import org.apache.kafka.common.config.SaslConfigs;
import org.apache.kafka.common.config.types.Password;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

final class KafkaCarrierTypeTest {
  private final KafkaCarrierType type = new KafkaCarrierType();

  @Test
  void isFoundByTheService() {
    assertThat(ServiceLoader.load(CarrierType.class))
        .hasAtLeastOneElementOfType(KafkaCarrierType.class);
    assertThat(type.name()).isEqualTo("kafka");
    assertThat(type.protocols()).isEqualTo(Set.of(Protocol.QUEUE));
    assertThat(type.defaultInFlight()).isEqualTo(1_000);
  }

  @Test
  void addressesAreEnough() {
    KafkaSettings settings = CarrierCalls.settings(type, "{\"addresses\": \"a.example\"}");

    assertThat(settings)
        .isEqualTo(
            new KafkaSettings(
                List.of(new Address("a.example", 9092)),
                KafkaSettings.Security.NONE,
                KafkaSettings.Mechanism.PLAIN,
                null,
                null,
                null,
                null,
                KafkaSettings.Compression.NONE));
  }

  @Test
  void passwordIsGivenToNobodyElse() {
    KafkaSettings settings =
        CarrierCalls.settings(
            type,
            """
            {"addresses": "a", "security": "sasl-tls", "mechanism": "SCRAM-SHA-512",
             "username": "app", "password": "hush\\"hush"}
            """);

    var config = ClientConfig.producer(settings, "test");
    assertThat(settings.toString()).doesNotContain("hush");
    assertThat(config.toString()).doesNotContain("hush");
    assertThat(((Password) config.get(SaslConfigs.SASL_JAAS_CONFIG)).value())
        .isEqualTo(
            "org.apache.kafka.common.security.scram.ScramLoginModule required username=\"app\""
                + " password=\"hush\\\"hush\";");
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "'security': 'sasl'                   | username | must be there with password",
        "'password': 'hush hush'              | username | must be there with password",
        "'username': 'app', 'password': 'hush'| username | must be there with password",
        "'security': 'ssl'                    | security | must be one of none, tls, sasl,"
            + " sasl-tls",
        "'mechanism': 'GSSAPI'                | mechanism | must be one of PLAIN, SCRAM-SHA-256",
        "'authority': 'no PEM'                | authority | must be one or more certificates",
        "'compression': 'best'                | compression | must be one of none, gzip",
      },
      quoteCharacter = '"')
  void settingsThatBreakARule(String setting, String field, String rule) {
    String json = ("{'addresses': 'a', " + setting + "}").replace('\'', '"');

    assertThatThrownBy(() -> CarrierCalls.settings(type, json))
        .hasMessageContaining(field)
        .hasMessageContaining(rule)
        .hasMessageNotContainingAny("hush");
  }

  @ParameterizedTest
  @ValueSource(strings = {"q", "orders.v1", "A_b-9", "...", "a."})
  void namesOfTopics(String name) {
    assertThat(type.endpointProblem(Protocol.QUEUE, name)).isNull();
  }

  @ParameterizedTest
  @ValueSource(strings = {"", ".", "..", "a b", "a/b", "ä", "a\n"})
  void textsThatAreNoTopics(String name) {
    assertThat(type.endpointProblem(Protocol.QUEUE, name))
        .startsWith("must be the name of a topic");
  }

  @Test
  void longestName() {
    assertThat(type.endpointProblem(Protocol.QUEUE, "q".repeat(249))).isNull();
    assertThat(type.endpointProblem(Protocol.QUEUE, "q".repeat(250))).isNotNull();
  }
}
