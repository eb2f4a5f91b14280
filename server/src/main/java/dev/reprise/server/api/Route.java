package dev.reprise.server.api;

import java.util.concurrent.CompletionStage;

/**
 * One operation of the API.
 *
 * @param method the HTTP method
 * @param pattern the path; a segment in braces is variable, as in {@code /v1/topics/{topic}}
 * @param access who may call it
 * @param mediaType what its body must be; empty if it takes no body
 * @param maxBodyBytes how long the body may be
 * @param thread where it runs
 * @param operation what it does
 */
record Route(
    String method,
    String pattern,
    Access access,
    String mediaType,
    int maxBodyBytes,
    RunsOn thread,
    Operation operation) {
  static final String JSON = "application/json";
  static final String NDJSON = "application/x-ndjson";

  /** The longest body of an operation that does not say otherwise. */
  static final int MAX_DOCUMENT_BYTES = 1 << 20;

  /** The callers of an operation. */
  enum Access {
    /** Clients with an API key. */
    KEY,
    /** Everybody. */
    OPEN
  }

  /** The threads that an operation runs on. */
  enum RunsOn {
    /** The connection's own: it never waits for anything, the store included. */
    EVENT_LOOP,
    /** One that may read the store and wait for a disk. */
    WORKER,
    /** The same, but of a few that slow calls do not share. */
    PROBE
  }

  /** Does the work of a route. Throws what {@link Failures} knows, or completes with it. */
  interface Operation {
    CompletionStage<Answer> answer(Call call);
  }
}
