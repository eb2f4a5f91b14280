package dev.reprise.smithy;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import dev.reprise.core.InvalidSettingException;
import org.junit.jupiter.api.Test;
import software.amazon.smithy.model.Model;
import software.amazon.smithy.model.shapes.ShapeId;

class RetryErrorsTest {
  @Test
  void thePackageIsThatOfTheServiceOrOfTheErrors() {
    assertThat(generate("golden/rest-json", null).files())
        .containsKey("example/rest/errors/LibraryHttpErrors.java");
    assertThat(generate("golden/throttling-error", null).files())
        .containsKey("example/seed/errors/ThrottlingError.java");
  }

  @Test
  void errorsOfSeveralNamespacesNeedAPackage() {
    assertThatExceptionOfType(InvalidSettingException.class)
        .isThrownBy(() -> generate("golden/collisions", null))
        .withMessage(
            "package is missing: it must be set, for the errors are in several namespaces,"
                + " example.billing, example.orders");
  }

  @Test
  void aNamespaceThatIsNoPackageOfJavaNeedsOneToo() {
    assertThatExceptionOfType(InvalidSettingException.class)
        .isThrownBy(
            () ->
                RetryErrors.generate(
                    model("namespace example.native\n@error(\"client\")\nstructure A {}"),
                    RetryErrorsSettings.defaults()))
        .withMessage(
            "package is missing: it must be set, for example.native.errors is no package name of"
                + " Java");
  }

  @Test
  void aServiceThatTheModelLacksIsNamedWithThoseItHas() {
    assertThatExceptionOfType(InvalidSettingException.class)
        .isThrownBy(() -> generate("golden/several-services", "example.several#Third"))
        .withMessage(
            "service is \"example.several#Third\": must be a service of the model, which has"
                + " example.more#First, example.several#First, example.several#Second,"
                + " example.several#Xml");
  }

  @Test
  void oneServiceGetsItsOwnErrorsOnly() {
    GeneratedErrors generated = generate("golden/several-services", "example.several#Second");

    assertThat(generated.errors()).isEqualTo(1);
    assertThat(generated.companions()).containsExactly("SecondHttpErrors");
    assertThat(generated.files())
        .containsKeys(
            "example/several/errors/Shared.java", "example/several/errors/SecondHttpErrors.java")
        .doesNotContainKey("example/several/errors/OfFirst.java");
  }

  @Test
  void aProtocolThatIsNotReadIsSaid() {
    assertThat(generate("golden/several-services", "example.several#Xml").notes())
        .containsExactly(
            "example.several#Xml gets no class that reads responses: only restJson1, awsJson1_1"
                + " and awsJson1_0 are read");
  }

  @Test
  void aShapeThatLosesItsNameIsSaid() {
    RetryErrorsSettings settings = new RetryErrorsSettings(null, "x");

    assertThat(RetryErrors.generate(CompiledErrors.model("golden/collisions"), settings).notes())
        .contains(
            "example.billing#Item becomes the class ExampleBillingItem: its name is taken",
            "example.orders#Item becomes the class ExampleOrdersItem: its name is taken");
  }

  @Test
  void errorsOfStreamsAreTheServicesToo() {
    GeneratedErrors generated = generate("golden/several-services", "example.more#First");

    assertThat(generated.files()).containsKey("example/more/errors/Gone.java");
    assertThat(generated.errors()).isEqualTo(1);
  }

  @Test
  void whatOnlyLendsItsMembersBecomesNoException() {
    RetryErrorsSettings settings = new RetryErrorsSettings(null, "x");

    assertThat(
            RetryErrors.generate(CompiledErrors.model("golden/several-services"), settings).files())
        .containsKey("x/OfMixin.java")
        .doesNotContainKey("x/Base.java");
  }

  @Test
  void aContradictionBetweenStatusAndTraitsIsSaid() {
    assertThat(generate("golden/faults", null).notes())
        .containsExactly(
            "example.faults#TooManyRequestsWithoutTrait has HTTP status 429 and no @retryable:"
                + " clients will never retry it; `apply"
                + " example.faults#TooManyRequestsWithoutTrait @retryable(throttling: true)` in a"
                + " model file mends it");
  }

  @Test
  void aThrottleByNameThatIsNotRetryableIsSaid() {
    GeneratedErrors generated =
        RetryErrors.generate(
            model("namespace a\n@error(\"client\")\nstructure ThrottlingException {}"),
            RetryErrorsSettings.defaults());

    assertThat(generated.notes())
        .containsExactly(
            "a#ThrottlingException sounds like a throttle and has no @retryable: clients will never"
                + " retry it; `apply a#ThrottlingException @retryable(throttling: true)` in a"
                + " model file mends it");
  }

  @Test
  void aModelWithoutErrorsGivesNothingButANote() {
    GeneratedErrors generated =
        RetryErrors.generate(
            model("namespace example\nstructure A {}"), RetryErrorsSettings.defaults());

    assertThat(generated.files()).isEmpty();
    assertThat(generated.notes()).containsExactly("no shape has @error: nothing was generated");
  }

  private static GeneratedErrors generate(String folder, String service) {
    return RetryErrors.generate(
        CompiledErrors.model(folder),
        new RetryErrorsSettings(service == null ? null : ShapeId.from(service), null));
  }

  private static Model model(String text) {
    return Model.assembler()
        .addUnparsedModel("test.smithy", "$version: \"2\"\n" + text)
        .assemble()
        .unwrap();
  }
}
