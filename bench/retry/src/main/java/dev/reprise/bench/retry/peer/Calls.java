package dev.reprise.bench.retry.peer;

import java.util.concurrent.Callable;

/**
 * Calls of one library that share one policy. The operation is wrapped into the library's own type
 * here, once, so that nobody is charged for a lambda.
 */
@FunctionalInterface
public interface Calls {
  PeerRequest of(Callable<Object> operation);
}
