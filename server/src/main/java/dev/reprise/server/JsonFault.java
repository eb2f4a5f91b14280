package dev.reprise.server;

import tools.jackson.core.JacksonException;
import tools.jackson.core.exc.StreamConstraintsException;
import tools.jackson.core.exc.UnexpectedEndOfInputException;

/** Says what is wrong with a text that is not JSON, in words of JSON and not of the parser. */
public final class JsonFault {
  private JsonFault() {}

  /** Returns what is wrong, in a few words without the place. */
  public static String describe(JacksonException e) {
    if (e instanceof StreamConstraintsException) {
      return "it is nested too deeply, or a number, a name or a text in it is too long";
    }
    String said = firstLine(e.getOriginalMessage());
    if (e instanceof UnexpectedEndOfInputException || said.startsWith("Unexpected end-of-input")) {
      return "it ends before it is complete";
    }
    if (said.startsWith("Duplicate Object property")) {
      return said.replaceFirst(
          "Duplicate Object property (\".*\").*", "the field $1 is there twice");
    }
    if (said.startsWith("Trailing token")) {
      return "something follows its end";
    }
    return withoutInternals(said);
  }

  /** Leaves out where the parser was and which of its switches would have it otherwise. */
  private static String withoutInternals(String said) {
    return said.replaceFirst(
            " \\((?:start marker|not recognized|for |from |enable |use |feature).*", "")
        .replaceFirst("(?i)[;:,]? *(?:to enable|use|enable|consider|see) `.*", "")
        .replaceFirst(" *(?:at|from)? *\\[Source.*", "")
        .replaceFirst(" *\\(code [0-9]+(?: / 0x[0-9a-fA-F]+)?\\)", "")
        .replaceFirst(" *\\(?`.*", "")
        .strip();
  }

  private static String firstLine(String text) {
    return text.strip().lines().findFirst().orElse("not JSON");
  }
}
