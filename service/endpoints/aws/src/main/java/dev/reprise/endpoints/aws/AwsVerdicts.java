package dev.reprise.endpoints.aws;

import dev.reprise.delivery.carrier.CarrierVerdict;
import java.util.List;
import java.util.Locale;
import java.util.Set;

/**
 * The judgement of an answer of SQS or Lambda that is no success: of the code first, since the same
 * status is about the credentials with one code and about one function's file system with another.
 *
 * <p>SQS and Lambda, their old protocols and their new ones write the same code in several ways
 * ({@code KmsAccessDenied}, {@code KMSAccessDeniedException}, {@code
 * AWS.SimpleQueueService.NonExistentQueue}); here they stand as {@link #plain} gives them.
 */
final class AwsVerdicts {
  /** The credentials, or the clock that signs: whatever is asked for is refused. */
  static final Set<String> ACCOUNT =
      Set.of(
          "authfailure",
          "expiredtoken",
          "incompletesignature",
          "invalidaccesskeyid",
          "invalidclienttokenid",
          "invalidsecurity",
          "invalidsignature",
          "invalidtoken",
          "missingauthenticationtoken",
          "optinrequired",
          "requestexpired",
          "requesttimetooskewed",
          "signaturedoesnotmatch",
          "unrecognizedclient");

  /** Mostly of one queue or function: the others go on. */
  static final Set<String> THROTTLED =
      Set.of(
          "ec2throttled",
          "kmsthrottled",
          "overlimit",
          "requestlimitexceeded",
          "requestthrottled",
          "slowdown",
          "throttled",
          "throttling",
          "toomanyrequests");

  /** A right that one queue or function does not give, or that the account has to none. */
  static final Set<String> SUSPECT = Set.of("accessdenied", "notauthorized");

  /** A fault of a queue or function that its owner repairs: a key, a state that passes. */
  static final Set<String> RECIPIENT_FOR_NOW =
      Set.of(
          "invalidruntime",
          "invalidsecuritygroupid",
          "invalidsubnetid",
          "invalidzipfile",
          "nopublishedversion",
          "queuedeletedrecently",
          "recursiveinvocation",
          "resourceconflict",
          "resourcenotready",
          "subnetipaddresslimitreached");

  /** Beginnings of codes of what one queue or function needs of other services. */
  static final List<String> NEEDS_OF_RECIPIENT =
      List.of("codeartifactuser", "ec2", "efs", "eni", "kms", "s3files", "snapstart");

  /** A queue or function that is not there, or takes no messages of this kind. */
  static final Set<String> RECIPIENT =
      Set.of(
          "invalidaddress",
          "modenotsupported",
          "nonexistentqueue",
          "queuedoesnotexist",
          "resourcenotfound",
          "unsupportedoperation");

  private static final String EXCEPTION = "exception";

  private AwsVerdicts() {}

  /**
   * Judges an answer.
   *
   * @param status the HTTP status, not of a success
   * @param code empty for none
   */
  static CarrierVerdict of(int status, String code) {
    String plain = plain(code);
    if (ACCOUNT.contains(plain)) {
      return CarrierVerdict.ACCOUNT;
    }
    if (status == 429 || THROTTLED.contains(plain)) {
      return CarrierVerdict.RECIPIENT_THROTTLED;
    }
    if (SUSPECT.contains(plain)) {
      return CarrierVerdict.SUSPECT;
    }
    if (RECIPIENT_FOR_NOW.contains(plain)
        || NEEDS_OF_RECIPIENT.stream().anyMatch(plain::startsWith)) {
      return CarrierVerdict.RECIPIENT_FOR_NOW;
    }
    if (RECIPIENT.contains(plain)) {
      return CarrierVerdict.RECIPIENT;
    }
    if (status >= 500 || status == 408 || plain.equals("requesttimeout")) {
      return CarrierVerdict.MOMENT;
    }
    return ofStatus(status);
  }

  private static CarrierVerdict ofStatus(int status) {
    return switch (status) {
      case 401 -> CarrierVerdict.ACCOUNT;
      // A right, of one or of all. Without a code it is of something on the way to SQS or Lambda.
      case 403 -> CarrierVerdict.SUSPECT;
      case 404 -> CarrierVerdict.RECIPIENT;
      case 409, 410, 423 -> CarrierVerdict.RECIPIENT_FOR_NOW;
      default -> CarrierVerdict.MESSAGE;
    };
  }

  /**
   * Returns a code without the name of its service and the word exception, in lower case, such as
   * {@code kmsaccessdenied}.
   */
  static String plain(String code) {
    String last = code.substring(code.lastIndexOf('.') + 1).toLowerCase(Locale.ROOT);
    return last.endsWith(EXCEPTION) ? last.substring(0, last.length() - EXCEPTION.length()) : last;
  }
}
