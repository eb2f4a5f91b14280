package dev.reprise.server.document;

import com.fasterxml.jackson.annotation.JsonInclude;
import java.util.List;

/**
 * Why a request failed; stands under {@code error} in an answer.
 *
 * @param code for programs, such as {@code not_found}
 * @param message one sentence for people
 * @param violations each rule that is broken; absent if there is none
 */
public record ErrorDocument(
    String code,
    String message,
    @JsonInclude(JsonInclude.Include.NON_EMPTY) List<ViolationDocument> violations) {
  /**
   * A rule that is broken.
   *
   * @param field of the request
   * @param value that it has
   * @param rule for its value
   */
  public record ViolationDocument(String field, String value, String rule) {}

  /**
   * The body of an answer that is an error.
   *
   * @param error why
   */
  public record Body(ErrorDocument error) {}
}
