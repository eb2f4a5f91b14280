package dev.reprise.policy.document;

import java.util.regex.Matcher;
import java.util.regex.Pattern;
import tools.jackson.core.JacksonException;
import tools.jackson.core.StreamReadFeature;
import tools.jackson.core.exc.StreamConstraintsException;
import tools.jackson.core.exc.UnexpectedEndOfInputException;
import tools.jackson.databind.DeserializationFeature;
import tools.jackson.databind.json.JsonMapper;

/**
 * Describes the error in a text that is no JSON. The messages of the parser speak of its own
 * settings and classes.
 */
public final class JsonFault {
  private static final Pattern CHARACTER =
      Pattern.compile("^Unexpected (?:character|close marker) \\(?('.*?')");
  private static final Pattern WORD =
      Pattern.compile("^(?:Unrecognized|Non-standard) token ('[^']*')");
  private static final Pattern TWICE = Pattern.compile("^Duplicate \\w+ \\w+ (\"[^\"]*\")");

  private JsonFault() {}

  /**
   * Returns a reader of JSON that lets nothing pass which is probably a mistake: fractions stay
   * exact, and a field that is given twice or text after the end is an error, which {@link #of}
   * words.
   */
  public static JsonMapper strictMapper() {
    return JsonMapper.builder()
        .enable(StreamReadFeature.STRICT_DUPLICATE_DETECTION)
        .enable(DeserializationFeature.FAIL_ON_TRAILING_TOKENS)
        .enable(DeserializationFeature.USE_BIG_DECIMAL_FOR_FLOATS)
        .build();
  }

  /** Returns where and what, such as {@code line 2, column 5: the character '}' is unexpected}. */
  public static String of(JacksonException fault) {
    return where(fault) + describe(fault);
  }

  /** Returns what is wrong, on one line and without the place. */
  public static String describe(JacksonException fault) {
    return Quoted.line(what(fault, String.valueOf(fault.getOriginalMessage())));
  }

  private static String where(JacksonException fault) {
    return fault.getLocation() == null
        ? ""
        : "line "
            + fault.getLocation().getLineNr()
            + ", column "
            + fault.getLocation().getColumnNr()
            + ": ";
  }

  private static String what(JacksonException fault, String said) {
    if (fault instanceof UnexpectedEndOfInputException
        || said.startsWith("Unexpected end-of-input")) {
      return "the text ends before the JSON does";
    }
    if (fault instanceof StreamConstraintsException) {
      return said.contains("nesting depth")
          ? "objects or arrays lie too deep in each other"
          : said.contains("Number") ? "a number has too many digits" : "a text is too long";
    }
    Matcher twice = TWICE.matcher(said);
    if (twice.find()) {
      return "the field " + twice.group(1) + " is given twice";
    }
    Matcher character = CHARACTER.matcher(said);
    if (character.find()) {
      return "the character " + character.group(1) + " is unexpected";
    }
    Matcher word = WORD.matcher(said);
    if (word.find()) {
      return word.group(1) + " is no JSON value; a text stands in double quotes";
    }
    return said.startsWith("Trailing token")
        ? "there is more text after the end"
        : withoutInternals(said);
  }

  /** Leaves out where the parser was and which of its switches would have it otherwise. */
  private static String withoutInternals(String said) {
    String rest =
        said.strip()
            .replaceFirst("(?s)\n.*", "")
            .replaceFirst(
                " \\((?:start marker|not recognized|for |from |enable |use |feature).*", "")
            .replaceFirst("(?i)[;:,]? *(?:to enable|use|enable|consider|see) `.*", "")
            .replaceFirst(" *(?:at|from)? *\\[Source.*", "")
            .replaceFirst(" *\\(code [0-9]+(?: / 0x[0-9a-fA-F]+)?\\)", "")
            .replaceFirst(" *\\(?`.*", "")
            .strip();
    return rest.isEmpty() ? "not JSON" : rest;
  }
}
