package dev.reprise.core.retry;

import java.lang.System.Logger;

/**
 * Where this package logs. A class of its own, because to make a logger takes longer than
 * everything else that a program pays before its first call, and most never log.
 */
final class RetryLog {
  static final Logger LOG = System.getLogger("dev.reprise.core.retry");

  private RetryLog() {}
}
