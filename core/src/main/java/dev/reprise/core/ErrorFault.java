package dev.reprise.core;

/** The side whose fault an error is (Smithy guide "Retrying Requests"). */
public enum ErrorFault {
  /** The caller's: the request was wrong, or not allowed. */
  CLIENT,

  /** The called side's: it could not serve a correct request. */
  SERVER,

  /** Neither side's for certain, such as a broken connection between the two. */
  OTHER
}
