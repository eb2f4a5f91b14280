package dev.reprise.smithy.runtime;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Twenty megabytes are read in the time of a few passes: anything quadratic would take days. */
@Tag("slow")
class LargeBodyTest {
  private static final int SIZE = 20_000_000;

  @ParameterizedTest
  @ValueSource(
      strings = {
        "0,",
        "[],",
        "{},",
        "\"\\n\",",
        "[[[[[[[[]]]]]]]],",
        "{\"a\":{\"b\":[1,2]}},",
        "1e9,",
        " 5 , "
      })
  void aLongListIsRead(String element) {
    String json = "{\"list\":[" + element.repeat(SIZE / element.length()) + "null],\"code\":\"A\"}";

    ErrorResponse response = ErrorResponse.of(400, Map.of(), utf8(json));

    assertThat(response.codes()).containsExactly("A");
    assertThat(response.body().get("list").list(JsonValue::bool)).isEmpty();
    assertThat(response.body().get("list").json()).hasSizeGreaterThan(SIZE / 3);
  }

  @Test
  void aLongObjectIsRead() {
    String json = "{" + "\"\\u0061\":0,".repeat(SIZE / 11) + "\"code\":\"A\"}";

    ErrorResponse response = ErrorResponse.of(400, Map.of(), utf8(json));

    assertThat(response.codes()).containsExactly("A");
    assertThat(response.body().tag()).isEqualTo("a");
    assertThat(response.body().map(k -> k, JsonValue::int32)).containsOnly(Map.entry("a", 0));
  }

  @Test
  void whatIsDeepInsideIsNotSteppedThroughAtEachLevel() {
    // Read member by member, this text is passed over 12,000 times: 240 gigabytes.
    String json = "{\"a\":".repeat(120) + '"' + "x".repeat(SIZE) + '"' + ",\"b\":0}".repeat(120);
    JsonValue value = JsonValue.parse(utf8(json));
    int found = 0;

    while (value.isObject()) {
      for (int member = 0; member < 100; member++) {
        found += value.get("none" + member).isPresent() ? 1 : 0;
      }
      assertThat(value.get("b").int32()).isZero();
      value = value.get("a");
    }

    assertThat(found).isZero();
    assertThat(value.string()).hasSize(SIZE);
  }

  @Test
  void aListThatIsDeepInsideIsNotSteppedThroughAtEachLevel() {
    String json = "[".repeat(120) + "0,".repeat(SIZE / 2) + "0" + "]".repeat(120);
    JsonValue value = JsonValue.parse(utf8(json));

    for (int level = 1; level < 120; level++) {
      // With the steps down, the long list would be passed over 12,000 times.
      for (int time = 0; time < 100; time++) {
        assertThat(value.list(element -> element)).hasSize(1);
      }
      value = value.list(element -> element).get(0);
    }

    assertThat(value.list(JsonValue::int32)).hasSize(SIZE / 2 + 1);
  }

  @ParameterizedTest
  @ValueSource(strings = {"\"m%07d\":%d,", "\"\\u006d%07d\":%d,"})
  void namesAreReadOnceHoweverManyMembersAreAskedFor(String member) {
    StringBuilder json = new StringBuilder("{");
    for (int i = 0; i < 200_000; i++) {
      json.append(member.formatted(i, i));
    }
    JsonValue value = JsonValue.parse(utf8(json.append("\"end\":true}").toString()));

    // One after the other, these would be 40,000,000,000 names.
    for (int i = 0; i < 200_000; i++) {
      assertThat(value.get("m%07d".formatted(i)).int32()).isEqualTo(i);
    }
    assertThat(value.get("end").bool()).isTrue();
    assertThat(value.get("m").isPresent()).isFalse();
  }

  @Test
  void namesThatWereChosenToHaveTheSameHashAreFound() {
    // "Aa" and "BB" have the same hash, and so has all that is put together from them.
    StringBuilder json = new StringBuilder("{");
    for (int i = 0; i < 1 << 18; i++) {
      json.append('"').append(sameHash(i)).append("\":").append(i).append(',');
    }
    JsonValue value = JsonValue.parse(utf8(json.append("\"end\":true}").toString()));

    assertThat(value.get(sameHash(0)).int32()).isZero();
    assertThat(value.get(sameHash(77_777)).int32()).isEqualTo(77_777);
    assertThat(value.get(sameHash(1 << 18)).isPresent()).isFalse();
    assertThat(value.get("end").bool()).isTrue();
  }

  @ParameterizedTest
  @ValueSource(strings = {"1e9999,", "1e999,", "-1e-9999,", "1e999999999,"})
  void fewCharactersDoNotBecomeNumbersOfManyDigits(String element) {
    String json = "[" + element.repeat(SIZE / element.length()) + "5]";

    JsonValue numbers = JsonValue.parse(utf8(json));

    assertThat(numbers.list(JsonValue::int32)).containsExactly(5);
    assertThat(numbers.list(JsonValue::int64)).containsExactly(5L);
  }

  @ParameterizedTest
  @ValueSource(strings = {"a", "1", "é", "\\n", "\\ud83d", "\\u0000", ":", "#", ","})
  void aLongStringIsRead(String part) {
    String json = "{\"code\":\"" + part.repeat(SIZE / part.length()) + "\"}";

    ErrorResponse response = ErrorResponse.of(400, Map.of(), utf8(json));

    JsonValue code = response.body().get("code");
    assertThat(code.string()).hasSizeGreaterThanOrEqualTo(SIZE / 6);
    assertThat(code.dateTime()).isNull();
    assertThat(code.httpDate()).isNull();
    assertThat(code.float64()).isNull();
    assertThat(response.unmodeled().code()).hasSizeLessThanOrEqualTo(128);
  }

  @Test
  void aLongNumberIsRefused() {
    JsonValue number = JsonValue.parse(utf8("1".repeat(SIZE)));

    assertThat(number.isPresent()).isTrue();
    assertThat(number.bigInteger()).isNull();
    assertThat(number.float64()).isNull();
    assertThat(number.json()).hasSize(SIZE);
  }

  @ParameterizedTest
  @ValueSource(strings = {"a", ",", "\"", "\\", "\"a\",", " ", "9", "\"\\"})
  void aLongHeaderIsRead(String part) {
    // More than any client of HTTP lets through.
    String text = part.repeat(SIZE / 10 / part.length());
    Map<String, List<String>> headers =
        Map.of(
            "x-list", List.of(text),
            "x-amzn-errortype", List.of(text),
            "x-amz-retry-after", List.of(text),
            "retry-after", List.of(text),
            "date", List.of(text));

    ErrorResponse response = ErrorResponse.of(400, headers, new byte[0]);

    assertThat(response.headerList("x-list", JsonValue::int32)).isEmpty();
    assertThat(response.headerDates("x-list")).isEmpty();
    assertThat(response.unmodeled().code()).hasSizeLessThanOrEqualTo(128);
  }

  @ParameterizedTest
  @ValueSource(strings = {"[", "{\"a\":", "\"", "{\"a", "\\", "-", "1,", "\""})
  void longMalformedTextIsRefused(String part) {
    JsonValue value = JsonValue.parse(utf8(part.repeat(SIZE / part.length()) + "x"));

    assertThat(value).isSameAs(JsonValue.MISSING);
  }

  private static String sameHash(int bits) {
    StringBuilder name = new StringBuilder();
    for (int bit = 0; bit < 20; bit++) {
      name.append((bits >> bit & 1) == 0 ? "Aa" : "BB");
    }
    return name.toString();
  }

  private static byte[] utf8(String text) {
    return text.getBytes(StandardCharsets.UTF_8);
  }

  @Test
  void aBodyThatIsTooLongIsNotRead() {
    byte[] json = new byte[JsonValue.MAX_LENGTH + 1];
    Arrays.fill(json, (byte) ' ');
    json[0] = '7';

    assertThat(JsonValue.parse(json).isPresent()).isFalse();
    assertThat(JsonValue.parse(Arrays.copyOf(json, JsonValue.MAX_LENGTH)).int32()).isEqualTo(7);
  }
}
