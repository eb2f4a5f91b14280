package dev.reprise.core.retry;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.logging.Handler;
import java.util.logging.LogRecord;
import java.util.logging.Logger;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

class RetryLogTest {
  private final Logger logger = Logger.getLogger("dev.reprise.core.retry");
  private final BrokenHandler broken = new BrokenHandler();
  private final boolean usedParents = logger.getUseParentHandlers();

  private static final class BrokenHandler extends Handler {
    int records;

    @Override
    public void publish(LogRecord record) {
      records++;
      throw new IllegalStateException("the disk of the log is full");
    }

    @Override
    public void flush() {}

    @Override
    public void close() {}
  }

  @BeforeEach
  void breakTheLog() {
    logger.setUseParentHandlers(false);
    logger.addHandler(broken);
  }

  @AfterEach
  void mendTheLog() {
    logger.removeHandler(broken);
    logger.setUseParentHandlers(usedParents);
  }

  @Test
  void aLogThatFailsDoesNotCostAResult() {
    Retry retry =
        Retry.builder()
            .listener(
                event -> {
                  throw new IllegalArgumentException("a listener that is broken");
                })
            .build();

    assertThat(retry.call(() -> "result")).isEqualTo("result");
    assertThat(broken.records).isPositive();
  }
}
