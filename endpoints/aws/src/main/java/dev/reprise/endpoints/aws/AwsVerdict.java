package dev.reprise.endpoints.aws;

import java.util.Set;

/** The meaning of an answer of SQS or Lambda that is no success. */
enum AwsVerdict {
  /** It may pass. */
  TRANSIENT,
  /** Too much was asked. */
  THROTTLED,
  /** It lasts. */
  PERMANENT,
  /** The credentials are not accepted: the account's fault, whatever was asked. */
  CREDENTIALS;

  private static final Set<String> CREDENTIAL_CODES =
      Set.of(
          "AuthFailure",
          "ExpiredToken",
          "ExpiredTokenException",
          "IncompleteSignature",
          "InvalidAccessKeyId",
          "InvalidClientTokenId",
          "InvalidSecurity",
          "InvalidSignatureException",
          "MissingAuthenticationToken",
          "MissingAuthenticationTokenException",
          "OptInRequired",
          "RequestExpired",
          "SignatureDoesNotMatch",
          "UnrecognizedClientException");

  private static final Set<String> THROTTLING_CODES =
      Set.of(
          "EC2ThrottledException",
          "KmsThrottled",
          "OverLimit",
          "RequestLimitExceeded",
          "RequestThrottled",
          "RequestThrottledException",
          "SlowDown",
          "Throttling",
          "ThrottlingException",
          "TooManyRequestsException");

  /** Codes of client errors that pass, unlike the others. */
  private static final Set<String> PASSING_CODES =
      Set.of(
          "AccessDenied",
          "AccessDeniedException",
          "KMSAccessDeniedException",
          "KMSDisabledException",
          "KmsAccessDenied",
          "KmsDisabled",
          "RequestTimeout",
          "RequestTimeoutException",
          "ResourceConflictException",
          "ResourceNotReadyException");

  /**
   * Returns the meaning of a status and a code.
   *
   * @param status the HTTP status, not of a success
   */
  static AwsVerdict of(int status, String code) {
    if (CREDENTIAL_CODES.contains(code)) {
      return CREDENTIALS;
    }
    if (status == 429 || THROTTLING_CODES.contains(code)) {
      return THROTTLED;
    }
    if (status >= 500 || status == 408 || PASSING_CODES.contains(code)) {
      return TRANSIENT;
    }
    // Without a code that says otherwise, a 403 is about the account.
    return status == 401 || status == 403 ? CREDENTIALS : PERMANENT;
  }
}
