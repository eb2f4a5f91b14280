package dev.reprise.cli.base;

import dev.reprise.server.document.ErrorDocument;
import java.util.List;
import tools.jackson.databind.JsonNode;

/** The words and exit codes for an error that the service answered. */
public final class Refusal {
  private Refusal() {}

  /**
   * Returns the failure for an error with a message.
   *
   * @param retryAfter the header of that name; empty if there is none
   * @param withKey whether the request had an API key
   */
  static CommandFailure of(int status, ErrorDocument error, String retryAfter, boolean withKey) {
    String text = error.message();
    return switch (status) {
      case 400, 413 -> wrongValues(error);
      case 401, 403 ->
          new CommandFailure(
              ExitCode.REFUSED,
              withKey
                  ? text
                  : sentence(text)
                      + "No API key was given: export REPRISE_KEY=..., or use --api-key");
      case 404 -> new CommandFailure(ExitCode.NOT_FOUND, text);
      case 429, 503 -> busy(text, retryAfter);
      default -> CommandFailure.failed(text);
    };
  }

  /** It is the same fault whether the command finds it or the service. */
  private static CommandFailure wrongValues(ErrorDocument error) {
    List<String> mistakes = mistakes(error);
    return mistakes.size() < 2
        ? CommandFailure.wrongUsage(error.message())
        : new CommandFailure(
            ExitCode.WRONG_USAGE, mistakes.size() + " rules are broken:", mistakes);
  }

  /** Returns why one of many lines was refused, as a line. */
  public static String inOneLine(JsonNode answer) {
    if (!answer.isObject()) {
      return "no answer";
    }
    ErrorDocument error = Json.document(answer, ErrorDocument.class);
    List<String> mistakes = mistakes(error);
    return mistakes.size() >= 2
        ? String.join("; ", mistakes)
        : error.message().isEmpty() ? "no answer" : error.message();
  }

  private static List<String> mistakes(ErrorDocument error) {
    return error.violations().stream()
        .map(each -> each.field() + " is " + each.value() + ": " + each.rule())
        .toList();
  }

  private static CommandFailure busy(String text, String retryAfter) {
    if (!retryAfter.matches("[0-9]{1,6}")) {
      return CommandFailure.failed(text);
    }
    int seconds = Math.max(1, Integer.parseInt(retryAfter));
    return new CommandFailure.Busy(sentence(text) + "Try again in " + seconds + " s", seconds);
  }

  private static String sentence(String text) {
    return text + (text.charAt(text.length() - 1) == '.' ? " " : ". ");
  }
}
