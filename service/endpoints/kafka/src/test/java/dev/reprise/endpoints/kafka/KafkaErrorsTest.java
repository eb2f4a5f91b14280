package dev.reprise.endpoints.kafka;

import static org.assertj.core.api.Assertions.assertThat;

import dev.reprise.common.text.HarmlessText;
import dev.reprise.delivery.carrier.CarrierFailure;
import dev.reprise.delivery.carrier.CarrierVerdict;
import net.jqwik.api.Example;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import org.apache.kafka.common.KafkaException;
import org.apache.kafka.common.errors.RetriableException;
import org.apache.kafka.common.protocol.Errors;

final class KafkaErrorsTest {
  @Example
  void everyErrorOfTheProtocolHasAVerdict() {
    for (Errors error : Errors.values()) {
      if (error == Errors.NONE) {
        continue;
      }
      CarrierVerdict verdict = KafkaErrors.verdict(error.exception());
      assertThat(verdict).as(error.name()).isNotNull();
      if (error.exception() instanceof RetriableException) {
        assertThat(verdict)
            .as(error.name())
            .isIn(
                CarrierVerdict.MOMENT,
                CarrierVerdict.RECIPIENT_FOR_NOW,
                CarrierVerdict.RECIPIENT_THROTTLED);
      }
    }
  }

  @Example
  void rowsOfTheTable() {
    assertVerdict(Errors.MESSAGE_TOO_LARGE, CarrierVerdict.MESSAGE);
    assertVerdict(Errors.RECORD_LIST_TOO_LARGE, CarrierVerdict.MESSAGE);
    assertVerdict(Errors.INVALID_RECORD, CarrierVerdict.MESSAGE);
    assertVerdict(Errors.POLICY_VIOLATION, CarrierVerdict.MESSAGE);
    assertVerdict(Errors.INVALID_TOPIC_EXCEPTION, CarrierVerdict.RECIPIENT);
    assertVerdict(Errors.UNKNOWN_TOPIC_OR_PARTITION, CarrierVerdict.RECIPIENT_FOR_NOW);
    assertVerdict(Errors.NOT_LEADER_OR_FOLLOWER, CarrierVerdict.MOMENT);
    assertVerdict(Errors.NOT_ENOUGH_REPLICAS, CarrierVerdict.MOMENT);
    assertVerdict(Errors.NETWORK_EXCEPTION, CarrierVerdict.MOMENT);
    assertVerdict(Errors.UNKNOWN_SERVER_ERROR, CarrierVerdict.MOMENT);
    assertVerdict(Errors.REQUEST_TIMED_OUT, CarrierVerdict.MOMENT);
    assertVerdict(Errors.THROTTLING_QUOTA_EXCEEDED, CarrierVerdict.RECIPIENT_THROTTLED);
    assertVerdict(Errors.TOPIC_AUTHORIZATION_FAILED, CarrierVerdict.SUSPECT);
    assertVerdict(Errors.CLUSTER_AUTHORIZATION_FAILED, CarrierVerdict.ACCOUNT);
    assertVerdict(Errors.SASL_AUTHENTICATION_FAILED, CarrierVerdict.ACCOUNT);
    assertThat(KafkaErrors.failure(Errors.REQUEST_TIMED_OUT.exception()))
        .isEqualTo(CarrierFailure.TIMEOUT);
  }

  private static void assertVerdict(Errors error, CarrierVerdict verdict) {
    assertThat(KafkaErrors.verdict(error.exception())).as(error.name()).isEqualTo(verdict);
    if (error != Errors.UNKNOWN_SERVER_ERROR) {
      assertThat(KafkaErrors.line(error.exception()))
          .startsWith(error.code() + " " + error.name() + ": ");
    }
  }

  @Property
  void anyMessageIsOneShortLine(@ForAll String message) {
    for (Throwable error :
        new Throwable[] {new KafkaException(message), Errors.INVALID_RECORD.exception(message)}) {
      String line = KafkaErrors.line(error);
      assertThat(line).isNotBlank().hasSizeLessThan(600);
      assertThat(line.codePoints().noneMatch(HarmlessText::isHarmful)).isTrue();
    }
  }
}
