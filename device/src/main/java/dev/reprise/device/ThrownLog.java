package dev.reprise.device;

import org.slf4j.Logger;
import org.slf4j.event.Level;

/**
 * Logs what user code or a transport has thrown, and never throws itself. An exception may throw
 * when it is asked for its message, and a log may lack memory: what comes after must happen all the
 * same.
 */
final class ThrownLog {
  private ThrownLog() {}

  static void log(Logger log, Level level, String text, Throwable thrown) {
    try {
      log.atLevel(level).setCause(thrown).log(text);
    } catch (Throwable e) {
      try {
        log.atLevel(level).log("{}: {}", text, thrown.getClass().getName());
      } catch (Throwable again) {
        // There is no place left to say it.
        return;
      }
    }
  }
}
