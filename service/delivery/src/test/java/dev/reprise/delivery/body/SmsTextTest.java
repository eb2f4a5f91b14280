package dev.reprise.delivery.body;

import static java.nio.charset.StandardCharsets.ISO_8859_1;
import static java.nio.charset.StandardCharsets.UTF_16BE;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.reprise.delivery.body.SmsText.Alphabet;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Collectors;
import net.jqwik.api.Arbitraries;
import net.jqwik.api.Arbitrary;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.Provide;
import net.jqwik.api.Tuple;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class SmsTextTest {
  /** Written from the table of TS 23.038, row by row, other than the code that is tested. */
  private static final String[] ROWS = {
    "@£$¥èéùìòÇ\nØø\rÅå",
    "Δ_ΦΓΛΩΠΨΣΘΞ\u001bÆæßÉ",
    " !\"#¤%&'()*+,-./",
    "0123456789:;<=>?",
    "¡ABCDEFGHIJKLMNO",
    "PQRSTUVWXYZÄÖÑÜ§",
    "¿abcdefghijklmno",
    "pqrstuvwxyzäöñüà"
  };

  private static final String EXTENDED = "^{}\\[~]|€\f";

  @ParameterizedTest
  @CsvSource({
    "a, 160, GSM, 1",
    "a, 161, GSM, 2",
    "a, 306, GSM, 2",
    "a, 307, GSM, 3",
    "a, 1530, GSM, 10",
    "€, 80, GSM, 1",
    "€, 81, GSM, 2",
    "€, 152, GSM, 2",
    "€, 153, GSM, 3",
    "ж, 70, UCS2, 1",
    "ж, 71, UCS2, 2",
    "ж, 134, UCS2, 2",
    "ж, 135, UCS2, 3",
    "ж, 670, UCS2, 10",
    "😀, 35, UCS2, 1",
    "😀, 36, UCS2, 2",
    "😀, 66, UCS2, 2",
    "😀, 67, UCS2, 3"
  })
  void partsAreCounted(String character, int count, Alphabet alphabet, int parts) {
    SmsText text = SmsText.of(character.repeat(count));

    assertThat(text.alphabet()).isEqualTo(alphabet);
    assertThat(text.partCount()).isEqualTo(parts);
    assertThat(text.hasHeaders()).isEqualTo(parts > 1);
  }

  @Test
  void anEmptyTextIsOneEmptyPart() {
    assertThat(SmsText.of("").shortMessages(7)).containsExactly(new byte[0]);
  }

  @Test
  void eachCodeOfTheAlphabetIsThatOfTheTable() {
    for (int code = 0; code < 128; code++) {
      char character = ROWS[code / 16].charAt(code % 16);
      if (character != '\u001b') {
        assertThat(SmsText.of(String.valueOf(character)).shortMessages(0))
            .containsExactly(new byte[] {(byte) code});
      }
    }
    assertThat(SmsText.of(EXTENDED).shortMessages(0).get(0))
        .containsExactly(
            0x1b, 0x14, 0x1b, 0x28, 0x1b, 0x29, 0x1b, 0x2f, 0x1b, 0x3c, 0x1b, 0x3d, 0x1b, 0x3e,
            0x1b, 0x40, 0x1b, 0x65, 0x1b, 0x0a);
  }

  @Test
  void anEscapeIsNoCharacterOfTheAlphabet() {
    assertThat(SmsText.of("\u001b").alphabet()).isEqualTo(Alphabet.UCS2);
  }

  @Test
  void halfOfAPairIsReplaced() {
    assertThat(SmsText.of("\ud83d!").shortMessages(0))
        .containsExactly(new byte[] {(byte) 0xff, (byte) 0xfd, 0, '!'});
  }

  @Test
  void aTextThatIsTooLongIsRefusedWithTheRule() {
    String rule =
        "has 2001 characters, 14 parts of SMS: must have at most 10 parts (1530 characters of the"
            + " GSM alphabet, 670 of others)";

    assertThat(SmsText.problem("a".repeat(2001))).isEqualTo(rule);
    assertThat(SmsText.problem("a".repeat(1530))).isNull();
    assertThat(SmsText.problem("😀".repeat(331))).startsWith("has 331 characters, 11 parts");
    assertThat(SmsText.problem("😀".repeat(330))).isNull();
    assertThatThrownBy(() -> SmsText.of("a".repeat(2001)))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessage(rule);
  }

  @Property
  void aTextOfTheAlphabetComesBack(@ForAll("gsm") String text, @ForAll byte reference) {
    SmsText divided = SmsText.of(text);
    StringBuilder read = new StringBuilder();
    for (byte[] part : bodies(divided, reference)) {
      assertThat(part.length).isLessThanOrEqualTo(divided.hasHeaders() ? 153 : 160);
      read.append(decode(part));
    }

    assertThat(divided.alphabet()).isEqualTo(Alphabet.GSM);
    assertThat(read).hasToString(text);
  }

  @Property
  void anyOtherTextComesBack(@ForAll("others") String text, @ForAll byte reference) {
    SmsText divided = SmsText.of(text);
    StringBuilder read = new StringBuilder();
    for (byte[] part : bodies(divided, reference)) {
      assertThat(part.length).isLessThanOrEqualTo(divided.hasHeaders() ? 134 : 140);
      String decoded = new String(part, UTF_16BE);
      // Had a pair been divided, each half would have become this character.
      assertThat(decoded).doesNotContain("\ufffd");
      read.append(decoded);
    }

    assertThat(divided.alphabet()).isEqualTo(Alphabet.UCS2);
    assertThat(read).hasToString(text);
  }

  @Property
  void anyTextHasPartsOrAProblem(@ForAll String text) {
    if (SmsText.problem(text) == null) {
      assertThat(SmsText.of(text).shortMessages(0))
          .hasSizeBetween(1, SmsText.MAX_PARTS)
          .allMatch(part -> part.length <= 160);
    }
  }

  @Property
  void partsAreNotShorterThanTheyMust(@ForAll("gsm") String text) {
    SmsText divided = SmsText.of(text);
    List<byte[]> bodies = bodies(divided, 0);
    for (byte[] part : bodies.subList(0, bodies.size() - 1)) {
      assertThat(part.length).isGreaterThanOrEqualTo(152);
    }
  }

  @Provide
  Arbitrary<String> gsm() {
    return Arbitraries.strings()
        .withChars(String.join("", ROWS).replace("\u001b", "").toCharArray())
        .withChars(EXTENDED.toCharArray())
        .ofMaxLength(760);
  }

  @Provide
  Arbitrary<String> others() {
    return Arbitraries.integers()
        .between(0x20, 0x10ffff)
        .filter(point -> point != 0xfffd && (point < 0xd800 || point > 0xdfff))
        .map(Character::toString)
        .list()
        .ofMaxSize(320)
        .map(points -> String.join("", points) + "ж");
  }

  /** Checks the header of each part, and returns what is behind it. */
  private static List<byte[]> bodies(SmsText text, int reference) {
    List<byte[]> messages = text.shortMessages(reference);
    if (!text.hasHeaders()) {
      return messages;
    }
    List<byte[]> bodies = new ArrayList<>();
    for (byte[] message : messages) {
      assertThat(message).startsWith(5, 0, 3, (byte) reference, messages.size(), bodies.size() + 1);
      byte[] body = new byte[message.length - 6];
      System.arraycopy(message, 6, body, 0, body.length);
      bodies.add(body);
    }
    return bodies;
  }

  private static String decode(byte[] septets) {
    StringBuilder text = new StringBuilder();
    for (int i = 0; i < septets.length; i++) {
      int code = septets[i];
      if (code == 0x1b) {
        i++;
        text.append(
            switch (septets[i]) {
              case 0x0a -> '\f';
              case 0x14 -> '^';
              case 0x28 -> '{';
              case 0x29 -> '}';
              case 0x2f -> '\\';
              case 0x3c -> '[';
              case 0x3d -> '~';
              case 0x3e -> ']';
              case 0x40 -> '|';
              case 0x65 -> '€';
              default -> throw new AssertionError("an unknown extension: " + septets[i]);
            });
      } else {
        text.append(ROWS[code / 16].charAt(code % 16));
      }
    }
    return text.toString();
  }

  @Provide
  Arbitrary<String> mixed() {
    Arbitrary<Character> any =
        Arbitraries.frequencyOf(
            Tuple.of(40, Arbitraries.chars().range('a', 'z')),
            Tuple.of(1, Arbitraries.chars().range(' ', 'ÿ')),
            Tuple.of(1, Arbitraries.of('€', 'Ω', 'é', '£', '@', '{')));
    return any.list()
        .ofMinSize(1)
        .ofMaxSize(30)
        .map(list -> list.stream().map(String::valueOf).collect(Collectors.joining()));
  }

  /** A handset must show the text that is meant, whichever alphabet the SMS centre is given. */
  @Property
  void aCodingIsUsedForTextsThatBothAlphabetsHave(
      @ForAll SmsText.Coding coding, @ForAll("mixed") String text) {
    SmsText divided = SmsText.of(text, coding);
    boolean isGsm = SmsText.of(text).alphabet() == Alphabet.GSM;
    int bound =
        switch (coding) {
          case GSM -> Integer.MAX_VALUE;
          case LATIN1, DEFAULT_LATIN1 -> 0x100;
          case ASCII, DEFAULT_ASCII -> 0x80;
        };
    boolean fits = isGsm && text.chars().allMatch(character -> character < bound);

    assertThat(divided.alphabet()).isEqualTo(fits ? Alphabet.GSM : Alphabet.UCS2);
    assertThat(divided.dataCoding() == 8).isEqualTo(!fits);
    if (fits && coding != SmsText.Coding.GSM && !divided.hasHeaders()) {
      assertThat(divided.shortMessages(0)).containsExactly(text.getBytes(ISO_8859_1));
    }
  }
}
