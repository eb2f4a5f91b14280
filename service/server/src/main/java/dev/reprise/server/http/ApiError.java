package dev.reprise.server.http;

import dev.reprise.policy.document.Violation;
import dev.reprise.server.document.ErrorDocument;
import dev.reprise.server.document.ErrorDocument.ViolationDocument;
import java.util.List;
import java.util.Map;

/**
 * The error that a client receives when a request fails.
 *
 * @param status the HTTP status
 * @param code for programs, such as {@code not_found}
 * @param message one sentence for people
 * @param violations each rule that is broken; empty unless {@code code} is {@code invalid}
 * @param headers further headers of the answer
 */
public record ApiError(
    int status,
    String code,
    String message,
    List<Violation> violations,
    Map<String, String> headers) {
  public static ApiError of(int status, String code, String message) {
    return new ApiError(status, code, message, List.of(), Map.of());
  }

  /**
   * The number of violations that are reported; collect one more, and the message says that there
   * are more.
   */
  public static final int MAX_VIOLATIONS = 20;

  public static ApiError invalid(List<Violation> violations) {
    boolean more = violations.size() > MAX_VIOLATIONS;
    List<Violation> told = more ? violations.subList(0, MAX_VIOLATIONS) : violations;
    String message =
        told.size() == 1
            ? told.get(0).toString()
            : (more ? "more than " : "")
                + told.size()
                + " rules are broken; the first: "
                + told.get(0);
    return new ApiError(400, "invalid", message, List.copyOf(told), Map.of());
  }

  public static ApiError invalid(String field, String value, String rule) {
    return invalid(List.of(new Violation(field, value, rule)));
  }

  public ApiError withHeader(String name, String value) {
    return new ApiError(status, code, message, violations, Map.of(name, value));
  }

  /** Returns the document that stands under {@code error} in an answer. */
  public ErrorDocument toDocument() {
    return new ErrorDocument(
        code,
        message,
        violations.stream()
            .map(each -> new ViolationDocument(each.path(), each.value(), each.rule()))
            .toList());
  }

  public Answer toAnswer() {
    return Answer.json(status, new ErrorDocument.Body(toDocument())).withHeaders(headers);
  }
}
