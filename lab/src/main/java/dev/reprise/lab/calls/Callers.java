package dev.reprise.lab.calls;

/** Begins calls, one by one or at a rate. */
sealed interface Callers permits OpenCallers, ClosedCallers {
  /** Begins with the first calls. */
  void start();

  /** A call of a client has ended. */
  void ended(int client);

  /** Returns true when no further call begins. */
  boolean areDone();
}
