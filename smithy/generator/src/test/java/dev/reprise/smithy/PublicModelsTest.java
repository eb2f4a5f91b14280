package dev.reprise.smithy;

import static org.assertj.core.api.Assertions.assertThat;

import dev.reprise.core.ErrorFault;
import dev.reprise.core.ErrorInfo;
import dev.reprise.core.RetryInfo;
import dev.reprise.core.RetrySafety;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.TreeMap;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.MethodSource;
import software.amazon.smithy.model.shapes.StructureShape;
import software.amazon.smithy.model.traits.ErrorTrait;

/** The published models of Amazon DynamoDB and Amazon SQS, and responses as these services send. */
@Tag("slow")
class PublicModelsTest {
  private static final String DYNAMODB = "DynamoDB20120810HttpErrors";
  private static final String SQS = "AmazonSQSHttpErrors";

  /** A line of documentation that is one address, which has no place to break. */
  private static final Pattern ADDRESS = Pattern.compile(" +\\* +(href=\")?https://\\S+");

  @TempDir private static Path folder;
  private static CompiledErrors dynamoDb;
  private static CompiledErrors sqs;

  @BeforeAll
  static void compile() {
    dynamoDb = compiled(PublicModels.DYNAMODB);
    sqs = compiled(PublicModels.SQS);
  }

  private static CompiledErrors compiled(PublicModels model) {
    String name = model.name().toLowerCase(Locale.ROOT);
    return CompiledErrors.of(
        model.model(), new RetryErrorsSettings(null, "published." + name), folder.resolve(name));
  }

  private static CompiledErrors of(PublicModels model) {
    return model == PublicModels.SQS ? sqs : dynamoDb;
  }

  @Test
  void everyErrorIsGenerated() {
    GeneratedErrors errors = dynamoDb.generated();
    assertThat(List.of(errors.errors(), errors.types(), errors.companions().size()))
        .isEqualTo(List.of(35, 3, 1));
    assertThat(sqs.generated().errors()).isEqualTo(28);
    assertThat(sqs.generated().types()).isZero();
    assertThat(sqs.generated().companions()).hasSize(1);
  }

  @ParameterizedTest
  @EnumSource(names = {"DYNAMODB", "SQS"})
  void aCommentHasNoLongLine(PublicModels model) {
    of(model)
        .generated()
        .files()
        .forEach(
            (path, text) ->
                assertThat(text.lines().filter(line -> line.strip().startsWith("*")))
                    .as(path)
                    .allMatch(line -> line.length() <= 100 || ADDRESS.matcher(line).matches()));
  }

  @ParameterizedTest
  @EnumSource(names = {"DYNAMODB", "SQS"})
  void theModelsHtmlIsJavadoc(PublicModels model) {
    of(model)
        .generated()
        .files()
        .forEach(
            (path, text) ->
                assertThat(text)
                    .as(path)
                    .doesNotContain("</p>", "<code>", "<note>", "<fullname>", "&nbsp;"));
  }

  static Stream<String> errorsOfDynamoDb() {
    return errorsOf(PublicModels.DYNAMODB);
  }

  static Stream<String> errorsOfSqs() {
    return errorsOf(PublicModels.SQS);
  }

  private static Stream<String> errorsOf(PublicModels model) {
    return model.model().getStructureShapesWithTrait(ErrorTrait.class).stream()
        .map(StructureShape::getId)
        .map(id -> id.getName())
        .sorted();
  }

  @ParameterizedTest
  @MethodSource("errorsOfDynamoDb")
  void dynamoDbsAnswerIsRead(String name) {
    RuntimeException error =
        read(
            dynamoDb,
            DYNAMODB,
            Map.of("content-type", "application/x-amz-json-1.0"),
            "{\"__type\":\"com.amazonaws.dynamodb.v20120810#" + name + "\",\"message\":\"Why.\"}");

    assertThat(error.getClass().getSimpleName()).isEqualTo(name);
    assertThat(CompiledErrors.value(error, "httpStatus")).isEqualTo(400);
  }

  @ParameterizedTest
  @MethodSource("errorsOfSqs")
  void sqssAnswerIsRead(String name) {
    RuntimeException error =
        read(
            sqs,
            SQS,
            Map.of("x-amzn-query-error", "AWS.SimpleQueueService." + name + ";Sender"),
            "{\"__type\":\"com.amazonaws.sqs#" + name + "\",\"message\":\"Why.\"}");

    assertThat(error.getClass().getSimpleName()).isEqualTo(name);
    assertThat(CompiledErrors.value(error, "httpStatus")).isEqualTo(400);
  }

  private static RuntimeException read(
      CompiledErrors errors, String companion, Map<String, String> headers, String body) {
    Map<String, List<String>> lists = new TreeMap<>();
    headers.forEach((name, value) -> lists.put(name, List.of(value)));
    return errors.read(companion, 400, lists, body.getBytes(StandardCharsets.UTF_8));
  }

  @Test
  void anItemThatFailedItsConditionIsReadWhole() {
    RuntimeException error =
        read(
            dynamoDb,
            DYNAMODB,
            Map.of(),
            """
            {
              "__type": "com.amazonaws.dynamodb.v20120810#ConditionalCheckFailedException",
              "message": "The conditional request failed",
              "Item": {
                "id": {"S": "42"},
                "size": {"N": "1e3"},
                "gone": {"NULL": true},
                "raw": {"B": "AQI="},
                "tags": {"SS": ["a", "b"]},
                "deep": {"M": {"list": {"L": [{"BOOL": false}, {"M": {"x": {"S": "y"}}}]}}},
                "new": {"Z": "of a later version"}
              }
            }
            """);

    assertThat(error).hasMessage("The conditional request failed");
    assertThat(CompiledErrors.value(error, "item"))
        .hasToString(
            "{id=SMember[value=42], size=NMember[value=1e3], gone=NULLMember[value=true],"
                + " raw=BMember[value=Blob[2 bytes]], tags=SSMember[value=[a, b]],"
                + " deep=MMember[value={list=LMember[value=[BOOLMember[value=false],"
                + " MMember[value={x=SMember[value=y]}]]]}], new=UnknownMember[tag=Z]}");
  }

  @Test
  void aCancelledTransactionTellsEachReason() {
    RuntimeException error =
        read(
            dynamoDb,
            DYNAMODB,
            Map.of(),
            """
            {
              "__type": "com.amazonaws.dynamodb.v20120810#TransactionCanceledException",
              "Message": "Transaction cancelled",
              "CancellationReasons": [
                {"Code": "None"},
                {"Code": "ConditionalCheckFailed", "Message": "No", "Item": {"id": {"S": "42"}}}
              ]
            }
            """);

    assertThat(error).hasMessage("Transaction cancelled");
    List<?> reasons = (List<?>) CompiledErrors.value(error, "cancellationReasons");
    assertThat(reasons).hasSize(2);
    assertThat(CompiledErrors.value(reasons.get(0), "code")).isEqualTo("None");
    assertThat(CompiledErrors.value(reasons.get(1), "message")).isEqualTo("No");
  }

  @Test
  void factsAreTheModels() {
    assertFacts(dynamoDb, "InternalServerError", ErrorFault.SERVER, 500, RetrySafety.MAYBE);
    assertFacts(dynamoDb, "InvalidEndpointException", ErrorFault.CLIENT, 421, RetrySafety.NO);
    assertFacts(
        dynamoDb, "ReplicatedWriteConflictException", ErrorFault.CLIENT, 400, RetrySafety.YES);
    assertFacts(sqs, "QueueDoesNotExist", ErrorFault.CLIENT, 400, RetrySafety.NO);
    assertFacts(sqs, "InvalidAddress", ErrorFault.CLIENT, 404, RetrySafety.NO);
  }

  /** These models say {@code @retryable} of one error only, and of none that it is throttling. */
  @Test
  void throttlingThatTheModelDoesNotTellIsAClientsError() {
    for (String name :
        List.of(
            "ProvisionedThroughputExceededException",
            "RequestLimitExceeded",
            "ThrottlingException")) {
      assertFacts(dynamoDb, name, ErrorFault.CLIENT, 400, RetrySafety.NO);
    }
    assertFacts(sqs, "RequestThrottled", ErrorFault.CLIENT, 403, RetrySafety.NO);
  }

  private static void assertFacts(
      CompiledErrors errors, String name, ErrorFault fault, int status, RetrySafety safety) {
    Object error = errors.build(name);
    assertThat(((ErrorInfo) error).fault()).as(name).isEqualTo(fault);
    assertThat(CompiledErrors.value(error, "httpStatus")).as(name).isEqualTo(status);
    assertThat(((RetryInfo) error).isRetrySafe()).as(name).isEqualTo(safety);
    assertThat(((RetryInfo) error).isThrottle()).as(name).isFalse();
    assertThat(((RetryInfo) error).isTimeout()).as(name).isFalse();
  }
}
