package dev.reprise.endpoints.amqp;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.reprise.delivery.Protocol;
import dev.reprise.delivery.carrier.CarrierType;
import dev.reprise.delivery.carrier.SettingCodecs.Address;
import dev.reprise.endpoints.fixtures.CarrierCalls;
import java.time.Duration;
import java.util.List;
import java.util.ServiceLoader;
import java.util.Set;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

final class AmqpCarrierTypeTest {
  private final AmqpCarrierType type = new AmqpCarrierType();

  @Test
  void isFoundByTheService() {
    assertThat(ServiceLoader.load(CarrierType.class))
        .hasAtLeastOneElementOfType(AmqpCarrierType.class);
    AmqpCarrierType type = new AmqpCarrierType();
    assertThat(type.name()).isEqualTo("amqp");
    assertThat(type.protocols()).isEqualTo(Set.of(Protocol.QUEUE));
    assertThat(type.defaultInFlight()).isEqualTo(100);
  }

  @Test
  void addressesAreEnough() {
    AmqpCarrierSettings settings =
        CarrierCalls.settings(type, "{\"addresses\": [\"a.example\", \"b.example:5671\"]}");

    assertThat(settings)
        .isEqualTo(
            new AmqpCarrierSettings(
                List.of(new Address("a.example", 5672), new Address("b.example", 5671)),
                false,
                null,
                null,
                null,
                Duration.ofMinutes(1),
                true));
  }

  @Test
  void passwordIsNeverShown() {
    AmqpCarrierSettings settings = AmqpCalls.settings(5672, AmqpCalls.login("hush hush"));

    assertThat(settings.toString()).doesNotContain("hush");
    assertThat(settings.password()).isNotNull();
    assertThat(settings.password().reveal()).isEqualTo("hush hush");
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "'username': 'app'                      | username | must be there with password",
        "'password': 'hush hush'                | username | must be there with password",
        "'tls': true, 'authority': 'no PEM'     | authority | must be one or more certificates",
        "'idleTimeout': '10ms'                  | idleTimeout | must be from 1s to 1h",
        "'idleTimeout': '2h'                    | idleTimeout | must be from 1s to 1h",
        "'durable': 'yes'                       | durable | must be true or false"
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
  @ValueSource(strings = {"q", "/amq/queue/orders", "topic://orders?x=1", "Aufträge 7"})
  void addressesOfQueues(String address) {
    assertThat(type.endpointProblem(Protocol.QUEUE, address)).isNull();
    assertThat(type.endpointProblem(Protocol.QUEUE, address.repeat(512).substring(0, 512)))
        .isNull();
  }

  @ParameterizedTest
  @ValueSource(strings = {"", "a\nb", "a\u0000", "a\u202eb", "\ud800"})
  void textsThatAreNoAddresses(String address) {
    assertThat(type.endpointProblem(Protocol.QUEUE, address))
        .isEqualTo("must be an address of the broker of 1 to 512 printable characters");
  }

  @Test
  void addressThatIsTooLong() {
    assertThat(type.endpointProblem(Protocol.QUEUE, "q".repeat(513))).isNotNull();
  }
}
