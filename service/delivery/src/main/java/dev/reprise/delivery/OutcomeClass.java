package dev.reprise.delivery;

import dev.reprise.core.RetryInfo;
import dev.reprise.core.RetrySafety;
import dev.reprise.core.http.HttpFailure;

/** A class of outcomes of attempts, as figures count them. */
public enum OutcomeClass {
  /** Taken, with a status of 200 to 299. */
  SUCCESS("2xx"),
  /** A redirect, which is a failure. */
  REDIRECT("3xx"),
  /** A status of 400 to 499 other than 429. */
  CLIENT_ERROR("4xx"),
  /** Too many requests. */
  THROTTLED("429"),
  /** A status of 500 to 599. */
  SERVER_ERROR("5xx"),
  /** No complete answer in time, with any protocol. */
  TIMEOUT("timeout"),
  /** No connection, or one that broke. */
  CONNECTION("connection"),
  /** Not sent: the rules of this process forbid the address or the request. */
  REFUSED("refused"),
  /** Taken, by a protocol that has no such status. */
  OK("ok"),
  /** A failure that may pass, of a protocol that is not HTTP. */
  RETRYABLE("retryable"),
  /** Any other failure that lasts. */
  PERMANENT("permanent");

  private static final int TOO_MANY_REQUESTS = 429;

  private final String wireName;

  OutcomeClass(String wireName) {
    this.wireName = wireName;
  }

  /** Returns the name that the API has for it. */
  public String wireName() {
    return wireName;
  }

  /** Returns the class of the outcome of an attempt that was made. */
  public static OutcomeClass of(AttemptOutcome outcome) {
    RetryInfo failure = outcome.failure();
    int status = outcome.status();
    if (failure == null) {
      return status >= 200 && status < 300 ? SUCCESS : OK;
    }
    if (outcome.isRefused()) {
      return REFUSED;
    }
    if (failure instanceof HttpFailure http) {
      return switch (http.kind()) {
        case TIMEOUT -> TIMEOUT;
        case CONNECTION -> CONNECTION;
        case REFUSED -> REFUSED;
        case STATUS -> ofStatus(status);
      };
    }
    if (failure.isTimeout()) {
      return TIMEOUT;
    }
    return failure.isRetrySafe() == RetrySafety.NO ? PERMANENT : RETRYABLE;
  }

  private static OutcomeClass ofStatus(int status) {
    return switch (status / 100) {
      case 3 -> REDIRECT;
      case 4 -> status == TOO_MANY_REQUESTS ? THROTTLED : CLIENT_ERROR;
      case 5 -> SERVER_ERROR;
      default -> PERMANENT;
    };
  }
}
