package dev.reprise.smithy.runtime;

import static org.assertj.core.api.Assertions.assertThat;

import java.math.BigDecimal;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Function;
import java.util.regex.Pattern;
import net.jqwik.api.Arbitraries;
import net.jqwik.api.Arbitrary;
import net.jqwik.api.Combinators;
import net.jqwik.api.EdgeCasesMode;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.Provide;
import net.jqwik.api.Tag;
import tools.jackson.core.JacksonException;
import tools.jackson.databind.DeserializationFeature;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.ObjectWriter;
import tools.jackson.databind.json.JsonMapper;
import tools.jackson.databind.node.MissingNode;

/** Reads what Jackson reads, and refuses what Jackson refuses. */
@Tag("slow")
class JsonValueJacksonTest {
  private static final JsonMapper JACKSON =
      JsonMapper.builder()
          .enable(
              DeserializationFeature.USE_BIG_DECIMAL_FOR_FLOATS,
              DeserializationFeature.FAIL_ON_TRAILING_TOKENS)
          .build();

  private static final JsonMapper DOUBLES =
      JsonMapper.builder().enable(DeserializationFeature.FAIL_ON_TRAILING_TOKENS).build();

  /** Fixed, so that a difference between the two readers shows with the change that made it. */
  private static final String SEED = "20261121";

  /** Jackson takes a character for a hexadecimal digit when the lower half of its code is one. */
  private static final Pattern NO_HEXADECIMAL_DIGIT =
      Pattern.compile("(?<!\\\\)(?:\\\\\\\\)*+\\\\u\\p{XDigit}{0,3}\\P{ASCII}");

  private static final String MALFORMED = "malformed (no document of the test is this text)";
  private static final String TOO_LARGE = "a number of over 1,000 digits";

  private static final List<Function<JsonValue, ?>> TREE =
      List.of(
          JsonValue::string,
          JsonValue::bool,
          value -> number(value.bigDecimal()),
          value -> value.sparseList(JsonValueJacksonTest::tree),
          value -> value.sparseMap(name -> name, JsonValueJacksonTest::tree));

  /** The characters that JSON is made of, so that a change often makes other JSON of it. */
  private static final String SYNTAX = "{}[]\",:\\/ \n\t0123456789.-+eEuntrfalsbAF\u0000\u001f";

  @Property(tries = 1000, seed = SEED)
  void whatJacksonWritesIsReadAsItWasMeant(@ForAll("documents") Object document) {
    for (ObjectWriter writer :
        List.of(JACKSON.writer(), JACKSON.writerWithDefaultPrettyPrinter())) {
      byte[] json = writer.writeValueAsBytes(document);

      assertThat(ours(json)).isEqualTo(jackson(json)).isNotEqualTo(MALFORMED);
      if (document != null) {
        assertThat(JsonValue.parse(json).json()).isEqualTo(JACKSON.writeValueAsString(document));
      }
    }
  }

  @Property(tries = 5000, seed = SEED, edgeCases = EdgeCasesMode.NONE)
  void changedTextIsReadOrRefusedAsJacksonDoes(
      @ForAll("documents") Object document, @ForAll("changes") List<Change> changes) {
    byte[] json = JACKSON.writeValueAsBytes(document);
    for (Change change : changes) {
      json = change.of(json);
    }

    assertReadAlike(json);
    // Nothing throws, and no value is of more types than a number is.
    JsonValue value = JsonValue.parse(json);
    assertThat(JsonValueTest.ALL_READINGS.stream().filter(r -> r.apply(value) != null).count())
        .isLessThanOrEqualTo(10);
  }

  @Property(tries = 5000, seed = SEED)
  void bytesOfAnyKindNeverThrow(@ForAll byte[] json) {
    assertReadAlike(json);
  }

  /** One byte that is replaced, added or removed. */
  record Change(double place, int kind, byte with) {
    byte[] of(byte[] json) {
      int at = (int) (place * json.length);
      int rest = kind == 1 ? at : Math.min(at + 1, json.length);
      int added = kind == 2 ? 0 : 1;
      byte[] changed = new byte[at + added + json.length - rest];
      System.arraycopy(json, 0, changed, 0, at);
      if (added == 1) {
        changed[at] = with;
      }
      System.arraycopy(json, rest, changed, at + added, json.length - rest);
      return changed;
    }
  }

  @Provide
  Arbitrary<List<Change>> changes() {
    Arbitrary<Character> syntax = Arbitraries.chars().with(SYNTAX);
    Arbitrary<Byte> with =
        Arbitraries.oneOf(
            syntax.map(c -> (byte) (char) c), syntax.map(c -> (byte) (char) c), bytes());
    Arbitrary<Double> place = Arbitraries.integers().between(0, 100).map(n -> n / 100.0);
    Arbitrary<Integer> kind = Arbitraries.integers().between(0, 2);
    return Combinators.combine(place, kind, with).as(Change::new).list().ofMinSize(1).ofMaxSize(3);
  }

  @Provide
  Arbitrary<Object> documents() {
    return document(3);
  }

  private static Arbitrary<Byte> bytes() {
    return Arbitraries.bytes();
  }

  private static Arbitrary<Object> document(int depth) {
    // Jackson refuses to write half a character.
    Arbitrary<String> text = Arbitraries.strings().map(JsonValueJacksonTest::withoutHalves);
    Arbitrary<Object> leaf =
        Arbitraries.oneOf(
            text.map(value -> value),
            Arbitraries.longs().map(value -> value),
            Arbitraries.doubles().map(value -> value),
            Arbitraries.bigDecimals().map(value -> value),
            Arbitraries.of(true, false).map(value -> value),
            Arbitraries.just(null));
    if (depth == 0) {
      return leaf;
    }
    Arbitrary<Object> inner = document(depth - 1);
    return Arbitraries.oneOf(
        leaf,
        inner.list().ofMaxSize(4).map(value -> value),
        Arbitraries.maps(text, inner).ofMaxSize(4).map(value -> value));
  }

  private static void assertReadAlike(byte[] json) {
    Object expected;
    try {
      expected = jackson(json);
    } catch (NumberFormatException exponentTooLong) {
      // Then Jackson says whether the text is well-formed only when it need not be exact.
      assertThat(ours(json) == MALFORMED).isEqualTo(node(DOUBLES, json).isMissingNode());
      return;
    }
    assertThat(ours(json)).isEqualTo(expected);
  }

  private static Object jackson(byte[] json) {
    JsonNode node = node(JACKSON, json);
    return node.isMissingNode() ? MALFORMED : tree(node);
  }

  /** Returns what Jackson makes of the text, a missing node when it is malformed. */
  private static JsonNode node(JsonMapper mapper, byte[] json) {
    // Characters, not bytes: malformed UTF-8 is replaced, and no other encoding is guessed.
    String text = new String(json, StandardCharsets.UTF_8);
    if (NO_HEXADECIMAL_DIGIT.matcher(text).find()) {
      return MissingNode.getInstance();
    }
    try {
      return mapper.readTree(text.startsWith("\ufeff") ? text.substring(1) : text);
    } catch (JacksonException malformed) {
      return MissingNode.getInstance();
    }
  }

  private static Object tree(JsonNode node) {
    if (node.isObject()) {
      Map<String, Object> members = new LinkedHashMap<>();
      node.properties().forEach(e -> members.put(withoutHalves(e.getKey()), tree(e.getValue())));
      return members;
    }
    if (node.isArray()) {
      List<Object> elements = new ArrayList<>();
      node.forEach(element -> elements.add(tree(element)));
      return elements;
    }
    if (node.isNumber()) {
      return number(node.decimalValue());
    }
    if (node.isString()) {
      return withoutHalves(node.stringValue());
    }
    return node.isNull() ? null : node.booleanValue();
  }

  private static Object ours(byte[] json) {
    JsonValue value = JsonValue.parse(json);
    return value == JsonValue.MISSING ? MALFORMED : tree(value);
  }

  private static Object tree(JsonValue value) {
    if (!value.isPresent()) {
      return null;
    }
    for (Function<JsonValue, ?> reading : TREE) {
      Object read = reading.apply(value);
      if (read != null) {
        return read;
      }
    }
    return TOO_LARGE;
  }

  private static Object number(BigDecimal number) {
    if (number == null) {
      return null;
    }
    boolean isShort = (long) number.precision() - number.scale() <= 1000 && number.scale() <= 1000;
    return isShort ? number.stripTrailingZeros() : TOO_LARGE;
  }

  private static String withoutHalves(String text) {
    StringBuilder whole = new StringBuilder();
    text.codePoints().forEach(c -> whole.appendCodePoint(c >= 0xD800 && c <= 0xDFFF ? 0xFFFD : c));
    return whole.toString();
  }
}
