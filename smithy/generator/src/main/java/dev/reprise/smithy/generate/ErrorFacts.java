package dev.reprise.smithy.generate;

import dev.reprise.core.ErrorFault;
import dev.reprise.core.RetrySafety;
import dev.reprise.core.http.HttpFailure;
import software.amazon.smithy.model.shapes.Shape;
import software.amazon.smithy.model.traits.ErrorTrait;
import software.amazon.smithy.model.traits.HttpErrorTrait;
import software.amazon.smithy.model.traits.RetryableTrait;

/**
 * The facts about retrying an error that its traits tell, as Smithy defines them.
 *
 * @param fault from {@code @error}
 * @param httpStatus from {@code @httpError}; without it 400 for a client's error and 500 for a
 *     server's
 * @param ownStatus true if the status is the error's own, from {@code @httpError}
 * @param safety YES with {@code @retryable}; without it NO for a client's error, MAYBE for a
 *     server's
 * @param throttle from {@code @retryable(throttling: true)}
 */
public record ErrorFacts(
    ErrorFault fault, int httpStatus, boolean ownStatus, RetrySafety safety, boolean throttle) {
  private static final int REQUEST_TIMEOUT = 408;
  private static final int TOO_MANY_REQUESTS = 429;
  private static final int GATEWAY_TIMEOUT = 504;

  /**
   * Reads the facts of an error.
   *
   * @param error a shape with {@code @error}
   * @throws IllegalArgumentException if the shape has no {@code @error}
   */
  public static ErrorFacts of(Shape error) {
    ErrorTrait trait =
        error
            .getTrait(ErrorTrait.class)
            .orElseThrow(
                () ->
                    new IllegalArgumentException(error.getId() + " is no error: it lacks @error"));
    RetryableTrait retryable = error.getTrait(RetryableTrait.class).orElse(null);
    HttpErrorTrait status = error.getTrait(HttpErrorTrait.class).orElse(null);
    boolean client = trait.isClientError();
    return new ErrorFacts(
        client ? ErrorFault.CLIENT : ErrorFault.SERVER,
        status == null ? trait.getDefaultHttpStatusCode() : status.getCode(),
        status != null,
        safety(client, retryable != null),
        retryable != null && retryable.getThrottling());
  }

  private static RetrySafety safety(boolean client, boolean retryable) {
    // The model says so.
    if (retryable) {
      return RetrySafety.YES;
    }

    // The same wrong request would be refused again; a server may have done part of the work.
    return client ? RetrySafety.NO : RetrySafety.MAYBE;
  }

  /** Returns true for the statuses that tell of time running out: 408 and 504. */
  public boolean timeout() {
    return httpStatus == REQUEST_TIMEOUT || httpStatus == GATEWAY_TIMEOUT;
  }

  /** Returns true if the status asks for a retry, later, and the traits forbid one. */
  public boolean contradictsItsStatus() {
    return ownStatus
        && safety == RetrySafety.NO
        && (httpStatus == TOO_MANY_REQUESTS || httpStatus == REQUEST_TIMEOUT);
  }

  /**
   * Returns true if a response that names no error may be taken for this one because of its status:
   * only when that makes no retry likelier than the status alone does. A gateway that answers 503
   * knows nothing of what the model promises of the service's own.
   */
  boolean isToldByItsStatus() {
    if (!ownStatus) {
      return false;
    }
    RetrySafety ofTheStatus = HttpFailure.status(httpStatus, null).isRetrySafe();
    return switch (safety) {
      case NO -> true;
      case MAYBE -> ofTheStatus != RetrySafety.NO;
      case YES -> ofTheStatus == RetrySafety.YES;
    };
  }
}
