package dev.reprise.server.http;

import tools.jackson.databind.node.ObjectNode;

/** The refusals that several operations have in common, as OpenAPI describes them. */
public enum Refusal {
  INVALID(400, "Invalid", "A rule is broken, or the JSON is malformed. Nothing was changed."),
  UNAUTHORIZED(
      401, "Unauthorized", "There is no API key, or none that is known, or it has expired."),
  FORBIDDEN(
      403,
      "Forbidden",
      "The API key has not the scope that the operation needs. Or the service needs no key"
          + " (--dev), and a web page may have sent this: the Origin is another, or the Host is"
          + " neither localhost nor an address."),
  NOT_FOUND(404, "NotFound", "There is no such thing."),
  CONFLICT(409, "Conflict", "It contradicts what there is. Nothing was changed."),
  TOO_LARGE(413, "TooLarge", "It is too large; the limit is named."),
  MEDIA_TYPE(
      415,
      "MediaType",
      "There is a body, and its Content-Type is absent or not one of this operation."),
  QUOTA_REACHED(
      429,
      "QuotaReached",
      "The project has published too much in this second, or has too much pending; Retry-After"
          + " says when to try again."),
  UNAVAILABLE(
      503,
      "Unavailable",
      "Overloaded, storage unavailable, or stopping; Retry-After says when to try again."),
  STORAGE_FULL(507, "StorageFull", "The disk is full. Nothing was accepted.");

  private final int status;
  private final String wireName;
  private final String text;

  Refusal(int status, String wireName, String text) {
    this.status = status;
    this.wireName = wireName;
    this.text = text;
  }

  /** Returns the name under which OpenAPI describes it. */
  public String wireName() {
    return wireName;
  }

  /** Returns the sentence on it. */
  public String text() {
    return text;
  }

  /** Adds a reference to it to the answers of an operation. */
  public void addTo(ObjectNode operation) {
    operation
        .withObject("responses")
        .putObject(Integer.toString(status))
        .put("$ref", "#/components/responses/" + wireName);
  }
}
