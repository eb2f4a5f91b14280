package dev.reprise.server.http;

import java.util.concurrent.CompletionStage;

/**
 * One operation of the API.
 *
 * @param method the HTTP method
 * @param pattern the path; a segment in braces is variable, as in {@code /v1/topics/{topic}}
 * @param use which clients may call it, and whether it is a change
 * @param place which node of a cluster answers
 * @param mediaType what its body must be; empty if it takes no body
 * @param maxBodyBytes how long the body may be
 * @param thread where it runs
 * @param operation what it does
 * @param description what OpenAPI says about it
 */
public record Route(
    String method,
    String pattern,
    Use use,
    Place place,
    String mediaType,
    int maxBodyBytes,
    RunsOn thread,
    Operation operation,
    Description description) {
  public static final String JSON = "application/json";
  public static final String NDJSON = "application/x-ndjson";

  /** The longest body of an operation that does not say otherwise. */
  public static final int MAX_DOCUMENT_BYTES = 1 << 20;

  /** The callers of an operation. */
  public enum Access {
    /** All clients, without a key. */
    OPEN,
    /** Clients with an API key of scope publish. */
    PUBLISH,
    /** Clients with an API key of scope read, or manage. */
    READ,
    /** Clients with an API key of scope manage. */
    MANAGE,
    /** Clients with an operator's API key of scope manage. */
    OPERATE;

    /**
     * Lets a caller pass.
     *
     * @throws ApiException 403 if its key does not open this
     */
    public void check(Caller caller) {
      Scope scope = this == OPERATE ? Scope.MANAGE : this == OPEN ? null : Scope.valueOf(name());
      if (scope == null || (caller.has(scope) && (this != OPERATE || caller.isOperator()))) {
        return;
      }
      String has = String.join(", ", Scope.wireNames(caller.scopes()));
      throw new ApiException(
          ApiError.of(
              403,
              "forbidden",
              "this needs "
                  + (this == OPERATE ? "an operator's API key" : "an API key")
                  + " with scope "
                  + scope.wireName()
                  + ": "
                  + caller.described()
                  + " has "
                  + has
                  + (caller.isOperator() ? "" : ", and is of project '" + caller.project() + "'")));
    }
  }

  /** Returns true if the address of the client is recorded, or what it may do depends on it. */
  public boolean needsClient() {
    return use.isChange() || (access() == Access.OPEN && !method.equals("GET"));
  }

  /** Returns the same with a description. */
  public Route described(Description other) {
    return new Route(
        method, pattern, use, place, mediaType, maxBodyBytes, thread, operation, other);
  }

  /** The callers of the operation. */
  public Access access() {
    return use.access();
  }

  /** The threads that an operation runs on. */
  public enum RunsOn {
    /** The connection's own: it never waits for anything, the store included. */
    EVENT_LOOP,
    /** One that may read the store and wait for a disk. */
    WORKER,
    /** The same, but of a few that slow calls do not share. */
    PROBE
  }

  /** Does the work of a route. Throws what {@link ApiFailures} knows, or completes with it. */
  public interface Operation {
    CompletionStage<Answer> answer(Call call);
  }
}
