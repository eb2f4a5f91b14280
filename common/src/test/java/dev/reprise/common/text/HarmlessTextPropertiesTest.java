package dev.reprise.common.text;

import static org.assertj.core.api.Assertions.assertThat;

import net.jqwik.api.Arbitraries;
import net.jqwik.api.Arbitrary;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.Provide;
import net.jqwik.api.constraints.IntRange;

class HarmlessTextPropertiesTest {
  /** Any text: ordinary, of any units of UTF-16, and with what is known to harm. */
  @Provide
  Arbitrary<String> anyText() {
    Arbitrary<String> pieces =
        Arbitraries.oneOf(
            Arbitraries.strings().ascii().ofMaxLength(5),
            Arbitraries.strings().all().ofMaxLength(5),
            Arbitraries.of(
                "\r\n",
                "\t",
                "\u001b[2J",
                "\u009b31m",
                "\u202e",
                "\u2028",
                "\ufeff",
                "\ud83d",
                "\udeb2",
                "\ud83d\udeb2",
                "\u200d",
                "\uffff",
                "\udb40\udc41",
                " ",
                "\u0085"));
    return pieces.list().ofMaxSize(12).map(list -> String.join("", list));
  }

  @Property
  void oneLineIsHarmlessAndOneLine(@ForAll("anyText") String text) {
    String line = HarmlessText.oneLine(text);

    assertThat(isHarmless(line)).isTrue();
    assertThat(line.lines().count()).isLessThanOrEqualTo(1);
    assertThat(HarmlessText.oneLine(line)).isEqualTo(line);
  }

  @Property
  void visibleTextIsHarmless(@ForAll("anyText") String text) {
    String visible = HarmlessText.visible(text);

    assertThat(isHarmless(visible)).isTrue();
    assertThat(HarmlessText.visible(visible)).isEqualTo(visible);
  }

  @Property
  void replacedTextIsHarmlessAndAsLong(@ForAll("anyText") String text) {
    String replaced = HarmlessText.replaced(text);

    assertThat(isHarmless(replaced)).isTrue();
    assertThat(length(replaced)).isEqualTo(length(text));
  }

  @Property
  void cutTextIsTheBeginning(@ForAll("anyText") String text, @ForAll @IntRange(max = 40) int max) {
    String cut = HarmlessText.cut(text, max);

    if (length(text) <= max) {
      assertThat(cut).isEqualTo(text);
    } else {
      assertThat(length(cut)).isEqualTo(max + 1);
      assertThat(text).startsWith(cut.substring(0, cut.length() - 1));
    }
  }

  @Property
  void textFitsItsRoom(@ForAll("anyText") String text, @ForAll @IntRange(min = 3, max = 40) int w) {
    assertThat(length(HarmlessText.fitted(text, w))).isEqualTo(Math.min(w, length(text)));
    assertThat(length(HarmlessText.withoutMiddle(text, w))).isLessThanOrEqualTo(w);
  }

  @Property
  void cuttingMakesNoHarm(@ForAll("anyText") String text, @ForAll @IntRange(max = 40) int max) {
    String harmless = HarmlessText.replaced(text);

    assertThat(isHarmless(HarmlessText.cut(harmless, max))).isTrue();
    assertThat(isHarmless(HarmlessText.oneLine(text, max))).isTrue();
    assertThat(isHarmless(HarmlessText.withoutMiddle(harmless, max + 1))).isTrue();
  }

  private static boolean isHarmless(String text) {
    return text.codePoints().noneMatch(HarmlessText::isHarmful);
  }

  private static int length(String text) {
    return text.codePointCount(0, text.length());
  }
}
