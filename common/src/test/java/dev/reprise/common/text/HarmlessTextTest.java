package dev.reprise.common.text;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.time.Duration;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class HarmlessTextTest {
  private static final String BIKE = "\ud83d\udeb2";

  @ParameterizedTest
  @ValueSource(
      ints = {
        0,
        '\n',
        '\r',
        '\t',
        0x1b,
        0x7f, // ASCII: line breaks, escape, delete
        0x85,
        0x9b, // C1: next line, and the escape sequence of terminals in one character
        0x2028,
        0x2029, // separators of lines and paragraphs
        0x202a,
        0x202e,
        0x2066,
        0x2069,
        0x200e,
        0x200f,
        0x61c, // direction
        0x200b,
        0x2060,
        0xfeff,
        0xad,
        0x180e,
        0xe0041, // no width
        0xd800,
        0xdfff, // halves
        0xfffe,
        0xffff,
        0x1fffe,
        0x10ffff,
        0xfdd0,
        0xfdef // noncharacters
      })
  void harmIsWhatShowsNothingAndChangesOthers(int codePoint) {
    assertThat(HarmlessText.isHarmful(codePoint)).isTrue();

    String text = "a" + new String(new int[] {codePoint}, 0, 1) + "b";
    assertThat(HarmlessText.oneLine(text)).isEqualTo("a b");
    assertThat(HarmlessText.replaced(text)).matches("a[ \ufffd]b");
    assertThat(HarmlessText.visible(text)).matches("a( |\\\\[nr]|(\\\\u[0-9a-f]{4})+)b");
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "Zürich 東京 \u05e9\u05dc\u05d5\u05dd",
        BIKE + " <b>&amp;\"'\\",
        "\u0645\u06cc\u200c\u062e\u0648\u0627\u0647\u0645", // Persian, with a non-joiner
        "\ud83d\udc69\u200d\ud83d\ude80", // an astronaut, with a joiner
        "no\u00a0break, e\u0301",
        ""
      })
  void harmlessTextStaysAsItIs(String text) {
    assertThat(HarmlessText.oneLine(text)).isEqualTo(text);
    assertThat(HarmlessText.visible(text)).isSameAs(text);
    assertThat(HarmlessText.replaced(text)).isSameAs(text);
  }

  @Test
  void aRunOfHarmIsOneSpaceOnALine() {
    assertThat(HarmlessText.oneLine(" bad\r\n\u2028Set-Cookie: a\u001b[31m\n"))
        .isEqualTo("bad Set-Cookie: a [31m");
  }

  @Test
  void visibleTextWritesOutWhatIsHarmful() {
    assertThat(HarmlessText.visible("a\r\nb\tc\u001b[2J\u202e" + BIKE + "\udb40\udc41\ud800"))
        .isEqualTo("a\\r\\nb c\\u001b[2J\\u202e" + BIKE + "\\udb40\\udc41\\ud800");
  }

  @Test
  void replacedTextKeepsItsLength() {
    assertThat(HarmlessText.replaced("a\tb\nc\u0000\u202ed\ud800"))
        .isEqualTo("a b c\ufffd\ufffdd\ufffd");
  }

  @Test
  void longTextIsCutBetweenCharacters() {
    assertThat(HarmlessText.cut("abc", 3)).isEqualTo("abc");
    assertThat(HarmlessText.cut("abcd", 3)).isEqualTo("abc…");
    assertThat(HarmlessText.cut(BIKE.repeat(3), 3)).isEqualTo(BIKE.repeat(3));
    assertThat(HarmlessText.cut(BIKE.repeat(4), 3)).isEqualTo(BIKE.repeat(3) + "…");
    assertThat(HarmlessText.cut("", 0)).isEmpty();
    assertThat(HarmlessText.cut("a", 0)).isEqualTo("…");
    assertThatThrownBy(() -> HarmlessText.cut("a", -1))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessage("characters is -1: must be >= 0");
  }

  @Test
  void fittedTextIsNoWiderThanItsRoom() {
    assertThat(HarmlessText.fitted("abcdef", 6)).isEqualTo("abcdef");
    assertThat(HarmlessText.fitted("abcdefg", 6)).isEqualTo("abc...");
    assertThat(HarmlessText.fitted(BIKE.repeat(7), 6)).isEqualTo(BIKE.repeat(3) + "...");
  }

  @Test
  void theMiddleOfALongNameIsLeftOut() {
    assertThat(HarmlessText.withoutMiddle("0123456789", 10)).isEqualTo("0123456789");
    assertThat(HarmlessText.withoutMiddle("0123456789a", 10)).isEqualTo("01234…789a");
    assertThat(HarmlessText.withoutMiddle(BIKE.repeat(11), 10))
        .isEqualTo(BIKE.repeat(5) + "…" + BIKE.repeat(4));
    assertThat(HarmlessText.withoutMiddle("abc", 1)).isEqualTo("…");
  }

  @Test
  void aHugeTextIsCutBeforeItIsRead() {
    String huge = "x\n".repeat(20_000_000);
    long before = System.nanoTime();
    for (int i = 0; i < 1000; i++) {
      assertThat(HarmlessText.oneLine(huge, 6)).isEqualTo("x x x …");
    }
    assertThat(Duration.ofNanos(System.nanoTime() - before)).isLessThan(Duration.ofSeconds(10));
  }
}
