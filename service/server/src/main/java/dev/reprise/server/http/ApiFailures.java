package dev.reprise.server.http;

import dev.reprise.cluster.base.ClusterException;
import dev.reprise.delivery.IdempotencyConflictException;
import dev.reprise.delivery.NoSubscriptionException;
import dev.reprise.delivery.Payload;
import dev.reprise.delivery.catalog.ConflictException;
import dev.reprise.delivery.catalog.InvalidRequestException;
import dev.reprise.delivery.catalog.NotFoundException;
import dev.reprise.delivery.engine.OverloadedException;
import dev.reprise.delivery.host.EngineClosedException;
import dev.reprise.delivery.host.ShardElsewhereException;
import dev.reprise.delivery.store.StoreException;
import dev.reprise.policy.PolicyException;
import java.util.UUID;
import java.util.concurrent.CompletionException;
import java.util.concurrent.ExecutionException;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import tools.jackson.core.JacksonException;

/** The one place that says which error becomes which answer. */
public final class ApiFailures {
  private static final Logger LOG = LoggerFactory.getLogger(ApiFailures.class);

  /** Seconds after which a client may try again: a full queue empties soon, a disk does not. */
  private static final String SOON = "1";

  private static final String LATER = "5";

  private ApiFailures() {}

  public static ApiError toError(Throwable thrown) {
    Throwable e = thrown;
    while ((e instanceof CompletionException || e instanceof ExecutionException)
        && e.getCause() != null) {
      e = e.getCause();
    }
    String message = String.valueOf(e.getMessage());
    if (e instanceof ApiException refused) {
      return refused.error();
    }
    if (e instanceof InvalidRequestException invalid) {
      return ApiError.invalid(invalid.violations());
    }
    if (e instanceof PolicyException invalid) {
      return ApiError.invalid(invalid.violations());
    }
    if (e instanceof JacksonException malformed) {
      return StrictJson.malformed(malformed, "");
    }
    if (e instanceof NotFoundException || e instanceof NoSubscriptionException) {
      return ApiError.of(404, "not_found", message);
    }
    if (e instanceof ConflictException) {
      return ApiError.of(409, "conflict", message);
    }
    if (e instanceof Payload.TooLargeException) {
      return ApiError.of(413, "too_large", message);
    }
    if (e instanceof IdempotencyConflictException) {
      return ApiError.of(422, "conflict", message);
    }
    if (e instanceof OverloadedException) {
      return ApiError.of(503, "overloaded", message).withHeader("Retry-After", SOON);
    }
    if (e instanceof EngineClosedException) {
      return ApiError.of(503, "stopping", message).withHeader("Retry-After", LATER);
    }
    if (e instanceof ShardElsewhereException) {
      return ApiError.of(503, "shard_elsewhere", message).withHeader("Retry-After", SOON);
    }
    if (e instanceof ClusterException) {
      // Nodes of two versions, in the middle of an upgrade.
      return ApiError.of(503, "shard_elsewhere", message).withHeader("Retry-After", LATER);
    }
    if (e instanceof StoreException store) {
      return store.full()
          ? ApiError.of(507, "storage_full", message)
          : ApiError.of(503, "storage_unavailable", message).withHeader("Retry-After", LATER);
    }
    String id = UUID.randomUUID().toString();
    LOG.error("internal error {}", id, e);
    return ApiError.of(
        500, "internal", "the service made a mistake; its log tells more under " + id);
  }
}
