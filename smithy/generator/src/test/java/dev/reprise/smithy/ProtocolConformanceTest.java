package dev.reprise.smithy;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.TreeMap;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.MethodSource;
import software.amazon.smithy.model.Model;
import software.amazon.smithy.model.knowledge.OperationIndex;
import software.amazon.smithy.model.knowledge.TopDownIndex;
import software.amazon.smithy.model.node.Node;
import software.amazon.smithy.model.node.ObjectNode;
import software.amazon.smithy.model.shapes.MemberShape;
import software.amazon.smithy.model.shapes.OperationShape;
import software.amazon.smithy.model.shapes.ServiceShape;
import software.amazon.smithy.model.shapes.Shape;
import software.amazon.smithy.model.shapes.ShapeId;
import software.amazon.smithy.model.shapes.StructureShape;
import software.amazon.smithy.model.traits.ErrorTrait;
import software.amazon.smithy.model.traits.HttpPrefixHeadersTrait;
import software.amazon.smithy.model.traits.HttpResponseCodeTrait;
import software.amazon.smithy.model.traits.StreamingTrait;
import software.amazon.smithy.model.traits.UnitTypeTrait;
import software.amazon.smithy.model.transform.ModelTransformer;
import software.amazon.smithy.protocoltests.traits.AppliesTo;
import software.amazon.smithy.protocoltests.traits.HttpResponseTestCase;
import software.amazon.smithy.protocoltests.traits.HttpResponseTestsTrait;

/**
 * The official tests of the three protocols, run on what is generated from their own models. Those
 * of errors are few and have strings only. Those of outputs have every type in every place of a
 * response; so each output is made an error, and its test a failure that names it.
 */
@Tag("slow")
class ProtocolConformanceTest {
  private static final Model MODEL = PublicModels.PROTOCOL_TESTS.model();
  private static final Model OUTPUTS_AS_ERRORS = outputsAsErrors(MODEL);
  private static final List<ShapeId> PROTOCOLS =
      Stream.of("restJson1", "awsJson1_1", "awsJson1_0")
          .map(name -> ShapeId.fromParts("aws.protocols", name))
          .toList();
  private static final String ERROR_TYPE = "X-Amzn-Errortype";
  private static final int STATUS = 400;
  private static final Map<String, CompiledErrors> COMPILED = new HashMap<>();

  @TempDir private static Path folder;

  /** A test of one service. */
  record Case(Model model, ServiceShape service, StructureShape shape, HttpResponseTestCase test) {
    @Override
    public String toString() {
      return service.getId().getName() + " " + test.getId();
    }
  }

  static Stream<Case> errors() {
    return services(MODEL)
        .flatMap(
            service ->
                errorsOf(MODEL, service).stream()
                    .flatMap(error -> tests(error, service, MODEL, error)));
  }

  static Stream<Case> outputs() {
    return services(OUTPUTS_AS_ERRORS)
        .flatMap(
            service ->
                TopDownIndex.of(MODEL).getContainedOperations(service).stream()
                    .filter(operation -> !operation.getOutputShape().equals(UnitTypeTrait.UNIT))
                    .filter(operation -> !streams(operation))
                    .flatMap(
                        operation ->
                            tests(operation, service, OUTPUTS_AS_ERRORS, errorOf(operation))));
  }

  private static Stream<Case> tests(
      Shape tested, ServiceShape service, Model model, StructureShape error) {
    return tested.getTrait(HttpResponseTestsTrait.class).stream()
        .flatMap(tests -> tests.getTestCasesFor(AppliesTo.CLIENT).stream())
        .filter(test -> service.hasTrait(test.getProtocol()))
        .map(test -> new Case(model, service, error, test));
  }

  private static Stream<ServiceShape> services(Model model) {
    return model
        .shapes(ServiceShape.class)
        .filter(service -> PROTOCOLS.stream().anyMatch(service::hasTrait))
        .sorted();
  }

  private static List<StructureShape> errorsOf(Model model, ServiceShape service) {
    OperationIndex operations = OperationIndex.of(model);
    return TopDownIndex.of(model).getContainedOperations(service).stream()
        .flatMap(operation -> operations.getErrors(service, operation).stream())
        .distinct()
        .sorted()
        .toList();
  }

  private static Model outputsAsErrors(Model model) {
    List<Shape> changed = new ArrayList<>();
    for (OperationShape operation : model.getOperationShapes()) {
      if (operation.hasTrait(HttpResponseTestsTrait.class)
          && !operation.getOutputShape().equals(UnitTypeTrait.UNIT)) {
        StructureShape output = model.expectShape(operation.getOutputShape(), StructureShape.class);
        changed.add(output.toBuilder().addTrait(new ErrorTrait("client")).build());
        changed.add(operation.toBuilder().addError(output).build());
      }
    }
    return ModelTransformer.create().replaceShapes(model, changed);
  }

  private static StructureShape errorOf(OperationShape operation) {
    return OUTPUTS_AS_ERRORS.expectShape(operation.getOutputShape(), StructureShape.class);
  }

  /** An error is read when it is there as a whole. */
  private static boolean streams(OperationShape operation) {
    return MODEL.expectShape(operation.getOutputShape()).members().stream()
        .anyMatch(member -> member.getMemberTrait(MODEL, StreamingTrait.class).isPresent());
  }

  private static CompiledErrors compiled(Case of) {
    ShapeId id = of.service().getId();
    String model = of.model().equals(MODEL) ? "errors." : "outputs.";
    String service = id.getNamespace() + "." + id.getName().toLowerCase(Locale.ROOT);
    return COMPILED.computeIfAbsent(
        model + service,
        name ->
            CompiledErrors.of(of.model(), new RetryErrorsSettings(id, name), folder.resolve(name)));
  }

  private static RuntimeException read(
      Case of, int status, Map<String, String> headers, String body) {
    Map<String, List<String>> lists = new LinkedHashMap<>();
    headers.forEach((name, value) -> lists.put(name, List.of(value)));
    return compiled(of)
        .read(
            of.service().getId().getName() + "HttpErrors",
            status,
            lists,
            body.getBytes(StandardCharsets.UTF_8));
  }

  @ParameterizedTest(name = "{0}")
  @MethodSource("errors")
  void readsAnErrorAsItsProtocolSays(Case of) {
    RuntimeException error =
        read(of, of.test().getCode(), of.test().getHeaders(), of.test().getBody().orElse(""));

    assertThat(error.getClass().getSimpleName()).isEqualTo(of.shape().getId().getName());
    assertThat(CompiledErrors.value(error, "httpStatus")).isEqualTo(of.test().getCode());
    new ExpectedMembers(of.model()).check(of.shape(), of.test().getParams(), error);
  }

  @ParameterizedTest(name = "{0}")
  @MethodSource("outputs")
  void readsMembersAsTheirProtocolSays(Case of) {
    Map<String, String> headers = new LinkedHashMap<>(of.test().getHeaders());
    headers.put(ERROR_TYPE, of.shape().getId().getName());

    RuntimeException error = read(of, STATUS, headers, of.test().getBody().orElse(""));

    assertThat(error.getClass().getSimpleName()).isEqualTo(of.shape().getId().getName());
    new ExpectedMembers(of.model()).check(of.shape(), asOfAnError(of), error);
  }

  /** Besides the official forms: what services, proxies and HTTP/2 make of them. */
  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      nullValues = "-",
      textBlock =
          """
          X-AMZN-ERRORTYPE | FooError                          | -
          x-amzn-errortype | FooError                          | {}
          x-amzn-errortype | ' FooError '                      | -
          x-amzn-errortype | FooError,FooError                 | -
          x-amzn-errortype | FooError:                         | not JSON
          x-amzn-errortype | a.b#FooError                      | {"__type":"ComplexError"}
          x-amzn-errortype | FooError                          | {"code":"ComplexError"}
          x-amzn-errortype | UnheardOf                         | {"__type":"FooError"}
          x-amzn-errortype | ''                                | {"__type":"FooError"}
          x-unrelated      | ComplexError                      | {"__type":"a.b#FooError:http://c/#d"}
          x-unrelated      | ComplexError                      | {"__type":7,"code":"FooError"}
          x-unrelated      | ComplexError                      | {"__type":null,"code":"a#FooError"}
          x-unrelated      | ComplexError                      | {"__type":"FooError","code":"ComplexError"}
          x-unrelated      | ComplexError                      | {"__type":"UnheardOf","code":"FooError"}
          """)
  void readsACodeInAnyForm(String header, String value, @Nullable String body) {
    for (String service : List.of("JsonRpc10", "JsonProtocol", "RestJson")) {
      Case of =
          errors()
              .filter(each -> each.service().getId().getName().equals(service))
              .findAny()
              .orElseThrow();

      RuntimeException error = read(of, 500, Map.of(header, value), body == null ? "" : body);

      assertThat(error.getClass().getSimpleName()).as(service).isEqualTo("FooError");
    }
  }

  /** What the test expects, but for the status and the header that make it an error. */
  private static ObjectNode asOfAnError(Case of) {
    ObjectNode params = of.test().getParams();
    for (MemberShape member : of.shape().members()) {
      String name = member.getMemberName();
      if (member.hasTrait(HttpResponseCodeTrait.class)) {
        params = params.withMember(name, STATUS);
      }
      if (member
          .getTrait(HttpPrefixHeadersTrait.class)
          .filter(prefix -> prefix.getValue().isEmpty())
          .isPresent()) {
        ObjectNode all = params.expectObjectMember(name);
        params = params.withMember(name, all.withMember(ERROR_TYPE, of.shape().getId().getName()));
      }
    }
    return params;
  }

  @Test
  void seesEveryWrongValue() {
    Case of =
        errors()
            .filter(each -> each.test().getId().equals("AwsJson10ComplexError"))
            .findAny()
            .orElseThrow();
    ObjectNode params = of.test().getParams();
    RuntimeException error =
        read(of, of.test().getCode(), of.test().getHeaders(), of.test().getBody().orElse(""));
    ExpectedMembers expected = new ExpectedMembers(of.model());

    expected.check(of.shape(), params, error);
    for (ObjectNode wrong :
        List.of(
            params.withMember("TopLevel", "top level"),
            params.withoutMember("TopLevel"),
            params.withMember("Nested", Node.objectNode().withMember("Foo", "Bar")),
            params.withMember("Nested", Node.objectNode()))) {
      assertThatThrownBy(() -> expected.check(of.shape(), wrong, error))
          .isInstanceOf(AssertionError.class);
    }
  }

  @Test
  void runsAllTestsThereAre() {
    assertThat(byProtocol(errors()))
        .isEqualTo(Map.of("awsJson1_0", 16L, "awsJson1_1", 14L, "restJson1", 14L));
    assertThat(byProtocol(outputs()))
        .isEqualTo(Map.of("awsJson1_0", 22L, "awsJson1_1", 45L, "restJson1", 89L));
  }

  private static Map<String, Long> byProtocol(Stream<Case> cases) {
    return cases.collect(
        Collectors.groupingBy(
            each -> each.test().getProtocol().getName(), TreeMap::new, Collectors.counting()));
  }
}
