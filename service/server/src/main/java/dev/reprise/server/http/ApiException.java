package dev.reprise.server.http;

/** A request that the API itself refuses, before anything has happened. */
public final class ApiException extends RuntimeException {
  private static final long serialVersionUID = 1L;

  private final transient ApiError error;

  public ApiException(ApiError error) {
    // It is an ordinary answer, so its stack trace is not needed.
    super(error.message(), null, false, false);
    this.error = error;
  }

  public ApiError error() {
    return error;
  }

  public static ApiException invalid(String field, String value, String rule) {
    return new ApiException(ApiError.invalid(field, value, rule));
  }
}
