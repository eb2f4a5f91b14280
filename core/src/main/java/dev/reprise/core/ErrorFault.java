package dev.reprise.core;

/** Whose fault an error is (seed 003). */
public enum ErrorFault {
  /** The caller's: what it sent was wrong, or not allowed. */
  CLIENT,

  /** The called side's: it could not do what was rightly asked. */
  SERVER,

  /** Neither side's for certain, such as a broken connection between the two. */
  OTHER
}
