package dev.reprise.endpoints.amqp;

import static org.assertj.core.api.Assertions.assertThat;

import dev.reprise.common.text.HarmlessText;
import dev.reprise.delivery.carrier.CarrierVerdict;
import dev.reprise.delivery.carrier.Consequence;
import net.jqwik.api.Arbitraries;
import net.jqwik.api.Arbitrary;
import net.jqwik.api.Example;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.Provide;
import org.apache.qpid.protonj2.types.Symbol;
import org.apache.qpid.protonj2.types.transport.ErrorCondition;

final class ConditionsTest {
  @Example
  void rejectedIsPermanentUnlessItPasses() {
    assertThat(Conditions.ofRejected(null)).isEqualTo(CarrierVerdict.MESSAGE);
    assertThat(Conditions.ofRejected("amqp:decode-error")).isEqualTo(CarrierVerdict.MESSAGE);
    assertThat(Conditions.ofRejected("amqp:not-found")).isEqualTo(CarrierVerdict.RECIPIENT_FOR_NOW);
    assertThat(Conditions.ofRejected("com.microsoft:timeout")).isEqualTo(CarrierVerdict.MOMENT);
    assertThat(Conditions.ofRejected("amqp:resource-limit-exceeded"))
        .isEqualTo(CarrierVerdict.RECIPIENT_THROTTLED);
    assertThat(Conditions.ofRejected("amqp:unauthorized-access")).isEqualTo(CarrierVerdict.SUSPECT);
  }

  @Example
  void refusedLinkIsTriedAgainUnlessItLasts() {
    assertThat(Conditions.ofRefusedLink(null)).isEqualTo(CarrierVerdict.RECIPIENT_FOR_NOW);
    assertThat(Conditions.ofRefusedLink("amqp:not-found"))
        .isEqualTo(CarrierVerdict.RECIPIENT_FOR_NOW);
    assertThat(Conditions.ofRefusedLink("amqp:not-implemented"))
        .isEqualTo(CarrierVerdict.RECIPIENT);
    assertThat(Conditions.ofRefusedLink("amqp:unauthorized-access"))
        .isEqualTo(CarrierVerdict.SUSPECT);
  }

  @Example
  void endedLinkIsMadeAgain() {
    assertThat(Conditions.ofEndedLink(null)).isEqualTo(CarrierVerdict.MOMENT);
    assertThat(Conditions.ofEndedLink("amqp:not-allowed")).isEqualTo(CarrierVerdict.MOMENT);
    assertThat(Conditions.ofEndedLink("amqp:link:transfer-limit-exceeded"))
        .isEqualTo(CarrierVerdict.RECIPIENT_THROTTLED);
  }

  @Property
  void anyConditionHasAVerdict(@ForAll("conditions") String condition) {
    assertThat(Conditions.ofRejected(condition)).isNotNull();
    assertThat(Conditions.ofRefusedLink(condition)).isNotNull();
    assertThat(Conditions.ofEndedLink(condition).consequence()).isNotEqualTo(Consequence.GIVE_UP);
  }

  @Property
  void anyDescriptionIsOneShortLine(
      @ForAll("conditions") String condition, @ForAll String description) {
    String line = Conditions.line("rejected", condition, description);

    assertThat(line).startsWith("rejected").hasSizeLessThan(2 * 320);
    assertThat(line.codePoints().noneMatch(HarmlessText::isHarmful)).isTrue();
  }

  @Example
  void conditionWithoutPartsIsNoReasonToThrow() {
    ErrorCondition nameless = new ErrorCondition((Symbol) null, null);

    assertThat(Conditions.line("rejected", nameless)).isEqualTo("rejected");
    assertThat(Conditions.line("rejected", null)).isEqualTo("rejected");
    assertThat(Conditions.name(null)).isNull();
  }

  @Provide
  Arbitrary<String> conditions() {
    return Arbitraries.oneOf(
        Arbitraries.strings(),
        Arbitraries.of(
            "amqp:", ":", "amqp:link:", "com.microsoft:", "amqp:not-found ", "AMQP:NOT-FOUND"),
        Arbitraries.strings().alpha().map(last -> "com.microsoft:" + last));
  }
}
