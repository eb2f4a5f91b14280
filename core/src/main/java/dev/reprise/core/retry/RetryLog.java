package dev.reprise.core.retry;

import java.lang.System.Logger;
import java.lang.System.Logger.Level;
import java.util.ServiceConfigurationError;

/**
 * Where this package logs. The logger is made when there is something to log, because that takes
 * longer than everything else that a program pays before its first call.
 */
final class RetryLog {
  private RetryLog() {}

  private static final class Lazy {
    static final Logger LOG = System.getLogger("dev.reprise.core.retry");
  }

  /**
   * Warns of something that must not change the outcome of a call; nor must a log that fails.
   *
   * @param name the {@link Retry}
   * @param what happened
   */
  static void warn(String name, String what, Throwable cause) {
    try {
      Lazy.LOG.log(Level.WARNING, name + ": " + what, cause);
    } catch (RuntimeException | LinkageError | ServiceConfigurationError broken) {
      // There is nobody to tell.
    }
  }
}
