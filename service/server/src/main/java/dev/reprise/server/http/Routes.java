package dev.reprise.server.http;

import java.util.concurrent.CompletableFuture;
import java.util.function.Function;

/**
 * The usual kinds of routes. All run where they may read the store, and have no description yet.
 */
public final class Routes {
  private Routes() {}

  /** An operation without a body that is done when it returns. */
  public static Route reading(
      Use use, Place place, String method, String pattern, Function<Call, Answer> operation) {
    return waiting(use, place, method, pattern, "", done(operation));
  }

  /** An operation with a JSON body that is done when it returns. */
  public static Route changing(
      Use use, Place place, String method, String pattern, Function<Call, Answer> operation) {
    return waiting(use, place, method, pattern, Route.JSON, done(operation));
  }

  /** An operation that goes on elsewhere after it has returned. */
  public static Route waiting(
      Use use,
      Place place,
      String method,
      String pattern,
      String mediaType,
      Route.Operation operation) {
    return new Route(
        method,
        pattern,
        use,
        place,
        mediaType,
        mediaType.isEmpty() ? 0 : Route.MAX_DOCUMENT_BYTES,
        Route.RunsOn.WORKER,
        operation,
        Description.NONE);
  }

  /** An operation that needs no key, and is answered however busy the others are. */
  public static Route open(String pattern, Function<Call, Answer> operation) {
    return new Route(
        "GET",
        pattern,
        Use.OPEN,
        Place.ANYWHERE,
        "",
        0,
        Route.RunsOn.PROBE,
        done(operation),
        Description.NONE);
  }

  private static Route.Operation done(Function<Call, Answer> operation) {
    return call -> CompletableFuture.completedFuture(operation.apply(call));
  }
}
