package dev.reprise.core;

/** Tells the cause of an error, apart from retrying (Smithy guide "Retrying Requests"). */
public interface ErrorInfo {
  /** Returns whose fault the error is. */
  ErrorFault fault();
}
