package dev.reprise.smithy;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;
import static org.assertj.core.api.Assertions.catchThrowable;

import dev.reprise.core.ErrorFault;
import dev.reprise.core.ErrorInfo;
import dev.reprise.core.RetryInfo;
import dev.reprise.core.RetrySafety;
import dev.reprise.core.retry.Retry;
import dev.reprise.smithy.runtime.UnmodeledHttpError;
import dev.reprise.testkit.VirtualTime;
import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.ObjectInputStream;
import java.io.ObjectOutputStream;
import java.io.ObjectStreamClass;
import java.lang.reflect.Method;
import java.lang.reflect.Modifier;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import software.amazon.smithy.model.Model;

/** Generated classes in use: built, thrown, retried, read, printed and serialized. */
@Tag("slow")
class GeneratedErrorsInUseTest {
  /** Each model is generated and compiled once: its classes have no state. */
  private static final Map<String, CompiledErrors> COMPILED = new HashMap<>();

  @TempDir private static Path folder;

  private final VirtualTime time = new VirtualTime();

  @ParameterizedTest
  @CsvSource({
    // error, attempts of an operation that is not idempotent, and of one that is
    "ClientError, 1, 1",
    "RetryableClientError, 3, 3",
    "ThrottledClientError, 3, 3",
    "TooManyRequestsWithoutTrait, 1, 1",
    "RequestTimeout, 3, 3",
    "ServerError, 1, 3",
    "RetryableServerError, 3, 3",
    "Overloaded, 3, 3",
    "GatewayTimeout, 1, 3",
  })
  void retryDoesAsTheModelSays(String error, int attempts, int attemptsWhenIdempotent) {
    CompiledErrors errors = compiled("faults");
    Retry retry = Retry.builder().time(time).build();

    assertThat(attempts(retry, errors, error)).isEqualTo(attempts);
    assertThat(attempts(retry.toBuilder().idempotent(true).build(), errors, error))
        .isEqualTo(attemptsWhenIdempotent);
  }

  private static int attempts(Retry retry, CompiledErrors errors, String error) {
    AtomicInteger attempts = new AtomicInteger();
    Throwable thrown =
        catchThrowable(
            () ->
                retry.call(
                    () -> {
                      attempts.incrementAndGet();
                      throw (RuntimeException) errors.build(error);
                    }));
    assertThat(thrown).isInstanceOf(errors.type(error));
    return attempts.get();
  }

  @Test
  void theHintOfTheResponseIsWaitedFor() {
    CompiledErrors errors = compiled("rest-json");
    AtomicInteger attempts = new AtomicInteger();

    String result =
        Retry.builder()
            .time(time)
            .build()
            .call(
                () -> {
                  if (attempts.incrementAndGet() == 1) {
                    throw errors.read(
                        "LibraryHttpErrors",
                        429,
                        Map.of(
                            "x-amzn-errortype", List.of("ThrottlingError"),
                            "retry-after", List.of("11")),
                        new byte[0]);
                  }
                  return "book";
                });

    assertThat(result).isEqualTo("book");
    assertThat(time.waits()).hasSize(1);
    assertThat(time.waits().get(0)).isGreaterThanOrEqualTo(Duration.ofSeconds(11));
  }

  @Test
  void theHintHasNoPublicSetter() throws Exception {
    CompiledErrors errors = compiled("throttling-error");
    Object error = errors.build("ThrottlingError", "message", "slow down");

    assertThat(((RetryInfo) error).retryAfter()).isNull();
    assertThat(error.getClass().getSuperclass().getMethods())
        .noneMatch(method -> method.getName().equals("setRetryAfter"));
    Class<?> builder = errors.type("ThrottlingError$Builder");
    assertThat(
            Modifier.toString(
                builder.getDeclaredMethod("received", int.class, Duration.class).getModifiers()))
        .isEmpty();
    assertThat(Arrays.stream(builder.getMethods()).map(Method::getName))
        .doesNotContain("retryAfter", "received");
  }

  @Test
  void theErrorOfTheSeedIsWhatTheSeedDescribes() {
    Object error = compiled("throttling-error").build("ThrottlingError", "message", "slow down");

    assertThat(error).isInstanceOf(RuntimeException.class);
    assertThat((Throwable) error).hasMessage("slow down");
    assertThat(CompiledErrors.value(error, "message")).isEqualTo("slow down");
    assertThat(((ErrorInfo) error).fault()).isEqualTo(ErrorFault.CLIENT);
    RetryInfo info = (RetryInfo) error;
    assertThat(info.isRetrySafe()).isEqualTo(RetrySafety.YES);
    assertThat(info.isThrottle()).isTrue();
    assertThat(info.isTimeout()).isFalse();
  }

  @Test
  void aCauseIsKept() {
    IllegalStateException cause = new IllegalStateException("why");

    Object error = compiled("throttling-error").build("ThrottlingError", "cause", cause);

    assertThat((Throwable) error).hasCause(cause);
  }

  @Test
  void whatIsRequiredMustBeSet() {
    CompiledErrors errors = compiled("members");

    assertThatExceptionOfType(NullPointerException.class)
        .isThrownBy(() -> errors.build("Detail", "text", "x"))
        .withMessage("Detail.code is required");
  }

  @Test
  void whatIsNotSetIsNullEmptyOrTheDefault() {
    CompiledErrors errors = compiled("members");
    RuntimeException error = errors.read("MembersHttpErrors", 422, "{}");

    assertThat(error).isInstanceOf(errors.type("EveryType"));
    assertThat(CompiledErrors.value(error, "aString")).isNull();
    assertThat(CompiledErrors.value(error, "anInteger")).isNull();
    assertThat(CompiledErrors.value(error, "requiredInteger")).isEqualTo(0);
    assertThat(CompiledErrors.value(error, "requiredString")).isEqualTo("");
    assertThat(CompiledErrors.value(error, "requiredTimestamp")).isEqualTo(Instant.EPOCH);
    assertThat(CompiledErrors.value(error, "requiredList")).isEqualTo(List.of());
    assertThat(CompiledErrors.value(error, "requiredStructure"))
        .hasToString("Detail[code=0, text=null]");
    assertThat(CompiledErrors.value(error, "defaultBoolean")).isEqualTo(true);
    assertThat(CompiledErrors.value(error, "defaultShort")).isEqualTo((short) -2);
    assertThat(CompiledErrors.value(error, "defaultString")).isEqualTo("say \"hi\"\n");
    assertThat(CompiledErrors.value(error, "defaultTimestamp"))
        .isEqualTo(Instant.ofEpochMilli(1500));
    assertThat(CompiledErrors.value(error, "defaultBlob")).hasToString("Blob[2 bytes]");
    assertThat(CompiledErrors.value(error, "clientOptional")).isNull();
    assertThat(CompiledErrors.value(error, "nullDefault")).isNull();
  }

  @Test
  void secretsAreNeverPrinted() {
    CompiledErrors errors = compiled("sensitive");
    Object account =
        errors.build(
            "Account",
            "name",
            "Ada",
            "password",
            "hunter2",
            "pin",
            4711,
            "old",
            List.of("hunter1"),
            "byName",
            Map.of("bank", "hunter3"));
    Object error = errors.build("SecretMessage", "message", "hunter2 is wrong", "account", account);

    assertThat(account)
        .hasToString("Account[name=Ada, password=***, pin=***, old=***, byName=***]");
    assertThat((Throwable) error).hasMessage(null);
    assertThat(CompiledErrors.value(error, "message")).isEqualTo("hunter2 is wrong");
    assertThat((Throwable) errors.build("SecretError", "message", "hunter2")).hasMessage(null);
    assertThat(errors.build("Whole", "left", "hunter2", "right", 1))
        .hasToString("Whole[left=***, right=***]");
    assertThat(record(errors, "Proof$PasswordMember", String.class, "hunter2"))
        .hasToString("PasswordMember[value=***]");
    assertThat(record(errors, "Proof$PinMember", int.class, 4711))
        .hasToString("PinMember[value=***]");
    assertThat(record(errors, "Proof$OpenMember", String.class, "x"))
        .hasToString("OpenMember[value=x]");
    assertThat(record(errors, "Hidden$UnknownMember", String.class, "hunter2"))
        .hasToString("UnknownMember[tag=***]");
    assertThat(record(errors, "Hidden$AMember", String.class, "hunter2"))
        .hasToString("AMember[value=***]");
    assertThat(record(errors, "Code", String.class, "hunter2")).hasToString("***");
    assertThat(record(errors, "Level", int.class, 4711)).hasToString("***");
  }

  private static Object record(
      CompiledErrors errors, String name, Class<?> component, Object value) {
    try {
      return errors.type(name).getConstructor(component).newInstance(value);
    } catch (ReflectiveOperationException e) {
      throw new LinkageError(name, e);
    }
  }

  @Test
  void whatIsHandedInIsCopied() {
    CompiledErrors errors = compiled("collections");
    List<String> words = new ArrayList<>(List.of("a"));
    Object error =
        errors.build(
            "ManyThings", "words", words, "requiredWords", words, "requiredByName", Map.of());
    words.add("b");

    assertThat(CompiledErrors.value(error, "words")).isEqualTo(List.of("a"));
    assertThat(CompiledErrors.value(error, "byColor")).isEqualTo(Map.of());
  }

  @Test
  void structuresWithTheSameValuesAreEqual() {
    CompiledErrors errors = compiled("members");
    Object one = errors.build("Detail", "code", 1, "text", "x");

    assertThat(one)
        .isEqualTo(errors.build("Detail", "code", 1, "text", "x"))
        .hasSameHashCodeAs(errors.build("Detail", "code", 1, "text", "x"))
        .isNotEqualTo(errors.build("Detail", "code", 2, "text", "x"))
        .isNotEqualTo(errors.build("Detail", "code", 1));
  }

  @Test
  void anEnumIsOpen() {
    CompiledErrors errors = compiled("enums");
    RuntimeException error =
        errors.read(
            "EnumsHttpErrors", 400, "{\"color\":\"ultraviolet\",\"level\":99,\"old\":\"2nd\"}");

    Object color = CompiledErrors.value(error, "color");
    assertThat(color).hasToString("ultraviolet");
    assertThat(CompiledErrors.value(color, "isKnown")).isEqualTo(false);
    Object old = CompiledErrors.value(error, "old");
    assertThat(CompiledErrors.value(old, "isKnown")).isEqualTo(true);
    assertThat(CompiledErrors.value(error, "level")).hasToString("99");
    assertThat(CompiledErrors.value(error, "defaultColor")).hasToString("red");
  }

  @Test
  void aUnionOfANewerServerIsUnknownAndNamed() {
    CompiledErrors errors = compiled("unions");
    RuntimeException error =
        errors.read(
            "UnionsHttpErrors",
            422,
            "{\"shape\":{\"hexagon\":6},\"expected\":{\"circle\":{\"radius\":2}},"
                + "\"all\":[{\"nothing\":{}},{\"square\":\"no number\"},7]}");

    assertThat(CompiledErrors.value(error, "shape")).hasToString("UnknownMember[tag=hexagon]");
    assertThat(CompiledErrors.value(error, "expected"))
        .hasToString("CircleMember[value=Circle[radius=2.0]]");
    assertThat(CompiledErrors.value(error, "all"))
        .hasToString("[NothingMember[], UnknownMember[tag=square]]");
  }

  @Test
  void anErrorIsTheSameAfterSerialization() throws Exception {
    CompiledErrors errors = compiled("rest-json");
    RuntimeException error =
        errors.read(
            "LibraryHttpErrors",
            404,
            Map.of(
                "X-Amzn-ErrorType", List.of("NoSuchBook"),
                "X-Book-Id", List.of("b1"),
                "X-Near", List.of("a, b"),
                "X-Meta-Shelf", List.of("7"),
                "Retry-After", List.of("3")),
            "{\"Message\":\"gone\",\"the_author\":{\"full_name\":\"Ada\"},\"choice\":{\"a\":\"x\"}}"
                .getBytes(StandardCharsets.UTF_8));

    ByteArrayOutputStream bytes = new ByteArrayOutputStream();
    try (ObjectOutputStream out = new ObjectOutputStream(bytes)) {
      out.writeObject(error);
    }
    Object read;
    try (ObjectInputStream in =
        new ObjectInputStream(new ByteArrayInputStream(bytes.toByteArray())) {
          @Override
          protected Class<?> resolveClass(ObjectStreamClass type) throws ClassNotFoundException {
            return Class.forName(type.getName(), false, error.getClass().getClassLoader());
          }
        }) {
      read = in.readObject();
    }

    assertThat((Throwable) read).hasMessage("gone");
    assertThat(((RetryInfo) read).retryAfter()).isEqualTo(Duration.ofSeconds(3));
    for (String accessor : List.of("id", "near", "meta", "author", "choice")) {
      assertThat(CompiledErrors.value(read, accessor))
          .isEqualTo(CompiledErrors.value(error, accessor))
          .isNotNull();
    }
    assertThat(CompiledErrors.value(read, "near")).isEqualTo(List.of("a", "b"));
    assertThat(CompiledErrors.value(read, "meta")).isEqualTo(Map.of("Shelf", "7"));
  }

  @Test
  void aStatusStandsForTheOnlyErrorThatHasIt() {
    CompiledErrors errors = compiled("rest-json");

    assertThat(errors.read("LibraryHttpErrors", 429, "{}"))
        .isInstanceOf(errors.type("ThrottlingError"));
    // Two errors have 404.
    assertThat(errors.read("LibraryHttpErrors", 404, "{}")).isInstanceOf(UnmodeledHttpError.class);
    // A proxy's page, and a name that is newer than the model.
    assertThat(errors.read("LibraryHttpErrors", 429, "<html>"))
        .isInstanceOf(UnmodeledHttpError.class);
    assertThat(errors.read("LibraryHttpErrors", 429, "{\"__type\":\"NewError\"}"))
        .isInstanceOf(UnmodeledHttpError.class);
  }

  @Test
  void aStatusAloneNeverMakesARetryLikelier() {
    CompiledErrors errors = compiled("plain-json");
    // Errors of a plain API have nothing but their status, and the model is believed.
    assertThat(errors.read("ShopHttpErrors", 503, "{}")).isInstanceOf(errors.type("Busy"));

    CompiledErrors named = compiled("aws-json");
    // A gateway's answer: the model's retryable error has the same status, and a name.
    assertThat(named.read("Table20120810HttpErrors", 400, "{}"))
        .isInstanceOf(UnmodeledHttpError.class);
  }

  @Test
  void theMessageIsReadInAnyCase() {
    CompiledErrors errors = compiled("plain-json");

    assertThat(errors.read("ShopHttpErrors", 404, "{\"Message\":\"sold\"}")).hasMessage("sold");
    assertThat(errors.read("ShopHttpErrors", 404, "{\"Message\":\"a\",\"message\":\"b\"}"))
        .hasMessage("b");
  }

  @Test
  void aDefaultThatIsTakenAwayIsNamed() {
    CompiledErrors errors = compiled("enums");

    assertThatExceptionOfType(NullPointerException.class)
        .isThrownBy(
            () ->
                errors.build(
                    "WrongColor",
                    "requiredColor",
                    record(errors, "Color", String.class, "red"),
                    "requiredLevel",
                    record(errors, "Level", int.class, 1),
                    "defaultColor",
                    null))
        .withMessage("WrongColor.defaultColor is required");
  }

  @Test
  void aListThatIsNullIsNamed() {
    CompiledErrors errors = compiled("collections");

    assertThatExceptionOfType(NullPointerException.class)
        .isThrownBy(() -> errors.build("ManyThings", "words", null))
        .withMessage("ManyThings.words is required");
  }

  @Test
  void inAPlainApiACodeMayBeAMemberLikeAnyOther() {
    CompiledErrors errors = compiled("plain-json");
    RuntimeException error =
        errors.read("ShopHttpErrors", 409, "{\"code\":\"E17\",\"message\":\"sold\"}");

    assertThat(error).isInstanceOf(errors.type("OutOfStock")).hasMessage("sold");
    assertThat(CompiledErrors.value(error, "code")).isEqualTo("E17");
  }

  @Test
  void inAPlainApiACodeIsNoPartOfAMessage() {
    CompiledErrors errors = compiled("plain-json");

    assertThat(errors.read("ShopHttpErrors", 400, "{\"code\":\"483920-otp\"}"))
        .isInstanceOf(UnmodeledHttpError.class)
        .hasMessage("HTTP 400 Bad Request");
  }

  @Test
  void whatWasReadCannotBeChangedAtAnyDepth() {
    CompiledErrors errors = compiled("collections");
    RuntimeException error =
        errors.read("CollectionsHttpErrors", 409, "{\"table\":[[1,2],[3]],\"words\":[\"a\"]}");

    List<?> table = (List<?>) CompiledErrors.value(error, "table");
    assertThat(table).hasToString("[[1, 2], [3]]");
    assertThatExceptionOfType(UnsupportedOperationException.class)
        .isThrownBy(() -> ((List<?>) table.get(0)).clear());
  }

  @Test
  void anUnknownErrorFallsBackOnItsStatus() {
    CompiledErrors errors = compiled("aws-json");

    RuntimeException gone = errors.read("Table20120810HttpErrors", 410, "");
    RuntimeException busy = errors.read("Table20120810HttpErrors", 503, "no json");
    RuntimeException throttled =
        errors.read("Table20120810HttpErrors", 400, "{\"__type\":\"a#ThrottlingException\"}");

    assertThat(((RetryInfo) gone).isRetrySafe()).isEqualTo(RetrySafety.NO);
    assertThat(((RetryInfo) busy).isRetrySafe()).isEqualTo(RetrySafety.MAYBE);
    assertThat(((ErrorInfo) busy).fault()).isEqualTo(ErrorFault.SERVER);
    assertThat(((RetryInfo) throttled).isThrottle()).isTrue();
    assertThat(((RetryInfo) throttled).isRetrySafe()).isEqualTo(RetrySafety.YES);
  }

  /** More than one method of Java has room for. */
  @Test
  void aServiceMayHaveThousandsOfErrors() {
    int count = 2_000;
    StringBuilder text = new StringBuilder("$version: \"2\"\nnamespace a\nservice S { errors: [");
    StringBuilder shapes = new StringBuilder();
    for (int i = 0; i < count; i++) {
      text.append(" E").append(i);
      shapes.append("@error(\"client\") structure E").append(i).append(" {}\n");
    }
    Model model =
        Model.assembler()
            .addUnparsedModel("many.smithy", text.append(" ] }\n").append(shapes).toString())
            .assemble()
            .unwrap();

    CompiledErrors errors = CompiledErrors.of(model, RetryErrorsSettings.defaults(), folder);

    for (int i : List.of(0, 499, 500, 1_000, count - 1)) {
      assertThat(errors.read("SHttpErrors", 400, "{\"__type\":\"E" + i + "\"}"))
          .isInstanceOf(errors.type("E" + i));
    }
  }

  @Test
  void successIsNoError() {
    CompiledErrors errors = compiled("plain-json");

    assertThatIllegalArgumentException()
        .isThrownBy(() -> errors.read("ShopHttpErrors", 204, ""))
        .withMessage("status is 204: 2xx is not an error");
  }

  @Test
  void membersAreFoundWhereTheirBindingsSay() {
    CompiledErrors errors = compiled("rest-json");
    byte[] body = "a picture".getBytes(StandardCharsets.UTF_8);

    RuntimeException picture = errors.read("LibraryHttpErrors", 415, type("BadPicture"), body);
    RuntimeException text = errors.read("LibraryHttpErrors", 422, type("BadText"), body);
    RuntimeException author =
        errors.read(
            "LibraryHttpErrors",
            410,
            type("Gone"),
            "{\"full_name\":\"Ada\"}".getBytes(StandardCharsets.UTF_8));

    assertThat(CompiledErrors.value(picture, "picture")).hasToString("Blob[9 bytes]");
    assertThat(CompiledErrors.value(text, "text")).isEqualTo("a picture");
    assertThat(CompiledErrors.value(author, "author")).hasToString("Author[name=Ada]");

    RuntimeException shelf =
        errors.read(
            "LibraryHttpErrors",
            423,
            Map.of("X-Amzn-Errortype", List.of("BadShelf"), "x-shelf-red", List.of("blue")),
            "red".getBytes(StandardCharsets.UTF_8));
    assertThat(CompiledErrors.value(shelf, "shelves")).hasToString("{red=blue}");
    assertThat(CompiledErrors.value(shelf, "color")).hasToString("red");

    RuntimeException book =
        errors.read(
            "LibraryHttpErrors",
            404,
            Map.of("X-Amzn-Errortype", List.of("NoSuchBook"), "X-Json", List.of("eyJhIjoxfQ==")),
            "{\"status\":7}".getBytes(StandardCharsets.UTF_8));
    assertThat(CompiledErrors.value(book, "status")).isEqualTo(404);
    assertThat(CompiledErrors.value(book, "json")).isEqualTo("{\"a\":1}");
  }

  private static Map<String, List<String>> type(String error) {
    return Map.of("X-Amzn-Errortype", List.of(error));
  }

  @Test
  void inAwsJsonNamesAndBindingsOfRestDoNotCount() {
    CompiledErrors errors = compiled("aws-json");
    RuntimeException error =
        errors.read(
            "Table20120810HttpErrors",
            400,
            "{\"__type\":\"com.example#ConditionalCheckFailedException\",\"message\":\"no\","
                + "\"Item\":{\"id\":{\"S\":\"1\"},\"tags\":{\"L\":[{\"BOOL\":true}]}}}");

    assertThat(error).isInstanceOf(errors.type("ConditionalCheckFailedException")).hasMessage("no");
    assertThat(CompiledErrors.value(error, "item"))
        .hasToString("{id=SMember[value=1], tags=LMember[value=[BOOLMember[value=true]]]}");
  }

  private static CompiledErrors compiled(String model) {
    return COMPILED.computeIfAbsent(
        model,
        name ->
            CompiledErrors.of(
                CompiledErrors.model("golden/" + name),
                RetryErrorsSettings.defaults(),
                folder.resolve(name)));
  }
}
