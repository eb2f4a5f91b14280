package dev.reprise.server.publish;

import static java.nio.charset.StandardCharsets.ISO_8859_1;
import static java.nio.charset.StandardCharsets.UTF_16LE;
import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import dev.reprise.delivery.Payload;
import dev.reprise.server.http.ApiError;
import dev.reprise.server.http.ApiException;
import java.nio.charset.Charset;
import net.jqwik.api.Arbitraries;
import net.jqwik.api.Arbitrary;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.Provide;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class MessageReaderTest {
  private static PublishedMessage read(String json) {
    return read(json, UTF_8);
  }

  private static PublishedMessage read(String json, Charset charset) {
    byte[] bytes = json.getBytes(charset);
    return MessageReader.read(bytes, 0, bytes.length, false);
  }

  private static ApiError refusal(String json) {
    return refusal(json.getBytes(UTF_8));
  }

  private static ApiError refusal(byte[] json) {
    try {
      MessageReader.read(json, 0, json.length, false);
    } catch (ApiException e) {
      return e.error();
    }
    throw new AssertionError("was accepted");
  }

  private static String text(byte[] bytes) {
    return new String(bytes, UTF_8);
  }

  @Test
  void jsonBodyStaysAsItCame() {
    String body = "{ \"a\" : 1.50e2,\r\n\t\"ü\":[\"\\u00e9\", \"😀\" ,{} ]  }";

    Payload payload = read("{\"attributes\":{},\n \"body\" :  " + body + " \n}").payload();

    assertThat(text(payload.body())).isEqualTo(body);
    assertThat(payload.contentType()).isEqualTo("application/json");
    assertThat(payload.attributes()).isEmpty();
  }

  @ParameterizedTest
  @ValueSource(strings = {"1", "-0.0", "1e5", "123456789012345678901234567890.25", "true", "false"})
  void scalarBodyStaysAsItCame(String body) {
    assertThat(text(read("{\"body\":" + body + "}").payload().body())).isEqualTo(body);
    assertThat(text(read("{\"body\":" + body + " , \"attributes\":{}}").payload().body()))
        .isEqualTo(body);
  }

  @Test
  void stringBodyIsText() {
    Payload payload = read("{\"body\":\"gr\\u00fc\\u00dfe \\ud83d\\ude00\"}").payload();

    assertThat(text(payload.body())).isEqualTo("grüße 😀");
    assertThat(payload.contentType()).isEqualTo("text/plain;charset=utf-8");
  }

  @Test
  void base64BodyIsBytes() {
    Payload payload = read("{\"bodyBase64\":\"AP8=\"}").payload();

    assertThat(payload.body()).containsExactly(0, 0xff);
    assertThat(payload.contentType()).isEqualTo("application/octet-stream");
  }

  @Test
  void attributesStayAsTheyCameAndAreParsedOnce() {
    PublishedMessage message =
        read("{\"body\":1,\"attributes\":{ \"n\" : 1.0, \"l\":[\"a\",\"b\"] }}");

    assertThat(text(message.payload().attributes()))
        .isEqualTo("{ \"n\" : 1.0, \"l\":[\"a\",\"b\"] }");
    assertThat(message.attributes().get("l").get(1).stringValue()).isEqualTo("b");
    assertThat(message.attributes().get("n").decimalValue()).isEqualByComparingTo("1");
  }

  @Property(tries = 300)
  void whateverTheBodyIsItStaysAsItCame(
      @ForAll("values") String body,
      @ForAll("spaces") String before,
      @ForAll("spaces") String pad) {
    byte[] json =
        ("#" + before + "{" + pad + "\"body\"" + pad + ":" + pad + body + pad + "}" + before + "#")
            .getBytes(UTF_8);

    PublishedMessage message = MessageReader.read(json, 1, json.length - 1, false);

    assertThat(text(message.payload().body())).isEqualTo(body);
  }

  @Provide
  Arbitrary<String> spaces() {
    return Arbitraries.strings().withChars(' ', '\n', '\t', '\r').ofMaxLength(4);
  }

  @Provide
  Arbitrary<String> values() {
    return Arbitraries.lazyOf(
        () -> Arbitraries.of("{}", "[]", "[1, 2]", "{\"é\":\"\\n\"}", "-1.5E+10", "true", "[[[]]]"),
        () -> values().list().ofMaxSize(4).map(list -> "[" + String.join(" , ", list) + "]"),
        () ->
            Arbitraries.strings()
                .withChars("ab ü€😀")
                .ofMaxLength(300)
                .map(text -> "{\"k\": \"" + text.replaceAll("[\\ud800-\\udfff]", "") + "\"}"));
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      textBlock =
          """
          {"body":1,"extra":2}               | extra       | is not a field
          {"body":1,"idempotencyKey":"k"}    | idempotencyKey | is a header
          {"body":null}                      | body        | must be an object
          {}                                 | body        | must be given once
          {"body":1,"bodyBase64":"AA=="}     | body        | must be given once
          {"bodyBase64":"!"}                 | bodyBase64  | base64
          {"bodyBase64":5}                   | bodyBase64  | must be a string
          {"body":1,"contentType":"text/csv"} | contentType | must be absent
          {"body":"x","contentType":"nonsense"} | contentType | media type
          {"body":"x","contentType":"a/b\\r\\nX: y"} | contentType | media type
          {"body":"\\ud800"}                 | body        | surrogate
          {"body":1,"attributes":[]}         | attributes  | must be an object
          {"body":1,"attributes":{"a":null}} | attributes.a | must be a string
          {"body":1,"attributes":{"a":[1]}}  | attributes.a | must be a string
          {"body":1,"attributes":{"a":{}}}   | attributes.a | must be a string
          {"body":1,"attributes":{"a b":1}}  | attributes  | names
          {"body":1,"attributes":{"a":1e99999999999}} | attributes.a | exponent
          {"body":1,"attributes":{"a":-2E-99999999999}} | attributes.a | exponent
          {"body":1,"attributes":{"":1}}     | attributes  | names
          [1]                                | message     | must be an object
          """)
  void brokenRulesNameFieldAndRule(String json, String field, String rule) {
    ApiError error = refusal(json);

    assertThat(error.status()).isEqualTo(400);
    assertThat(error.violations())
        .anySatisfy(
            violation -> {
              assertThat(violation.path()).isEqualTo(field);
              assertThat(violation.rule()).contains(rule);
            });
  }

  @Test
  void allBrokenRulesAreNamedAtOnce() {
    assertThat(refusal("{\"a\":1,\"b\":{},\"attributes\":1}").violations()).hasSize(4);
  }

  @Test
  void elevenAttributesAreTooMany() {
    StringBuilder attributes = new StringBuilder("\"a0\":0");
    for (int i = 1; i <= 10; i++) {
      attributes.append(",\"a").append(i).append("\":0");
    }
    ApiError error = refusal("{\"body\":1,\"attributes\":{" + attributes + "}}");
    assertThat(error.violations().get(0).rule()).contains("at most 10");
  }

  @Test
  void listsHaveALimit() {
    String most = "\"x\",".repeat(MessageReader.MAX_LIST - 1) + "\"x\"";
    assertThat(read("{\"body\":1,\"attributes\":{\"a\":[" + most + "]}}").attributes().get("a"))
        .hasSize(100);
    ApiError error = refusal("{\"body\":1,\"attributes\":{\"a\":[" + most + ",\"x\"]}}");
    assertThat(error.violations().get(0).toString())
        .isEqualTo("attributes.a is a list of 101 strings: must have at most 100");
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "",
        "{",
        "{\"body\":1}}",
        "{\"body\":1} x",
        "{\"body\":1}{\"body\":2}",
        "{\"body\":NaN}",
        "{\"body\":01}",
        "{\"body\":1,}",
        "{'body':1}",
        "{\"body\":1,\"body\":2}",
        "{\"body\":{\"a\":1,\"a\":2}}",
        "{\"body\":\"a\nb\"}",
        "{\"body\":[1,}",
      })
  void malformedJsonIsRefused(String json) {
    ApiError error = refusal(json);

    assertThat(error.status()).isEqualTo(400);
    assertThat(error.code()).isEqualTo("invalid");
  }

  @Test
  void malformedJsonTellsLineAndColumn() {
    assertThat(refusal("{\"body\":\n  [1,}").message()).contains("line 2, column");
  }

  @Test
  void nestingHasALimit() {
    String deep = "[".repeat(99) + "]".repeat(99);
    assertThat(text(read("{\"body\":" + deep + "}").payload().body())).isEqualTo(deep);

    String deeper = "[".repeat(100_000) + "]".repeat(100_000);
    assertThat(refusal("{\"body\":" + deeper + "}").message()).contains("too deep in each other");
  }

  @Test
  void whatIsNotUtf8IsRefused() {
    assertThat(refusal("{\"body\":\n\"ü\"}".getBytes(ISO_8859_1)).message())
        .contains("line 2, column 2")
        .contains("UTF-8");
    // An overlong slash, a surrogate, a sequence cut off.
    assertThat(refusal("{\"body\":[\"\u00c0\u00af\"]}".getBytes(ISO_8859_1)).message())
        .contains("UTF-8");
    assertThat(refusal("{\"body\":[\"\u00ed\u00a0\u0080\"]}".getBytes(ISO_8859_1)).message())
        .contains("UTF-8");
    assertThat(refusal("{\"body\":\"\u00e2\u0082".getBytes(ISO_8859_1)).message())
        .contains("UTF-8");
    assertThat(refusal("{\"body\":1}".getBytes(UTF_16LE)).message()).contains("UTF-8");
    assertThat(refusal("\ufeff{\"body\":1}").message()).contains("byte order mark");
  }

  @Test
  void whatIsCalledJsonMustBeJson() {
    assertThat(refusal("{\"body\":\"}{\",\"contentType\":\"application/json\"}").message())
        .contains("body is malformed JSON");
    assertThat(
            read("{\"body\":\"[1]\",\"contentType\":\"application/json\"}").payload().contentType())
        .isEqualTo("application/json");
  }

  @Test
  void sizeHasALimit() {
    int room = Payload.MAX_BYTES - 2;
    assertThat(read("{\"body\":[" + "1".repeat(0) + " ".repeat(room) + "]}").payload().body())
        .hasSize(Payload.MAX_BYTES);
    assertThatExceptionOfType(Payload.TooLargeException.class)
        .isThrownBy(() -> read("{\"body\":[" + " ".repeat(room + 1) + "]}"));
  }
}
