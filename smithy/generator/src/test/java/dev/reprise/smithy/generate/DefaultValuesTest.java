package dev.reprise.smithy.generate;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

import dev.reprise.smithy.CompiledErrors;
import dev.reprise.smithy.RetryErrors;
import dev.reprise.smithy.RetryErrorsSettings;
import java.math.BigDecimal;
import java.math.BigInteger;
import java.nio.file.Path;
import java.time.Instant;
import java.util.Locale;
import java.util.Map;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import software.amazon.smithy.model.Model;

class DefaultValuesTest {
  private static final String LARGEST_FLOAT = "from -3.4028235E38 to 3.4028235E38";

  @TempDir private Path folder;

  @Test
  @Tag("slow")
  void eachDefaultThatHasAMeaningIsThatValue() {
    CompiledErrors errors =
        CompiledErrors.of(
            CompiledErrors.model("golden/defaults"), RetryErrorsSettings.defaults(), folder);

    Object error = errors.build("OddDefaults");

    Map<String, Object> values =
        Map.ofEntries(
            Map.entry("smallestByte", Byte.MIN_VALUE),
            Map.entry("smallestShort", Short.MIN_VALUE),
            Map.entry("smallestInteger", Integer.MIN_VALUE),
            Map.entry("smallestLong", Long.MIN_VALUE),
            Map.entry("largestLong", Long.MAX_VALUE),
            Map.entry("tenth", 0.1f),
            Map.entry("large", 3e38f),
            Map.entry("denormal", 7 * Float.MIN_VALUE),
            Map.entry("lost", 0f),
            Map.entry("lostBelowZero", -0f),
            Map.entry("notANumber", Float.NaN),
            Map.entry("boundless", Float.POSITIVE_INFINITY),
            Map.entry("boundlessBelow", Float.NEGATIVE_INFINITY),
            Map.entry("largeDouble", 1.5e308),
            Map.entry("lostDouble", 0d),
            Map.entry("notADouble", Double.NaN),
            Map.entry("boundlessDouble", Double.POSITIVE_INFINITY),
            Map.entry("boundlessBelowDouble", Double.NEGATIVE_INFINITY),
            Map.entry("bigInteger", new BigInteger("123456789012345678901234567890")),
            Map.entry("bigDecimal", new BigDecimal("1e1000000")),
            Map.entry("second", Instant.ofEpochSecond(1)),
            Map.entry("nanosecond", Instant.ofEpochSecond(1, 1)),
            Map.entry("beforeEpoch", Instant.ofEpochMilli(-500)),
            Map.entry("dateTime", Instant.parse("2000-01-02T20:34:56.123456789Z")),
            Map.entry("httpDate", Instant.parse("2000-01-02T20:34:56Z")));
    // By equals, to which NaN is NaN, and -0 is not 0.
    values.forEach(
        (name, value) ->
            assertThat(CompiledErrors.value(error, name).equals(value)).as(name).isTrue());
    Object blob = CompiledErrors.value(error, "unpadded");
    assertThat((byte[]) CompiledErrors.value(blob, "toByteArray")).asString().isEqualTo("hi");
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "Blob | \"!!!\" | be base64",
        "Blob | \"a\" | be base64",
        "Byte | 128 | be a whole number from -128 to 127",
        "Integer | 1.5 | be a whole number from -2147483648 to 2147483647",
        "Long | 9223372036854775808 | be a whole number from -9223372036854775808 to"
            + " 9223372036854775807",
        "BigInteger | 1.5 | be a whole number of at most 1000 digits",
        "Float | 1e39 | be " + LARGEST_FLOAT,
        "Float | -1e39 | be " + LARGEST_FLOAT,
        "Double | 1.5e309 | be from -1.7976931348623157E308 to 1.7976931348623157E308",
        "Timestamp | 1e30 | be seconds since 1970, a date-time of RFC 3339 or an HTTP date",
        "Timestamp | \"soon\" | be seconds since 1970, a date-time of RFC 3339 or an HTTP date",
      })
  void aDefaultWithoutMeaningIsRefusedByName(String type, String value, String rule) {
    assertThatIllegalArgumentException()
        .isThrownBy(() -> generated(type, value))
        .satisfies(
            e ->
                assertThat(e.getMessage().toLowerCase(Locale.ROOT))
                    .startsWith("a.b#c$d has the default ")
                    .endsWith(": must " + rule.toLowerCase(Locale.ROOT)));
  }

  @Test
  void theMessageNamesMemberValueAndRule() {
    assertThatExceptionOfType(IllegalArgumentException.class)
        .isThrownBy(() -> generated("Blob", "\"!!!\""))
        .withMessage("a.b#C$d has the default \"!!!\": must be base64");
  }

  @Test
  @Tag("slow")
  void aTextThatIsTooLongForOneConstantIsSeveral() {
    String text = "\u6771".repeat(50_000);
    Model model = model("String", "\"" + text + "\"");

    CompiledErrors errors = CompiledErrors.of(model, RetryErrorsSettings.defaults(), folder);

    assertThat(CompiledErrors.value(errors.build("C"), "d")).isEqualTo(text);
  }

  @Test
  void aDateHasTheSameFormWhateverTheModelGivesIt() {
    String parsed = "Instant.parse(\"2000-01-02T20:34:56Z\")";

    assertThat(generated("Timestamp", "\"2000-01-02T21:34:56+01:00\"")).contains(parsed);
    assertThat(generated("Timestamp", "\"Sun, 02 Jan 2000 20:34:56 GMT\"")).contains(parsed);
    assertThat(generated("Timestamp", "\"Sun, 02 Jan 2000 20:34:56.5 GMT\""))
        .contains("Instant.parse(\"2000-01-02T20:34:56.500Z\")");
  }

  @Test
  void digitsAreThoseOfJavaInEveryLocale() {
    Locale before = Locale.getDefault();
    Locale.setDefault(Locale.forLanguageTag("ar-EG-u-nu-arab"));
    try {
      assertThat(generated("Timestamp", "1.5")).contains("Instant.ofEpochSecond(1L, 500_000_000L)");
    } finally {
      Locale.setDefault(before);
    }
  }

  private static String generated(String type, String value) {
    return RetryErrors.generate(model(type, value), RetryErrorsSettings.defaults())
        .files()
        .get("a/b/errors/C.java");
  }

  private static Model model(String type, String value) {
    String text =
        "$version: \"2\"\nnamespace a.b\n@error(\"client\")\nstructure C {\n  d: "
            + type
            + " = "
            + value
            + "\n}\n";
    // Not unwrapped: what Smithy says of some of these values differs from version to version.
    return Model.assembler()
        .addUnparsedModel("test.smithy", text)
        .assemble()
        .getResult()
        .orElseThrow();
  }
}
