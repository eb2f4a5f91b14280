package dev.reprise.endpoints.amqp;

import dev.reprise.delivery.carrier.CarrierVerdict;
import dev.reprise.endpoints.fixtures.OutcomesTable;
import java.util.List;
import java.util.function.Function;
import org.junit.jupiter.api.Test;

/** Compares the document with the code, for AMQP. */
class AmqpOutcomesTableTest {
  private static final String TRANSPORT = "AMQP 1.0 part 2, 2.8.14 to 2.8.18";
  private static final List<String> OF_ADDRESS =
      List.of("amqp:not-found", "amqp:resource-deleted", "amqp:resource-locked");

  private final OutcomesTable table = new OutcomesTable();

  private void row(
      String event, String condition, String more, Function<String, CarrierVerdict> judge) {
    table.row(event + " `" + condition + "`" + more, judge.apply(condition), TRANSPORT);
  }

  @Test
  void conditions() {
    String messaging = "AMQP 1.0 part 3, 3.4";
    table.row("`released`", Conditions.ofReleased(), messaging + "; RabbitMQ: no route");
    table.row("`modified`", Conditions.ofModified(false), messaging);
    table.row("`modified`, `undeliverable-here`", Conditions.ofModified(true), messaging);
    row("rejected", "amqp:decode-error", ", any other, or none", Conditions::ofRejected);
    row("rejected", "amqp:internal-error", "", Conditions::ofRejected);
    OF_ADDRESS.forEach(each -> row("rejected", each, "", Conditions::ofRejected));
    row("refused link", "amqp:not-found", ", any other, or none", Conditions::ofRefusedLink);
    for (String each :
        List.of(
            "amqp:not-allowed",
            "amqp:invalid-field",
            "amqp:not-implemented",
            "amqp:precondition-failed")) {
      row("refused link", each, "", Conditions::ofRefusedLink);
    }
    row("ended link", "amqp:link:detach-forced", ", any other, or none", Conditions::ofEndedLink);
    row("any of these", "amqp:unauthorized-access", "", Conditions::ofRefusedLink);
    row("any of these", "amqp:resource-limit-exceeded", "", Conditions::ofRejected);
    row("any of these", "amqp:link:transfer-limit-exceeded", "", Conditions::ofEndedLink);
    table.row(
        "any of these, a vendor's `server-busy`, `throttled`, `quota-exceeded`",
        Conditions.ofRejected("com.microsoft:server-busy"),
        "Azure Service Bus, AMQP errors");
    table.row(
        "any of these, a vendor's `timeout`, `container-close`, `operation-cancelled`",
        Conditions.ofRejected("com.microsoft:timeout"),
        "Azure Service Bus, AMQP errors");
    table.check("AMQP 1.0: outcomes and conditions");
  }
}
