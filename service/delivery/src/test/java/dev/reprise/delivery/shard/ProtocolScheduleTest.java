package dev.reprise.delivery.shard;

import static org.assertj.core.api.Assertions.assertThat;

import dev.reprise.delivery.AttemptOutcome;
import dev.reprise.delivery.Protocol;
import dev.reprise.delivery.ShardSettings;
import dev.reprise.delivery.carrier.CarrierFailure;
import dev.reprise.delivery.catalog.CatalogDocuments;
import dev.reprise.delivery.catalog.EffectivePolicy;
import dev.reprise.delivery.catalog.SubscriptionSettings;
import dev.reprise.delivery.catalog.Topic;
import dev.reprise.delivery.secret.SecretKeys;
import dev.reprise.policy.NotificationPolicy;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

/**
 * A subscription that says nothing of retries follows the four stages of its protocol's preset
 * (document 004), from its settings to the attempts that its shard starts, on virtual time.
 */
@Tag("slow")
class ProtocolScheduleTest {
  private static final AttemptOutcome FAILED =
      new AttemptOutcome(CarrierFailure.TRANSIENT, 0, "failed", "", new byte[0], 1);

  private static JsonNode vector(Protocol protocol) {
    String name = protocol == Protocol.HTTP ? "http-default" : protocol.wireName();
    for (JsonNode vector :
        JsonMapper.shared()
            .readTree(
                Objects.requireNonNull(
                    ProtocolScheduleTest.class.getResourceAsStream(
                        "/vectors/staged-schedules.json")))) {
      if (vector.get("name").asString().equals(name)) {
        return vector;
      }
    }
    throw new AssertionError("no schedule of " + name);
  }

  private static SubscriptionSpec spec(Protocol protocol) {
    String endpoint =
        switch (protocol) {
          case HTTP -> "\"endpoint\":\"https://example.com/hook\"";
          case FUNCTION -> "\"endpoint\":\"audit\"";
          default -> "\"endpoint\":\"there\",\"carrier\":\"c\"";
        };
    SubscriptionSettings settings =
        CatalogDocuments.readSettings(
            JsonMapper.shared()
                .readTree("{\"protocol\":\"" + protocol.wireName() + "\"," + endpoint + "}"),
            null,
            SecretKeys.NONE);
    Topic topic =
        new Topic(Topic.DEFAULT_PROJECT, "t", new NotificationPolicy(null, null, false), 0);
    EffectivePolicy policy = EffectivePolicy.of(topic, settings);
    return new SubscriptionSpec(
        1, policy.retries().toRetryPolicy(), 0, 0, false, settings.maxInFlight(), settings.group());
  }

  @ParameterizedTest
  @EnumSource
  void attemptsComeAsThePresetOfTheProtocolSays(Protocol protocol) {
    JsonNode vector = vector(protocol);
    // The history of 100,010 attempts is of no interest here.
    ShardSettings settings = ShardSettings.DEFAULT.withHistory(Duration.ofMinutes(10));
    ShardHost host = new ShardHost(settings, spec(protocol));
    host.publish(1);
    host.run();
    List<Long> delays = new ArrayList<>();
    while (!host.started.isEmpty()) {
      long failedAt = host.nowMillis;
      host.end(host.started.get(0), FAILED);
      host.run();
      while (host.started.isEmpty() && host.ledger(1).pending() > 0) {
        host.nowMillis = Math.max(host.nowMillis, host.wakeAtMillis);
        host.run();
      }
      if (!host.started.isEmpty()) {
        delays.add(host.nowMillis - failedAt);
      }
    }

    List<Long> expected = new ArrayList<>();
    for (JsonNode run : vector.get("delays")) {
      for (int i = 0; i < run.get("times").asInt(); i++) {
        expected.add(run.get("delayMillis").asLong());
      }
    }
    assertThat(delays).hasSize(vector.get("retries").asInt()).isEqualTo(expected);
    assertThat(host.ledger(1).deadLettered()).isEqualTo(1);
    assertThat(host.ledger(1).attempts()).isEqualTo(vector.get("attempts").asLong());
  }
}
