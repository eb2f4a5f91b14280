package dev.reprise.server.serve;

import dev.reprise.delivery.pause.Pauses;
import java.io.IOException;
import java.time.Duration;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Says to systemd that the service is ready, goes on, or stops: {@code Type=notify} and {@code
 * WatchdogSec} of its unit. Does nothing where the environment has no {@code NOTIFY_SOCKET}.
 *
 * <p>Java has no datagrams over Unix sockets, so the command {@code systemd-notify} sends them,
 * which comes with systemd and takes abstract sockets as well. It is another process, hence the
 * unit's {@code NotifyAccess=all}.
 */
public final class ServiceManager {
  private static final Logger LOG = LoggerFactory.getLogger(ServiceManager.class);
  private static final String COMMAND = "systemd-notify";
  private static final Duration COMMAND_LIMIT = Duration.ofSeconds(10);

  /** The socket of systemd; empty where there is none. */
  private final String socket;

  /** From one sign of life to the next; null where no watchdog waits for any. */
  private final @Nullable Duration beat;

  private ServiceManager(String socket, @Nullable Duration beat) {
    this.socket = socket;
    this.beat = beat;
  }

  /** Returns that which the environment of this process names. */
  public static ServiceManager of(Map<String, String> environment) {
    return new ServiceManager(
        environment.getOrDefault("NOTIFY_SOCKET", ""),
        beat(environment, ProcessHandle.current().pid()));
  }

  /** Half of what the watchdog waits for, as sd_watchdog_enabled(3) advises. */
  static @Nullable Duration beat(Map<String, String> environment, long pid) {
    String micros = environment.getOrDefault("WATCHDOG_USEC", "");
    String watched = environment.getOrDefault("WATCHDOG_PID", "");
    if (micros.isEmpty() || !(watched.isEmpty() || watched.equals(Long.toString(pid)))) {
      return null;
    }
    try {
      long half = Long.parseLong(micros) / 2;
      return half > 0 ? Duration.ofNanos(TimeUnit.MICROSECONDS.toNanos(half)) : null;
    } catch (NumberFormatException e) {
      LOG.warn("WATCHDOG_USEC is no number of microseconds: no signs of life are sent");
      return null;
    }
  }

  /**
   * Says that the service is ready once it answers, and from then on that it goes on, each time
   * that it answers. A sign of life is left out when it does not.
   *
   * @param answers returns whether it answers within a time
   */
  public void watch(Predicate<Duration> answers) {
    if (socket.isEmpty()) {
      return;
    }
    Thread thread = new Thread(() -> beat(answers), "reprise-watchdog");
    thread.setDaemon(true);
    thread.start();
  }

  private void beat(Predicate<Duration> answers) {
    // With the pause before it, that is less than the watchdog waits.
    Duration most = beat == null ? COMMAND_LIMIT : beat.dividedBy(2);
    Pauses pauses = Pauses.every(Duration.ofMillis(100));
    while (!answers.test(most)) {
      if (!pauses.nextUnlessInterrupted()) {
        return;
      }
    }
    tell("READY=1");
    if (beat == null) {
      return;
    }
    Pauses beats = Pauses.every(beat);
    while (beats.nextUnlessInterrupted()) {
      if (answers.test(most)) {
        tell("WATCHDOG=1");
      } else if (!Thread.currentThread().isInterrupted()) {
        LOG.warn("the service does not answer: systemd's watchdog gets no sign of life");
      }
    }
  }

  /** Says that the service stops. */
  public void stopping() {
    if (!socket.isEmpty()) {
      tell("STOPPING=1");
    }
  }

  private void tell(String state) {
    ProcessBuilder command =
        new ProcessBuilder(COMMAND, state)
            .redirectOutput(ProcessBuilder.Redirect.DISCARD)
            .redirectError(ProcessBuilder.Redirect.DISCARD);
    command.environment().put("NOTIFY_SOCKET", socket);
    try {
      Process process = command.start();
      if (!process.waitFor(COMMAND_LIMIT.toMillis(), TimeUnit.MILLISECONDS)) {
        process.destroyForcibly();
        LOG.warn("{} {} has not ended within {} s", COMMAND, state, COMMAND_LIMIT.toSeconds());
      } else if (process.exitValue() != 0) {
        LOG.warn("{} {} has failed with exit code {}", COMMAND, state, process.exitValue());
      }
    } catch (IOException e) {
      LOG.warn(
          "NOTIFY_SOCKET is set, but {} cannot be run, so nothing learns of {}: {}",
          COMMAND,
          state,
          e.getMessage());
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }
}
