package dev.reprise.server.settings;

import dev.reprise.policy.document.DurationText;
import java.nio.file.InvalidPathException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.function.Function;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/** The kinds of values that settings have. */
final class SettingTypes {
  static final SettingType<String> TEXT =
      new Form<>("must not be empty", text -> text.isBlank() ? null : text, Function.identity());

  /** A switch: {@code true} or {@code false}. */
  static final SettingType<Boolean> SWITCH =
      new Form<>("must be true or false", SettingTypes::truth, String::valueOf);

  static final SettingType<Path> FILE =
      new Form<>("must be the name of a file", SettingTypes::path, Path::toString);

  /** Several texts, divided by commas. */
  static final SettingType<List<String>> TEXTS =
      new Form<>(
          "must be values divided by commas", SettingTypes::list, list -> String.join(",", list));

  private static final Pattern SIZE = Pattern.compile("([0-9]{1,15})([KMGT]?)");
  private static final String UNITS = "KMGT";

  private SettingTypes() {}

  /** A form without a range. */
  private record Form<T>(
      String form, Function<String, @Nullable T> reader, Function<T, String> writer)
      implements SettingType<T> {
    @Override
    public @Nullable T read(String text) {
      return reader.apply(text);
    }

    @Override
    public String write(T value) {
      return writer.apply(value);
    }

    @Override
    public @Nullable String broken(T value) {
      return null;
    }

    @Override
    public String range() {
      return "";
    }
  }

  /**
   * Values from {@code least} to {@code most}; and one beside them that has a word, if {@code word}
   * is not empty.
   */
  private record Range<T extends Comparable<T>>(
      SettingType<T> of, T least, @Nullable T most, String word, @Nullable T meant)
      implements SettingType<T> {
    @Override
    public @Nullable T read(String text) {
      if (text.equals(word)) {
        return meant;
      }
      T value = of.read(text);
      // What has a word is written by it.
      return value != null && value.equals(meant) ? null : value;
    }

    @Override
    public String write(T value) {
      return value.equals(meant) ? word : of.write(value);
    }

    @Override
    public String form() {
      return of.form() + orWord();
    }

    @Override
    public @Nullable String broken(T value) {
      boolean allowed =
          value.equals(meant)
              || (value.compareTo(least) >= 0 && (most == null || value.compareTo(most) <= 0));
      return allowed
          ? null
          : (most == null
                  ? "must be at least " + of.write(least)
                  : "must be between " + of.write(least) + " and " + of.write(most))
              + orWord();
    }

    @Override
    public String range() {
      return (most == null
              ? "at least " + of.write(least)
              : of.write(least) + " to " + of.write(most))
          + orWord();
    }

    private String orWord() {
      return word.isEmpty() ? "" : ", or " + word;
    }
  }

  static SettingType<Integer> number(int least, int most) {
    return number(least, most, "", least - 1);
  }

  /** A number, or a word for one that is not in the range. */
  static SettingType<Integer> number(int least, int most, String word, int meant) {
    return new Range<>(
        new Form<>(
            "must be a number from " + least + " to " + most,
            SettingTypes::integer,
            String::valueOf),
        least,
        most,
        word,
        word.isEmpty() ? null : meant);
  }

  /** A span of time. */
  static SettingType<Duration> span(Duration least, @Nullable Duration most) {
    return new Range<>(spans(), least, most, "", null);
  }

  /** A span of time, or a word for one that is not in the range. */
  static SettingType<Duration> span(Duration least, String word, Duration meant) {
    return new Range<>(spans(), least, null, word, meant);
  }

  private static SettingType<Duration> spans() {
    return new Form<>(
        "must be a span such as 30s, 10m or 72h", DurationText::read, DurationText::exact);
  }

  /** A number of bytes. */
  static SettingType<Long> size(long least, @Nullable Long most) {
    return new Range<>(
        new Form<>("must be a size such as 512M or 4G", SettingTypes::bytes, SettingTypes::size),
        least,
        most,
        "",
        null);
  }

  /** One of some words. */
  static SettingType<String> oneOf(String... words) {
    List<String> known = List.of(words);
    return new Form<>(
        "must be " + String.join(" or ", known),
        text -> known.contains(text) ? text : null,
        Function.identity());
  }

  private static @Nullable Boolean truth(String text) {
    return switch (text.toLowerCase(Locale.ROOT)) {
      case "true" -> Boolean.TRUE;
      case "false" -> Boolean.FALSE;
      default -> null;
    };
  }

  private static @Nullable Path path(String text) {
    try {
      return text.isBlank() ? null : Path.of(text);
    } catch (InvalidPathException notPath) {
      return null;
    }
  }

  private static @Nullable List<String> list(String text) {
    List<String> values =
        Arrays.stream(text.split(",", -1)).map(String::strip).collect(Collectors.toList());
    return values.contains("") ? null : List.copyOf(values);
  }

  private static @Nullable Integer integer(String text) {
    return text.matches("0|[1-9][0-9]{0,8}") ? Integer.valueOf(text) : null;
  }

  private static @Nullable Long bytes(String text) {
    Matcher size = SIZE.matcher(text.toUpperCase(Locale.ROOT));
    if (!size.matches()) {
      return null;
    }
    int bits = size.group(2).isEmpty() ? 0 : 10 * (UNITS.indexOf(size.group(2)) + 1);
    long amount = Long.parseLong(size.group(1));
    return amount > Long.MAX_VALUE >> bits ? null : amount << bits;
  }

  private static String size(long bytes) {
    long amount = bytes;
    int thousands = 0;
    while (thousands < UNITS.length() && amount != 0 && amount % 1024 == 0) {
      amount /= 1024;
      thousands++;
    }
    return amount + (thousands == 0 ? "" : UNITS.substring(thousands - 1, thousands));
  }
}
