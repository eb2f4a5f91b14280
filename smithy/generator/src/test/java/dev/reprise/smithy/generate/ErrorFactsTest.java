package dev.reprise.smithy.generate;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

import dev.reprise.core.ErrorFault;
import dev.reprise.core.RetrySafety;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import software.amazon.smithy.model.shapes.StructureShape;
import software.amazon.smithy.model.traits.ErrorTrait;
import software.amazon.smithy.model.traits.HttpErrorTrait;
import software.amazon.smithy.model.traits.RetryableTrait;

class ErrorFactsTest {
  @ParameterizedTest(name = "{0} {1} {2}")
  @CsvSource({
    // @error, @httpError (0: none), @retryable: fault, status, safety, throttle, timeout
    "client, 0, none, CLIENT, 400, NO, false, false",
    "server, 0, none, SERVER, 500, MAYBE, false, false",
    "client, 0, plain, CLIENT, 400, YES, false, false",
    "server, 0, plain, SERVER, 500, YES, false, false",
    "client, 429, throttling, CLIENT, 429, YES, true, false",
    "server, 503, throttling, SERVER, 503, YES, true, false",
    "client, 429, none, CLIENT, 429, NO, false, false",
    "client, 408, none, CLIENT, 408, NO, false, true",
    "client, 408, plain, CLIENT, 408, YES, false, true",
    "server, 504, none, SERVER, 504, MAYBE, false, true",
    "server, 503, none, SERVER, 503, MAYBE, false, false",
    "client, 404, none, CLIENT, 404, NO, false, false",
  })
  void theTraitsAreTold(
      String error,
      int status,
      String retryable,
      ErrorFault fault,
      int told,
      RetrySafety safety,
      boolean throttle,
      boolean timeout) {
    ErrorFacts facts = ErrorFacts.of(shape(error, status, retryable));

    assertThat(facts).isEqualTo(new ErrorFacts(fault, told, status != 0, safety, throttle));
    assertThat(facts.timeout()).isEqualTo(timeout);
  }

  @ParameterizedTest
  @CsvSource({
    "client, 429, none, true",
    "client, 408, none, true",
    "client, 429, plain, false",
    "client, 404, none, false",
    "client, 0, none, false",
    "server, 504, none, false",
  })
  void aStatusThatAsksForARetryWhichTheTraitsForbidIsNoticed(
      String error, int status, String retryable, boolean contradicts) {
    assertThat(ErrorFacts.of(shape(error, status, retryable)).contradictsItsStatus())
        .isEqualTo(contradicts);
  }

  @Test
  void whatIsNoErrorIsRefused() {
    assertThatIllegalArgumentException()
        .isThrownBy(() -> ErrorFacts.of(StructureShape.builder().id("a#B").build()))
        .withMessage("a#B is no error: it lacks @error");
  }

  private static StructureShape shape(String error, int status, String retryable) {
    StructureShape.Builder shape =
        StructureShape.builder().id("a#B").addTrait(new ErrorTrait(error));
    if (status != 0) {
      shape.addTrait(new HttpErrorTrait(status));
    }
    if (!retryable.equals("none")) {
      shape.addTrait(RetryableTrait.builder().throttling(retryable.equals("throttling")).build());
    }
    return shape.build();
  }
}
