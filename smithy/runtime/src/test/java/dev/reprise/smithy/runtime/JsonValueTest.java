package dev.reprise.smithy.runtime;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.math.BigDecimal;
import java.math.BigInteger;
import java.nio.charset.StandardCharsets;
import java.time.Instant;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.function.Function;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class JsonValueTest {
  @ParameterizedTest
  @ValueSource(
      strings = {
        "",
        " ",
        "{",
        "}",
        "[",
        "]",
        "{]",
        "[}",
        "[1,]",
        "[,1]",
        "{,}",
        "{\"a\"}",
        "{\"a\":}",
        "{\"a\":1,}",
        "{a:1}",
        "{'a':1}",
        "{\"a\" 1}",
        "[1 2]",
        "1 2",
        "[] x",
        "tru",
        "True",
        "nulll",
        "nul",
        "\"",
        "\"a",
        "\"\\\"",
        "\"\\x\"",
        "\"\\u12\"",
        "\"\\u12g4\"",
        "\"\\u011\u3965\"",
        "\"\\",
        "\"\n\"",
        "\"\u0000\"",
        "\u0000",
        "01",
        "-",
        "-01",
        "+1",
        ".5",
        "5.",
        "1e",
        "1e+",
        "1.e3",
        "NaN",
        "Infinity",
        "0x10",
        "/**/1",
        "<html>",
        "1\u0000",
        "\u00a01",
        "\ufeff\ufeff1"
      })
  void malformedTextIsMissing(String json) {
    assertThat(parse(json)).isSameAs(JsonValue.MISSING);
  }

  @Test
  void nothingCanBeReadFromWhatIsMissing() {
    for (Function<JsonValue, ?> reading : ALL_READINGS) {
      assertThat(reading.apply(JsonValue.MISSING)).isNull();
    }
    assertThat(JsonValue.MISSING.isPresent()).isFalse();
    assertThat(JsonValue.MISSING.isObject()).isFalse();
    assertThat(JsonValue.MISSING.get("a")).isSameAs(JsonValue.MISSING);
    assertThat(JsonValue.text(null)).isSameAs(JsonValue.MISSING);
  }

  @Test
  void nothingCanBeReadFromNull() {
    for (Function<JsonValue, ?> reading : ALL_READINGS) {
      assertThat(reading.apply(parse("null"))).isNull();
    }
    assertThat(parse("null").isPresent()).isFalse();
  }

  @Test
  void whatIsOfAnotherTypeIsNull() {
    for (String json : List.of("{\"a\":[1]}", "[{}]", "true", "\"text\"", "5")) {
      JsonValue value = parse(json);
      int read = 0;
      for (Function<JsonValue, ?> reading : ALL_READINGS) {
        read += reading.apply(value) == null ? 0 : 1;
      }
      // Each has its own type and is a document; a number is also a time, and a text may be Base64.
      assertThat(read).as(json).isEqualTo(expectedReadings(json));
    }
  }

  @Test
  void aMemberIsFoundByItsName() {
    JsonValue value = parse(" { \"city\" : \"Oz\" , \"n\\u0061me\" : 5, \"\": true } ");

    assertThat(value.isObject()).isTrue();
    assertThat(value.get("city").string()).isEqualTo("Oz");
    assertThat(value.get("name").int32()).isEqualTo(5);
    assertThat(value.get("").bool()).isTrue();
    assertThat(value.get("none").isPresent()).isFalse();
    assertThat(parse("[1]").get("city").isPresent()).isFalse();
    assertThat(value.get("city").get("city").isPresent()).isFalse();
  }

  @Test
  void theLastOfTwoMembersOfTheSameNameCounts() {
    JsonValue value = parse("{\"a\":1,\"b\":2,\"\\u0061\":3}");

    assertThat(value.get("a").int32()).isEqualTo(3);
    assertThat(value.map(k -> k, JsonValue::int32)).isEqualTo(Map.of("a", 3, "b", 2));
  }

  @Test
  void aByteOrderMarkIsSkipped() {
    assertThat(parse("\ufeff{\"a\":1}").get("a").int32()).isEqualTo(1);
    assertThat(parse("\ufeff").isPresent()).isFalse();
  }

  @ParameterizedTest
  @CsvSource(
      quoteCharacter = '~',
      value = {
        "\\n\\t\\r\\b\\f,10 9 13 8 12",
        "\\\"\\\\\\/,34 92 47",
        "\\u0000,0",
        "\\u00e9é,233 233",
        "\\uD83D\\uDE00😀,128512 128512",
        "\\uD83D,65533",
        "\\uDE00\\uD83D,65533 65533",
        "\\uD83Dx\\uDE00,65533 120 65533"
      })
  void aStringIsUnescaped(String json, String codePoints) {
    String text = parse('"' + json + '"').string();

    assertThat(text.codePoints().mapToObj(String::valueOf)).containsExactly(codePoints.split(" "));
  }

  @Test
  void malformedUtf8InAStringBecomesAReplacementCharacter() {
    byte[] json = {'{', '"', 'a', '"', ':', '"', (byte) 0xC3, '"', '}'};

    assertThat(JsonValue.parse(json).get("a").string()).isEqualTo("\ufffd");
  }

  @ParameterizedTest
  @CsvSource({
    "0, 0, 0, 0, 0",
    "-0, 0, 0, 0, 0",
    "127, 127, 127, 127, 127",
    "128, , 128, 128, 128",
    "-128, -128, -128, -128, -128",
    "-129, , -129, -129, -129",
    "32768, , , 32768, 32768",
    "-32769, , , -32769, -32769",
    "2147483647, , , 2147483647, 2147483647",
    "2147483648, , , , 2147483648",
    "-2147483649, , , , -2147483649",
    "9223372036854775807, , , , 9223372036854775807",
    "-9223372036854775808, , , , -9223372036854775808",
    "9223372036854775808, , , , ",
    "-9223372036854775809, , , , ",
    "5.0, 5, 5, 5, 5",
    "5e0, 5, 5, 5, 5",
    "0.5e1, 5, 5, 5, 5",
    "500E-2, 5, 5, 5, 5",
    "5.5, , , , ",
    "1e-1, , , , ",
    "1e1000000000, , , , ",
    "1e-1000000000, , , , ",
    "1e99999999999, , , , "
  })
  void anIntegerIsReadWhenItIsWholeAndInRange(
      String json, Byte int8, Short int16, Integer int32, Long int64) {
    for (JsonValue value : List.of(parse(json), JsonValue.text(json))) {
      assertThat(value.int8()).isEqualTo(int8);
      assertThat(value.int16()).isEqualTo(int16);
      assertThat(value.int32()).isEqualTo(int32);
      assertThat(value.int64()).isEqualTo(int64);
    }
  }

  @ParameterizedTest
  @CsvSource({
    "1.5, 1.5, 1.5",
    "-0, -0.0, -0.0",
    "1e39, , 1e39",
    "1e309, , ",
    "-1e1000000000, , ",
    "1e-1000000000, 0, 0",
    "16777217, 16777216, 16777217",
    "'\"NaN\"', NaN, NaN",
    "'\"Infinity\"', Infinity, Infinity",
    "'\"-Infinity\"', -Infinity, -Infinity",
    "'\"1.5\"', , ",
    "true, , "
  })
  void aFractionIsReadWhenItIsInRange(String json, Float float32, Double float64) {
    assertThat(parse(json).float32()).isEqualTo(float32);
    assertThat(parse(json).float64()).isEqualTo(float64);
  }

  @Test
  void aFloatIsRoundedOnce() {
    // Just above the middle between two floats; as a double it is the middle, and rounds down.
    String json = "1.00000005960464477540";

    assertThat(parse(json).float32()).isEqualTo(Math.nextUp(1f));
  }

  @Test
  void aNumberOfAnySizeUpToAThousandCharactersIsRead() {
    String digits = "9".repeat(1000);

    assertThat(parse(digits).bigInteger()).isEqualTo(new BigInteger(digits));
    assertThat(parse("0." + "9".repeat(998)).bigDecimal())
        .isEqualTo(new BigDecimal("0." + "9".repeat(998)));
    assertThat(parse("1e999").bigInteger()).isEqualTo(BigInteger.TEN.pow(999));
    assertThat(parse("1e-1000").bigDecimal()).isEqualTo(new BigDecimal("1e-1000"));
    assertThat(parse("1" + "0".repeat(900) + "e-900").bigInteger()).isEqualTo(BigInteger.ONE);
    assertThat(parse(digits + "9").bigInteger()).isNull();
    assertThat(parse(digits + "9").float64()).isNull();
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "1e1000000000",
        "1e-1000000000",
        "1E+2147483648",
        "0e999999999",
        "1e1000",
        "1e-1001"
      })
  void aNumberOfOverAThousandDigitsIsNotRead(String json) {
    assertThat(parse(json).isPresent()).isTrue();
    assertThat(parse(json).bigDecimal()).isNull();
    assertThat(parse(json).bigInteger()).isNull();
    assertThat(parse(json).epochSeconds()).isNull();
    assertThat(parse(json).json()).isEqualTo(json);
  }

  @ParameterizedTest
  @CsvSource({
    "AAEC/w==, 0 1 2 -1",
    "AAEC/w, 0 1 2 -1",
    "AAEC_w, 0 1 2 -1",
    "'', ''",
    "' AAE= ', 0 1",
  })
  void aBlobIsBase64OfEitherAlphabet(String base64, String bytes) {
    byte[] blob = JsonValue.text(base64).blob();

    assertThat(Arrays.toString(blob)).isEqualTo("[" + bytes.replace(" ", ", ") + "]");
    assertThat(parse('"' + base64 + '"').blob()).isEqualTo(blob);
  }

  @ParameterizedTest
  @ValueSource(strings = {"A", "A===", "AA*=", "not base64!", "é"})
  void whatIsNotBase64IsNull(String text) {
    assertThat(JsonValue.text(text).blob()).isNull();
  }

  @ParameterizedTest
  @CsvSource({
    "0, 1970-01-01T00:00:00Z",
    "1515531081.1234, 2018-01-09T20:51:21.123400Z",
    "1.5e9, 2017-07-14T02:40:00Z",
    "-0.5, 1969-12-31T23:59:59.500Z",
    "1.0000000019, 1970-01-01T00:00:01.000000001Z",
    "1e18, ",
    "-1e30, ",
    "1e10000, "
  })
  void secondsAfter1970AreATime(String json, Instant time) {
    assertThat(parse(json).epochSeconds()).isEqualTo(time);
    assertThat(JsonValue.text(json).epochSeconds()).isEqualTo(time);
  }

  @ParameterizedTest
  @CsvSource({
    "2018-01-09T20:51:21Z, 2018-01-09T20:51:21Z",
    "2018-01-09T20:51:21.123456789Z, 2018-01-09T20:51:21.123456789Z",
    "2018-01-09T20:51:21+01:30, 2018-01-09T19:21:21Z",
    "2018-01-09t20:51:21z, 2018-01-09T20:51:21Z",
    "2016-12-31T23:59:60Z, 2016-12-31T23:59:59Z",
    "2018-02-30T20:51:21Z, ",
    "2018-01-09, ",
    "1515531081, ",
    "soon, "
  })
  void aDateTimeHasAnOffset(String text, Instant time) {
    assertThat(parse('"' + text + '"').dateTime()).isEqualTo(time);
  }

  @ParameterizedTest
  @CsvSource({
    "'Tue, 29 Apr 2014 18:30:38 GMT', 2014-04-29T18:30:38Z",
    "'Tue, 29 Apr 2014 18:30:38.5 GMT', 2014-04-29T18:30:38.500Z",
    "'Sun, 02 Jan 2000 20:34:56.000000001 GMT', 2000-01-02T20:34:56.000000001Z",
    "' Tue, 29 Apr 2014 18:30:38 GMT ', 2014-04-29T18:30:38Z",
    "'Tue, 29 Apr 2014 18:30:38. GMT', ",
    "'Tue, 31 Apr 2014 18:30:38 GMT', ",
    "'Tue, 29 Apr 2014 18:30:38 CET', ",
    "soon, "
  })
  void anHttpDateMayHaveAFraction(String text, Instant time) {
    assertThat(JsonValue.text(text).httpDate()).isEqualTo(time);
    assertThat(parse('"' + text + '"').httpDate()).isEqualTo(time);
  }

  @Test
  void aListKeepsWhatCanBeReadAndASparseOneItsPlacesToo() {
    JsonValue value = parse("[1, null, \"two\", [], 3]");

    assertThat(value.list(JsonValue::int32)).containsExactly(1, 3);
    assertThat(value.sparseList(JsonValue::int32)).containsExactly(1, null, null, null, 3);
    assertThat(parse("[ ]").list(JsonValue::int32)).isEmpty();
    assertThat(parse("{}").list(JsonValue::int32)).isNull();
  }

  @Test
  void aMapKeepsItsOrderAndWhatCanBeReadAndASparseOneItsNamesToo() {
    JsonValue value = parse("{\"z\":1,\"y\":null,\"x\":\"two\",\"a\":3}");

    assertThat(value.map(k -> k, JsonValue::int32))
        .containsExactly(Map.entry("z", 1), Map.entry("a", 3));
    assertThat(value.sparseMap(k -> k, JsonValue::int32).keySet())
        .containsExactly("z", "y", "x", "a");
    assertThat(value.sparseMap(k -> k, JsonValue::int32)).containsEntry("y", null);
    assertThat(parse("{ }").map(k -> k, JsonValue::int32)).isEmpty();
    assertThat(parse("[]").map(k -> k, JsonValue::int32)).isNull();
  }

  @Test
  void listsAndMapsCannotBeChanged() {
    JsonValue list = parse("[1, null]");
    JsonValue map = parse("{\"a\":1,\"b\":null}");

    for (List<?> elements :
        List.of(list.list(JsonValue::int32), list.sparseList(JsonValue::int32))) {
      assertThatThrownBy(() -> elements.remove(0))
          .isInstanceOf(UnsupportedOperationException.class);
    }
    for (Map<?, ?> members :
        List.of(map.map(k -> k, JsonValue::int32), map.sparseMap(k -> k, JsonValue::int32))) {
      assertThatThrownBy(members::clear).isInstanceOf(UnsupportedOperationException.class);
    }
  }

  @Test
  void whereAllIsIsKnownOfAnyNesting() {
    JsonValue value =
        parse("{\"a\":[{\"b\":[[],{},[{\"c\":1}]]},\"]}\",[2]],\"d\":{\"a\":{\"d\":3}},\"e\":4}");

    assertThat(value.get("a").list(JsonValue::json))
        .containsExactly("{\"b\":[[],{},[{\"c\":1}]]}", "\"]}\"", "[2]");
    assertThat(value.get("d").get("a").get("d").int32()).isEqualTo(3);
    assertThat(value.get("e").int32()).isEqualTo(4);
    assertThat(value.get("b").isPresent()).isFalse();
    assertThat(value.sparseMap(k -> k, JsonValue::json).keySet()).containsExactly("a", "d", "e");
  }

  @ParameterizedTest
  @CsvSource(
      quoteCharacter = '~',
      delimiter = '|',
      value = {
        "{\"a\":1}|a",
        "{\"__type\":\"ns#U\",\"a\":null,\"b\":1,\"c\":2}|b",
        "{\"a\":null}|",
        "{}|",
        "[1]|"
      })
  void theTagIsTheFirstMemberThatIsThere(String json, String tag) {
    assertThat(parse(json).tag()).isEqualTo(tag);
  }

  @Test
  void aDocumentIsJsonWithoutWhitespace() {
    String json = " { \"a b\" : [ 1.50 , \"\\\\\" , \" \\\" \\u0020\" , null ] ,\n\t\"é\" : { } } ";

    assertThat(parse(json).json())
        .isEqualTo("{\"a b\":[1.50,\"\\\\\",\" \\\" \\u0020\",null],\"é\":{}}");
    assertThat(parse(json).get("a b").json()).isEqualTo("[1.50,\"\\\\\",\" \\\" \\u0020\",null]");
  }

  @Test
  void aHeaderIsATextFromWhichNumbersAndBooleansAreRead() {
    assertThat(JsonValue.text(" true ").bool()).isTrue();
    assertThat(JsonValue.text("false").bool()).isFalse();
    assertThat(JsonValue.text("TRUE").bool()).isNull();
    assertThat(JsonValue.text(" 5 ").int32()).isEqualTo(5);
    assertThat(JsonValue.text("5 6").int32()).isNull();
    assertThat(JsonValue.text("0x5").float64()).isNull();
    assertThat(JsonValue.text("5f").float64()).isNull();
    assertThat(JsonValue.text("").int32()).isNull();
    assertThat(JsonValue.text("NaN").float64()).isNaN();
    assertThat(JsonValue.text("{\"a\":1}").string()).isEqualTo("{\"a\":1}");
    assertThat(JsonValue.text("{\"a\":1}").isObject()).isFalse();
    assertThat(JsonValue.text("[1]").list(JsonValue::int32)).isNull();
    assertThat(JsonValue.text("5").json()).isNull();
  }

  @Test
  void theOtherValueIsTakenWhenThereIsNone() {
    assertThat(JsonValue.or(null, "else")).isEqualTo("else");
    assertThat(JsonValue.or("value", "else")).isEqualTo("value");
  }

  @Test
  void valuesMayBeNested128DeepAndNoDeeper() {
    assertThat(parse("[".repeat(128) + "]".repeat(128)).isPresent()).isTrue();
    assertThat(parse("{\"a\":".repeat(128) + "1" + "}".repeat(128)).isPresent()).isTrue();
    assertThat(parse("[".repeat(129) + "]".repeat(129)).isPresent()).isFalse();
  }

  @ParameterizedTest
  @ValueSource(strings = {"[", "{\"a\":", "[{\"a\":["})
  void aMillionBracketsDoNotOverflowTheStack(String open) throws Exception {
    byte[] json = open.repeat(1_000_000).getBytes(StandardCharsets.UTF_8);
    JsonValue[] value = new JsonValue[1];

    Thread small = new Thread(null, () -> value[0] = JsonValue.parse(json), "small", 192 * 1024);
    small.start();
    small.join();

    assertThat(value[0]).isSameAs(JsonValue.MISSING);
  }

  static JsonValue parse(String json) {
    return JsonValue.parse(json.getBytes(StandardCharsets.UTF_8));
  }

  private static int expectedReadings(String json) {
    return switch (json.charAt(0)) {
      // The document, the tag, and maps with and without holes.
      case '{' -> 4;
      // The document, and lists with and without holes.
      case '[' -> 3;
      // The document and the boolean.
      case 't' -> 2;
      // The document, the string, and by chance Base64.
      case '"' -> 3;
      // The document, four integers, two floats, two of any size, and a time.
      default -> 10;
    };
  }

  static final List<Function<JsonValue, ?>> ALL_READINGS =
      List.of(
          JsonValue::string,
          JsonValue::bool,
          JsonValue::int8,
          JsonValue::int16,
          JsonValue::int32,
          JsonValue::int64,
          JsonValue::float32,
          JsonValue::float64,
          JsonValue::bigInteger,
          JsonValue::bigDecimal,
          JsonValue::blob,
          JsonValue::epochSeconds,
          JsonValue::dateTime,
          JsonValue::httpDate,
          JsonValue::tag,
          JsonValue::json,
          value -> value.list(JsonValue::string),
          value -> value.sparseList(JsonValue::string),
          value -> value.map(k -> k, JsonValue::string),
          value -> value.sparseMap(k -> k, JsonValue::string));
}
