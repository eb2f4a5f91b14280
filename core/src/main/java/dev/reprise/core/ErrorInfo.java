package dev.reprise.core;

/** What an error says about its cause, apart from retrying (seed 003). */
public interface ErrorInfo {
  /** Returns whose fault the error is. */
  ErrorFault fault();
}
