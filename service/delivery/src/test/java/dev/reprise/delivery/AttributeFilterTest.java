package dev.reprise.delivery;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.SplittableRandom;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.constraints.AlphaChars;
import net.jqwik.api.constraints.IntRange;
import net.jqwik.api.constraints.Size;
import net.jqwik.api.constraints.StringLength;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import tools.jackson.databind.DeserializationFeature;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

class AttributeFilterTest {
  @ParameterizedTest
  @CsvSource(
      quoteCharacter = '`',
      delimiter = '|',
      value = {
        // filter | attributes | passes
        "{}                                        | {}                        | true",
        "{}                                        | {\"a\": 1}                | true",
        "{\"a\": [\"x\"]}                          | {\"a\": \"x\"}            | true",
        "{\"a\": [\"x\"]}                          | {\"a\": \"y\"}            | false",
        "{\"a\": [\"x\"]}                          | {}                        | false",
        "{\"a\": [\"x\", \"y\"]}                   | {\"a\": \"y\"}            | true",
        "{\"a\": [1]}                              | {\"a\": 1.0}              | true",
        "{\"a\": [1]}                              | {\"a\": \"1\"}            | false",
        "{\"a\": [true]}                           | {\"a\": true}             | true",
        "{\"a\": [null]}                           | {\"a\": null}             | true",
        "{\"a\": [null]}                           | {}                        | false",
        "{\"a\": [\"x\"], \"b\": [\"y\"]}          | {\"a\": \"x\"}            | false",
        "{\"a\": [\"x\"], \"b\": [\"y\"]}          | {\"a\": \"x\", \"b\": \"y\"} | true",
        "{\"a\": [\"y\"]}                          | {\"a\": [\"x\", \"y\"]}   | true",
        "{\"a\": [\"z\"]}                          | {\"a\": [\"x\", \"y\"]}   | false",
        "{\"a\": [{\"prefix\": \"inv\"}]}          | {\"a\": \"invoice\"}      | true",
        "{\"a\": [{\"prefix\": \"inv\"}]}          | {\"a\": 5}                | false",
        "{\"a\": [{\"suffix\": \"ice\"}]}          | {\"a\": \"invoice\"}      | true",
        "{\"a\": [{\"suffix\": \"inv\"}]}          | {\"a\": \"invoice\"}      | false",
        "{\"a\": [{\"exists\": true}]}             | {\"a\": null}             | true",
        "{\"a\": [{\"exists\": true}]}             | {}                        | false",
        "{\"a\": [{\"exists\": false}]}            | {}                        | true",
        "{\"a\": [{\"exists\": false}, \"x\"]}     | {\"a\": \"x\"}            | true",
        "{\"a\": [{\"anything-but\": \"x\"}]}      | {\"a\": \"y\"}            | true",
        "{\"a\": [{\"anything-but\": \"x\"}]}      | {\"a\": \"x\"}            | false",
        "{\"a\": [{\"anything-but\": [1, 2]}]}     | {\"a\": 2.0}              | false",
        "{\"a\": [{\"anything-but\": \"x\"}]}      | {}                        | false",
        "{\"a\": [{\"numeric\": [\">\", 1]}]}      | {\"a\": 1}                | false",
        "{\"a\": [{\"numeric\": [\">=\", 1]}]}     | {\"a\": 1}                | true",
        "{\"a\": [{\"numeric\": [\"<\", 1]}]}      | {\"a\": 0.9999}           | true",
        "{\"a\": [{\"numeric\": [\"<=\", 1]}]}     | {\"a\": 1.0001}           | false",
        "{\"a\": [{\"numeric\": [\"=\", 1]}]}      | {\"a\": 1.0}              | true",
        "{\"a\": [{\"numeric\": [\">\", 0, \"<\", 5]}]} | {\"a\": 5}           | false",
        "{\"a\": [{\"numeric\": [\">\", 0, \"<\", 5]}]} | {\"a\": 4}           | true",
        "{\"a\": [{\"numeric\": [\">\", 0]}]}      | {\"a\": \"4\"}            | false",
        "{\"a\": [{\"numeric\": [\">\", 0]}]}      | {\"a\": 1e999999999}      | false",
        "{\"a\": [1]}                              | {\"a\": 1e999999999}      | false",
      })
  void aMessagePassesIfEachFieldHasAConditionThatHolds(
      String filter, String attributes, boolean passes) {
    AttributeFilter parsed = filter(filter);
    assertThat(parsed.matches(json(attributes))).isEqualTo(passes);
    assertThat(parsed.matches(attributes.getBytes(StandardCharsets.UTF_8))).isEqualTo(passes);
  }

  @ParameterizedTest
  @CsvSource(
      quoteCharacter = '`',
      delimiter = '|',
      value = {
        "[]                             "
            + "| filter is []: must be an object of attribute names and lists",
        "{\"a\": \"x\"}                 "
            + "| filter.a is \"x\": must be a list of at least one condition",
        "{\"a\": []}                    "
            + "| filter.a is []: must be a list of at least one condition",
        "{\"a\": [\"x\", {}]}           "
            + "| filter.a[1] is {}: must be a value or an object with one operator",
        "{\"a\": [{\"starts\": \"x\"}]} "
            + "| filter.a[0] is {\"starts\":\"x\"}: must use prefix, suffix, anything-but, exists"
            + " or numeric",
        "{\"a\": [{\"prefix\": 1}]}     | filter.a[0].prefix is 1: must be a string",
        "{\"a\": [{\"suffix\": null}]}  | filter.a[0].suffix is null: must be a string",
        "{\"a\": [{\"exists\": 1}]}     | filter.a[0].exists is 1: must be true or false",
        "{\"a\": [{\"anything-but\": {}}]} "
            + "| filter.a[0].anything-but is {}: must be a value or a list of values",
        "{\"a\": [{\"anything-but\": []}]} "
            + "| filter.a[0].anything-but is []: must be a value or a list of values",
        "{\"a\": [{\"numeric\": [\">\"]}]} "
            + "| filter.a[0].numeric is [\">\"]: must be a list of comparisons and numbers, such as"
            + " [\">=\", 10]",
        "{\"a\": [{\"numeric\": [\">\", \"1\"]}]} "
            + "| filter.a[0].numeric[0] is \"1\": must be followed by a finite number",
        "{\"a\": [{\"numeric\": [\"!=\", 1]}]} "
            + "| filter.a[0].numeric[0] is \"!=\": must be one of < <= = >= >",
      })
  void aWrongFilterIsRefusedWithFieldValueAndRule(String filter, String message) {
    assertThatThrownBy(() -> filter(filter))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessage(message);
  }

  @Test
  void aFilterHasAMostOfConditions() {
    String most = "\"x\",".repeat(AttributeFilter.MAX_CONDITIONS - 1) + "\"x\"";
    assertThat(filter("{\"a\": [" + most + "]}").isAll()).isFalse();
    assertThatThrownBy(() -> filter("{\"a\": [" + most + "], \"b\": [1]}"))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessage("filter has 151 conditions: must have at most 150");
  }

  @Test
  void operandsAreConditions() {
    String values = "1,".repeat(AttributeFilter.MAX_CONDITIONS - 1) + "1";
    assertThat(filter("{\"a\": [{\"anything-but\": [" + values + "]}]}").isAll()).isFalse();
    assertThatThrownBy(() -> filter("{\"a\": [{\"anything-but\": [" + values + ",1]}]}"))
        .hasMessage("filter has 151 conditions: must have at most 150");
    String comparisons = "\">\",1,".repeat(AttributeFilter.MAX_CONDITIONS) + "\"<\",5";
    assertThatThrownBy(() -> filter("{\"a\": [{\"numeric\": [" + comparisons + "]}]}"))
        .hasMessage("filter has 151 conditions: must have at most 150");
  }

  @Test
  void wrongFilterIsShownInPart() {
    assertThatThrownBy(() -> filter("{\"a\": [[" + "1,".repeat(100_000) + "1]]}"))
        .hasMessageStartingWith("filter.a[0] is [1,1,1,")
        .hasMessageEndingWith("…: must be a value or an object with one operator")
        .extracting(e -> e.getMessage().length())
        .satisfies(length -> assertThat((int) length).isLessThan(400));
  }

  @Test
  void numberThatNoDoubleHoldsIsRefused() {
    JsonNode document =
        JsonMapper.builder()
            .enable(DeserializationFeature.USE_BIG_DECIMAL_FOR_FLOATS)
            .build()
            .readTree("{\"a\": [{\"anything-but\": [1, 12e2147483647]}]}");
    assertThatThrownBy(() -> AttributeFilter.of(document))
        .hasMessageContaining("filter.a[0].anything-but[1]")
        .hasMessageContaining("must be a finite number");
  }

  /** As they could be registered when only the conditions themselves were counted. */
  @Test
  void filterOfAnEarlierVersionTakesNoMoreThanItsText() {
    StringBuilder comparisons = new StringBuilder("\">=\",1");
    StringBuilder values = new StringBuilder("\"x\"");
    for (int i = 0; i < 140_000; i++) {
      comparisons.append(",\">\",").append(i % 7);
      values.append(",").append(i);
    }
    JsonNode numeric = json("{\"a\": [{\"numeric\": [" + comparisons + "]}]}");
    JsonNode anythingBut = json("{\"a\": [{\"anything-but\": [" + values + "]}]}");
    assertThatThrownBy(() -> AttributeFilter.of(numeric)).hasMessageContaining("140001");
    assertThatThrownBy(() -> AttributeFilter.of(anythingBut)).hasMessageContaining("140001");

    AttributeFilter interval = AttributeFilter.stored(numeric);
    assertThat(interval.held()).isLessThan(numeric.toString().length() + 10);
    assertThat(interval.matches(json("{\"a\": 6}"))).isFalse();
    assertThat(interval.matches(json("{\"a\": 6.5}"))).isTrue();
    AttributeFilter packed = AttributeFilter.stored(anythingBut);
    assertThat(packed.held()).isLessThan(3L * anythingBut.toString().length());
    assertThat(packed.matches(json("{\"a\": 139999}"))).isFalse();
    assertThat(packed.matches(json("{\"a\": 139999.0}"))).isFalse();
    assertThat(packed.matches(json("{\"a\": \"x\"}"))).isFalse();
    assertThat(packed.matches(json("{\"a\": 140000}"))).isTrue();
    assertThat(packed.matches(json("{\"a\": \"1\"}"))).isTrue();
    assertThat(AttributeFilter.stored(packed.document())).isEqualTo(packed);
  }

  @Property(tries = 500)
  void comparisonsAreOneInterval(
      @ForAll @Size(min = 1, max = 6) List<@IntRange(max = 4) Integer> signs,
      @ForAll @IntRange(min = -3, max = 3) int value,
      @ForAll long seed) {
    SplittableRandom random = new SplittableRandom(seed);
    StringBuilder text = new StringBuilder();
    boolean all = true;
    for (int sign : signs) {
      int bound = random.nextInt(-3, 4);
      int order = Integer.compare(value, bound);
      all &=
          switch (sign) {
            case 0 -> order < 0;
            case 1 -> order <= 0;
            case 2 -> order == 0;
            case 3 -> order >= 0;
            default -> order > 0;
          };
      String operator = List.of("<", "<=", "=", ">=", ">").get(sign);
      text.append(text.isEmpty() ? "" : ",").append("\"" + operator + "\"," + bound);
    }
    assertThat(
            filter("{\"a\": [{\"numeric\": [" + text + "]}]}")
                .matches(json("{\"a\":" + value + "}")))
        .isEqualTo(all);
  }

  @Test
  void noAttributesAreAnEmptyObject() {
    byte[] none = new byte[0];
    assertThat(AttributeFilter.ALL.matches(none)).isTrue();
    assertThat(filter("{\"a\": [{\"exists\": false}]}").matches(none)).isTrue();
    assertThat(filter("{\"a\": [1]}").matches(none)).isFalse();
  }

  @Test
  void aFilterShowsAndEqualsItsDocument() {
    String text = "{\"a\":[{\"prefix\":\"x\"}]}";
    assertThat(filter(text)).isEqualTo(filter(text)).hasSameHashCodeAs(filter(text));
    assertThat(filter(text)).isNotEqualTo(AttributeFilter.ALL).hasToString(text);
    assertThat(filter("{}")).isSameAs(AttributeFilter.ALL);
  }

  @Property
  void aValuePassesItsOwnFilterAndNotAnythingButIt(
      @ForAll @AlphaChars @StringLength(max = 20) String value) {
    String attributes = "{\"a\": \"" + value + "\"}";
    assertThat(filter("{\"a\": [\"" + value + "\"]}").matches(json(attributes))).isTrue();
    assertThat(filter("{\"a\": [{\"anything-but\": \"" + value + "\"}]}").matches(json(attributes)))
        .isFalse();
  }

  private static AttributeFilter filter(String text) {
    return AttributeFilter.of(json(text));
  }

  private static JsonNode json(String text) {
    return JsonMapper.shared().readTree(text);
  }
}
