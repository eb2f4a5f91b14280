package dev.reprise.core;

/** Tells the cause of an error, apart from retrying (AWS SDK retry specification). */
public interface ErrorInfo {
  /** Returns whose fault the error is. */
  ErrorFault fault();
}
