package dev.reprise.smithy.runtime;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.reprise.core.http.RetryAfter;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.time.Instant;
import java.util.Arrays;
import java.util.Collections;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class ErrorResponseTest {
  private static final String NOON = "Tue, 01 Apr 2025 12:00:00 GMT";
  private static final String ONE = "Tue, 01 Apr 2025 13:00:00 GMT";

  @ParameterizedTest
  @ValueSource(ints = {200, 201, 299})
  void successIsNoError(int status) {
    assertThatThrownBy(() -> ErrorResponse.of(status, Map.of(), new byte[0]))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessage("status is " + status + ": 2xx is not an error");
  }

  @ParameterizedTest
  @ValueSource(ints = {Integer.MIN_VALUE, -1, 0, 199, 300, 404, 599, Integer.MAX_VALUE})
  void anyOtherStatusIsRead(int status) {
    assertThat(ErrorResponse.of(status, Map.of(), new byte[0]).status()).isEqualTo(status);
  }

  @Test
  void aBodyThatIsAbsentIsEmpty() {
    ErrorResponse response = ErrorResponse.of(500, Map.of(), null);

    assertThat(response.payload()).isEmpty();
    assertThat(response.body().isPresent()).isFalse();
    assertThat(response.codes()).isEmpty();
  }

  @Test
  void headersThatAreNullAreLeftOut() {
    // As HttpURLConnection gives the status line.
    Map<String, List<String>> headers = new HashMap<>();
    headers.put(null, List.of("HTTP/1.1 500 Internal Server Error"));
    headers.put("X-None", null);
    headers.put("X-Nulls", Collections.singletonList(null));
    headers.put("X-City", Arrays.asList(null, "Oz"));

    ErrorResponse response = ErrorResponse.of(500, headers, new byte[0]);

    assertThat(response.header("X-None").isPresent()).isFalse();
    assertThat(response.header("X-Nulls").isPresent()).isFalse();
    assertThat(response.header("X-City").string()).isEqualTo("Oz");
    assertThat(response.headersWithPrefix("", key -> key, JsonValue::string))
        .containsOnly(Map.entry("X-City", "Oz"));
  }

  @ParameterizedTest
  @CsvSource({
    "FooError, FooError",
    "FooError:http://internal.example.com/coral/com.example.validate/, FooError",
    "com.example.json#FooError, FooError",
    "com.example.json#FooError:http://example.com/a#b, FooError",
    "a#b#FooError, FooError",
    "' FooError ', FooError"
  })
  void aCodeIsTheNameOfTheShapeWhereverItIsReported(String reported, String code) {
    String json = "{\"%s\":\"" + reported + "\"}";

    assertThat(withHeader("x-amzn-errortype", reported).codes()).containsExactly(code);
    assertThat(withBody(json.formatted("__type")).codes()).containsExactly(code);
    assertThat(withBody(json.formatted("code")).codes()).containsExactly(code);
  }

  @Test
  void theHeaderComesBeforeTheTypeAndTheTypeBeforeTheCodeOfTheBody() {
    ErrorResponse response =
        ErrorResponse.of(
            400,
            Map.of("X-Amzn-Errortype", List.of("A,B", "C")),
            utf8("{\"code\":\"E\",\"__type\":\"ns#D\"}"));

    assertThat(response.codes()).containsExactly("A", "B", "C", "D", "E");
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "{\"__type\":\"\",\"code\":\" \"}",
        "{\"__type\":null,\"code\":404}",
        "{\"__type\":\":http://x\",\"code\":\"a#\"}",
        "[\"code\"]",
        "\"code\"",
        "{\"code\":\"A\"",
        ""
      })
  void whatIsNoCodeIsNotReported(String body) {
    assertThat(withBody(body).codes()).isEmpty();
  }

  @Test
  void aCodeThatIsReportedTwiceCountsOnce() {
    ErrorResponse response =
        ErrorResponse.of(
            400, Map.of("x-amzn-errortype", List.of("A")), utf8("{\"__type\":\"ns#A\"}"));

    assertThat(response.codes()).containsExactly("A");
  }

  @ParameterizedTest
  @CsvSource({
    "120, PT2M",
    "0, PT0S",
    "'Tue, 01 Apr 2025 13:00:00 GMT', PT1H",
    "'Tue, 01 Apr 2025 11:00:00 GMT', PT0S"
  })
  void retryAfterIsSecondsOrADateCountedFromTheDateOfTheResponse(String value, Duration wait) {
    ErrorResponse response =
        ErrorResponse.of(
            503, Map.of("Retry-After", List.of(value), "Date", List.of(NOON)), new byte[0]);

    assertThat(response.retryAfter()).isEqualTo(wait);
  }

  @Test
  void amzRetryAfterIsMilliseconds() {
    assertThat(withHeader("X-Amz-Retry-After", " 1500 ").retryAfter())
        .isEqualTo(Duration.ofMillis(1500));
  }

  @ParameterizedTest
  @ValueSource(strings = {"-100", "1.5", "1e3", "+5", "", "soon", "٣", "5 s"})
  void amzRetryAfterThatIsNotAWholeNumberOfMillisecondsIsIgnored(String value) {
    assertThat(withHeader("x-amz-retry-after", value).retryAfter()).isNull();
  }

  @ParameterizedTest
  @ValueSource(strings = {"9223372036854775807", "99999999999999999999"})
  void amzRetryAfterHasALongestValue(String value) {
    assertThat(withHeader("x-amz-retry-after", value).retryAfter())
        .isGreaterThanOrEqualTo(Duration.ofDays(106_751))
        .isLessThanOrEqualTo(RetryAfter.MAX_WAIT);
  }

  @ParameterizedTest
  @CsvSource({"2, 1500, 2000", "1, 1500, 1500", "soon, 1500, 1500", "2, -1, 2000"})
  void theLongestWaitCounts(String seconds, String millis, long longest) {
    ErrorResponse response =
        ErrorResponse.of(
            503,
            Map.of("retry-after", List.of(seconds), "x-amz-retry-after", List.of("7", millis)),
            new byte[0]);

    assertThat(response.retryAfter()).isEqualTo(Duration.ofMillis(longest));
    assertThat(response.unmodeled().retryAfter()).isEqualTo(Duration.ofMillis(longest));
  }

  @Test
  void aResponseThatAsksForNoWaitHasNone() {
    assertThat(ErrorResponse.of(503, Map.of(), new byte[0]).retryAfter()).isNull();
  }

  @Test
  void aHeaderIsFoundInEitherCaseAndItsValuesAreJoined() {
    Map<String, List<String>> headers = new LinkedHashMap<>();
    headers.put("X-City", List.of("Oz", "Ys"));
    headers.put("x-city", List.of("Ur"));

    ErrorResponse response = ErrorResponse.of(404, headers, new byte[0]);

    assertThat(response.header("x-CITY").string()).isEqualTo("Oz, Ys, Ur");
    assertThat(response.header("X-Country").isPresent()).isFalse();
  }

  @ParameterizedTest
  @CsvSource(
      quoteCharacter = '~',
      delimiter = '|',
      value = {
        "a, b,c|a;b;c",
        "~\"b,c\", \"\\\"def\\\"\", a~|b,c;\"def\";a",
        "a,, ,b,|a;b",
        "a b , c|a b;c",
        "~a, \"\", b~|a;;b",
        "~a, \"open, b~|a;open, b",
        "~\"x\\~|x\\"
      })
  void aListIsSplitAtCommasOutsideQuotes(String header, String elements) {
    assertThat(withHeader("x-list", header).headerList("X-List", JsonValue::string))
        .containsExactly(elements.split(";", -1));
  }

  @Test
  void aListMayComeInSeveralHeadersAndWhatCannotBeReadIsLeftOut() {
    ErrorResponse response =
        ErrorResponse.of(400, Map.of("x-list", List.of("1, two", "3")), new byte[0]);

    assertThat(response.headerList("X-List", JsonValue::int32)).containsExactly(1, 3);
    assertThat(response.headerList("X-Other", JsonValue::int32)).isNull();
  }

  @Test
  void aListOfHttpDatesIsSplitAtEverySecondComma() {
    ErrorResponse response =
        ErrorResponse.of(
            400,
            Map.of("x-dates", List.of(NOON + ", " + ONE, "never, ever", ONE + "," + NOON + ", x")),
            new byte[0]);

    Instant noon = Instant.parse("2025-04-01T12:00:00Z");
    Instant one = Instant.parse("2025-04-01T13:00:00Z");
    assertThat(response.headerDates("X-Dates")).containsExactly(noon, one, one, noon);
    assertThat(response.headerDates("X-Other")).isNull();
  }

  @Test
  void headersWithAPrefixAreNamedByTheRestAsItWasSent() {
    Map<String, List<String>> headers = new LinkedHashMap<>();
    headers.put("X-Meta-Abc", List.of("1"));
    headers.put("x-meta-def", List.of("2", "3"));
    headers.put("X-Met", List.of("no"));
    headers.put("X-Meta-Empty", List.of());

    assertThat(
            ErrorResponse.of(400, headers, new byte[0])
                .headersWithPrefix("X-META-", key -> key, JsonValue::string))
        .containsOnly(Map.entry("Abc", "1"), Map.entry("def", "2, 3"));
  }

  @Test
  void theUnmodeledErrorHasTheFirstCodeAndNothingOfTheBodyElse() {
    UnmodeledHttpError error =
        withBody("{\"code\":\"Odd\",\"message\":\"the secret\"}").unmodeled();

    assertThat(error.code()).isEqualTo("Odd");
    assertThat(error.httpStatus()).isEqualTo(400);
    assertThat(error.toString()).contains("Odd").doesNotContain("secret");
  }

  @Test
  void whereTheCodeOfTheBodyIsAMemberLikeAnyOtherItIsInNoMessage() {
    UnmodeledHttpError error = withBody("{\"code\":\"483920-my-secret-otp\"}").unmodeledByType();

    assertThat(error).hasMessage("HTTP 400 Bad Request");
    assertThat(error.code()).isEmpty();
    assertThat(error.toString()).doesNotContain("secret");
  }

  @Test
  void whereTheCodeOfTheBodyIsAMemberTheTypeStillNamesTheError() {
    ErrorResponse response =
        ErrorResponse.of(
            400, Map.of("x-amzn-errortype", List.of("ns#A:x")), utf8("{\"code\":\"secret\"}"));

    assertThat(response.unmodeledByType().code()).isEqualTo("A");
    assertThat(withBody("{\"code\":\"secret\",\"__type\":\"ns#B\"}").unmodeledByType().code())
        .isEqualTo("B");
  }

  @Test
  void listsAndMapsOfHeadersCannotBeChanged() {
    ErrorResponse response = withHeader("x-a", NOON);

    for (List<?> elements :
        List.of(response.headerList("x-a", JsonValue::string), response.headerDates("x-a"))) {
      assertThatThrownBy(elements::clear).isInstanceOf(UnsupportedOperationException.class);
    }
    Map<String, String> found = response.headersWithPrefix("x-", k -> k, JsonValue::string);
    assertThatThrownBy(found::clear).isInstanceOf(UnsupportedOperationException.class);
  }

  @Test
  void theUnmodeledErrorOfAPageOfAProxyHasItsStatusOnly() {
    UnmodeledHttpError error =
        ErrorResponse.of(502, Map.of(), utf8("<html>Bad Gateway</html>")).unmodeled();

    assertThat(error).hasMessage("HTTP 502 Bad Gateway");
    assertThat(error.code()).isEmpty();
  }

  private static ErrorResponse withHeader(String name, String value) {
    return ErrorResponse.of(400, Map.of(name, List.of(value)), new byte[0]);
  }

  private static ErrorResponse withBody(String body) {
    return ErrorResponse.of(400, Map.of(), utf8(body));
  }

  private static byte[] utf8(String text) {
    return text.getBytes(StandardCharsets.UTF_8);
  }
}
