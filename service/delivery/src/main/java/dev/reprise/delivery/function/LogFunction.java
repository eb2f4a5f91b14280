package dev.reprise.delivery.function;

import static java.nio.charset.StandardCharsets.UTF_8;

import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The function {@code log}, which is always there: a line in the service's log for each message.
 */
public final class LogFunction implements DeliveryFunction {
  private static final Logger LOG = LoggerFactory.getLogger(LogFunction.class);
  private static final int MAX_CHARS = 200;

  @Override
  public String name() {
    return "log";
  }

  @Override
  public void call(FunctionMessage message) {
    // A body must not look like a line of this log.
    String body = new String(message.body(), UTF_8).replaceAll("\\p{Cntrl}", " ");
    LOG.info(
        "message {} of topic {} for {}: {}",
        message.id(),
        message.topic(),
        message.subscription(),
        body.length() <= MAX_CHARS ? body : body.substring(0, MAX_CHARS) + "…");
  }
}
