package dev.reprise.bench.retry;

/** One operation under one retry loop, ready to be called again and again. */
@FunctionalInterface
interface Call {
  Object run() throws Exception;
}
