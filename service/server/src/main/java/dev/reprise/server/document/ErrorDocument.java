package dev.reprise.server.document;

import com.fasterxml.jackson.annotation.JsonInclude;
import dev.reprise.server.schema.Described;
import java.util.List;

/**
 * Why a request failed; stands under {@code error} in an answer.
 *
 * @param code for programs, such as {@code not_found}
 */
@Described(name = "ErrorBody")
public record ErrorDocument(
    @Described(
            oneOf =
                "invalid, not_found, conflict, unauthorized, forbidden, quota_exceeded,"
                    + " too_large, overloaded, storage_full, storage_unavailable, stopping,"
                    + " method_not_allowed, unsupported_media_type, internal, name_server_silent")
        String code,
    @Described("One sentence for people.") String message,
    @Described("Every rule that is broken; only with code invalid.")
        @JsonInclude(JsonInclude.Include.NON_EMPTY)
        List<ViolationDocument> violations) {
  /**
   * A rule that is broken.
   *
   * @param field of the request
   * @param value that it has
   * @param rule for its value
   */
  @Described(name = "Violation", value = "One rule that is broken.")
  public record ViolationDocument(String field, String value, String rule) {}

  /**
   * The body of an answer that is an error.
   *
   * @param error why
   */
  public record Body(ErrorDocument error) {}
}
