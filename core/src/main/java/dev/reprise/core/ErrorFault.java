package dev.reprise.core;

/** The side whose fault an error is (Smithy guide "Retrying Requests"). */
public enum ErrorFault {
  /** The caller's: what it sent was wrong, or not allowed. */
  CLIENT,

  /** The called side's: it could not do what was rightly asked. */
  SERVER,

  /** Neither side's for certain, such as a broken connection between the two. */
  OTHER
}
