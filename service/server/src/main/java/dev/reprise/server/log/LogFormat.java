package dev.reprise.server.log;

import ch.qos.logback.classic.Level;
import ch.qos.logback.classic.LoggerContext;
import ch.qos.logback.classic.spi.ILoggingEvent;
import ch.qos.logback.core.Appender;
import ch.qos.logback.core.OutputStreamAppender;
import java.util.List;
import org.slf4j.ILoggerFactory;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** The form of the log's lines. */
public enum LogFormat {
  /** For people. */
  TEXT,
  /** A JSON object each: see {@link JsonLines}. */
  JSON;

  private static final String APPENDER = "stderr";

  /** Warn of what is usual while a single broker starts and stops. */
  private static final List<String> BROKER_NOISE =
      List.of(
          "org.apache.kafka.controller.QuorumController", "org.apache.kafka.clients.NetworkClient");

  /** Errors of a machine that stood still for two seconds while the broker did something. */
  private static final String BROKER_PACE = "org.apache.kafka.controller.EventPerformanceMonitor";

  /** Leaves out what a broker in this process says while it starts and stops, and is slow. */
  public static void quietenBroker() {
    if (LoggerFactory.getILoggerFactory() instanceof LoggerContext context) {
      BROKER_NOISE.forEach(name -> context.getLogger(name).setLevel(Level.ERROR));
      context.getLogger(BROKER_PACE).setLevel(Level.OFF);
    }
  }

  /**
   * Gives the log of this process this form from now on.
   *
   * @param attempts whether each attempt is logged
   * @throws IllegalArgumentException if the operator's own configuration of Logback has no appender
   *     {@code stderr}
   */
  public void use(boolean attempts) {
    ILoggerFactory factory = LoggerFactory.getILoggerFactory();
    if (!(factory instanceof LoggerContext context)) {
      throw new IllegalArgumentException("log-format: the log is not Logback's");
    }
    if (attempts) {
      context.getLogger(AttemptLogger.ATTEMPTS).setLevel(Level.DEBUG);
    }
    if (this == TEXT) {
      return;
    }
    Appender<ILoggingEvent> appender =
        context.getLogger(Logger.ROOT_LOGGER_NAME).getAppender(APPENDER);
    if (!(appender instanceof OutputStreamAppender<ILoggingEvent> stderr)) {
      throw new IllegalArgumentException(
          "log-format is json: the configuration of Logback has no appender " + APPENDER);
    }
    JsonLines lines = new JsonLines();
    lines.setContext(context);
    lines.start();
    stderr.setEncoder(lines);
  }
}
