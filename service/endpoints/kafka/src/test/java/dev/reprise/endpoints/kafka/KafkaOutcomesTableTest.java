package dev.reprise.endpoints.kafka;

import dev.reprise.delivery.carrier.CarrierVerdict;
import dev.reprise.endpoints.fixtures.OutcomesTable;
import net.jqwik.api.Example;
import org.apache.kafka.common.protocol.Errors;

/** Compares the document with the code, for Kafka. */
final class KafkaOutcomesTableTest {
  private static final String PROTOCOL = "Kafka protocol, error codes";

  @Example
  void errors() {
    OutcomesTable table = new OutcomesTable();
    for (Errors error : Errors.values()) {
      if (error == Errors.NONE) {
        continue;
      }
      CarrierVerdict verdict = KafkaErrors.verdict(error.exception());
      // Many are of requests that a producer never makes.
      if (verdict != CarrierVerdict.MOMENT) {
        table.row("`" + error.code() + " " + error + "`", verdict, PROTOCOL);
      }
    }
    table.row("all others, and no answer in time", CarrierVerdict.MOMENT, PROTOCOL);
    table.check("Kafka: errors");
  }
}
