package dev.reprise.endpoints.kafka;

import static org.assertj.core.api.Assertions.assertThat;

import dev.reprise.common.text.HarmlessText;
import dev.reprise.delivery.carrier.CarrierFailure;
import dev.reprise.delivery.carrier.Verdict;
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
      Verdict verdict = KafkaErrors.verdict(error.exception());
      assertThat(verdict).as(error.name()).isNotNull();
      if (error.exception() instanceof RetriableException) {
        assertThat(verdict)
            .as(error.name())
            .isIn(Verdict.MOMENT, Verdict.RECIPIENT_FOR_NOW, Verdict.RECIPIENT_THROTTLED);
      }
    }
  }

  @Example
  void rowsOfTheTable() {
    assertVerdict(Errors.MESSAGE_TOO_LARGE, Verdict.MESSAGE);
    assertVerdict(Errors.RECORD_LIST_TOO_LARGE, Verdict.MESSAGE);
    assertVerdict(Errors.INVALID_RECORD, Verdict.MESSAGE);
    assertVerdict(Errors.POLICY_VIOLATION, Verdict.MESSAGE);
    assertVerdict(Errors.INVALID_TOPIC_EXCEPTION, Verdict.RECIPIENT);
    assertVerdict(Errors.UNKNOWN_TOPIC_OR_PARTITION, Verdict.RECIPIENT_FOR_NOW);
    assertVerdict(Errors.NOT_LEADER_OR_FOLLOWER, Verdict.MOMENT);
    assertVerdict(Errors.NOT_ENOUGH_REPLICAS, Verdict.MOMENT);
    assertVerdict(Errors.NETWORK_EXCEPTION, Verdict.MOMENT);
    assertVerdict(Errors.UNKNOWN_SERVER_ERROR, Verdict.MOMENT);
    assertVerdict(Errors.REQUEST_TIMED_OUT, Verdict.MOMENT);
    assertVerdict(Errors.THROTTLING_QUOTA_EXCEEDED, Verdict.RECIPIENT_THROTTLED);
    assertVerdict(Errors.TOPIC_AUTHORIZATION_FAILED, Verdict.SUSPECT);
    assertVerdict(Errors.CLUSTER_AUTHORIZATION_FAILED, Verdict.ACCOUNT);
    assertVerdict(Errors.SASL_AUTHENTICATION_FAILED, Verdict.ACCOUNT);
    assertThat(KafkaErrors.failure(Errors.REQUEST_TIMED_OUT.exception()))
        .isEqualTo(CarrierFailure.TIMEOUT);
  }

  private static void assertVerdict(Errors error, Verdict verdict) {
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
