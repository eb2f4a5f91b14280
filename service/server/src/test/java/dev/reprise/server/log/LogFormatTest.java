package dev.reprise.server.log;

import static org.assertj.core.api.Assertions.assertThat;

import ch.qos.logback.classic.Level;
import ch.qos.logback.classic.Logger;
import ch.qos.logback.classic.LoggerContext;
import org.junit.jupiter.api.Test;
import org.slf4j.LoggerFactory;

/** What the log leaves out. */
class LogFormatTest {
  @Test
  void aBrokerInThisProcessDoesNotTellThatItIsSlow() {
    LoggerContext context = (LoggerContext) LoggerFactory.getILoggerFactory();
    Logger pace = context.getLogger("org.apache.kafka.controller.EventPerformanceMonitor");
    Logger controller = context.getLogger("org.apache.kafka.controller.QuorumController");
    Level paceBefore = pace.getLevel();
    Level controllerBefore = controller.getLevel();
    try {
      LogFormat.quietenBroker();

      assertThat(pace.isErrorEnabled()).isFalse();
      assertThat(controller.isErrorEnabled()).isTrue();
    } finally {
      pace.setLevel(paceBefore);
      controller.setLevel(controllerBefore);
    }
  }
}
