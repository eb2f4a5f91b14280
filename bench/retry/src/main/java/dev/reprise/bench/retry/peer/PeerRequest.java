package dev.reprise.bench.retry.peer;

/** One operation under one retry loop, ready to be called again and again. */
@FunctionalInterface
public interface PeerRequest {
  Object run() throws Exception;
}
