package dev.reprise.server.log;

import static java.nio.charset.StandardCharsets.UTF_8;

import ch.qos.logback.classic.spi.ILoggingEvent;
import ch.qos.logback.classic.spi.IThrowableProxy;
import ch.qos.logback.classic.spi.ThrowableProxyUtil;
import ch.qos.logback.core.encoder.EncoderBase;
import java.time.Instant;
import java.util.Set;
import org.slf4j.event.KeyValuePair;
import tools.jackson.databind.json.JsonMapper;
import tools.jackson.databind.node.ObjectNode;

/**
 * Writes each event as one JSON object on a line: {@code time}, {@code level}, {@code logger},
 * {@code thread}, {@code text}, then the fields of the event beside them, and {@code error} with
 * the stack trace.
 */
public final class JsonLines extends EncoderBase<ILoggingEvent> {
  private static final JsonMapper JSON = JsonMapper.shared();
  private static final byte[] NOTHING = {};

  /** Fields of every line, which those of an event do not replace. */
  private static final Set<String> OWN =
      Set.of("time", "level", "logger", "thread", "text", "error");

  @Override
  public byte[] headerBytes() {
    return NOTHING;
  }

  @Override
  public byte[] footerBytes() {
    return NOTHING;
  }

  @Override
  public byte[] encode(ILoggingEvent event) {
    ObjectNode line = JSON.createObjectNode();
    line.put("time", Instant.ofEpochMilli(event.getTimeStamp()).toString());
    line.put("level", event.getLevel().toString());
    line.put("logger", event.getLoggerName());
    line.put("thread", event.getThreadName());
    line.put("text", event.getFormattedMessage());
    if (event.getKeyValuePairs() != null) {
      for (KeyValuePair pair : event.getKeyValuePairs()) {
        if (!OWN.contains(pair.key)) {
          add(line, pair.key, pair.value);
        }
      }
    }
    event
        .getMDCPropertyMap()
        .forEach(
            (key, value) -> {
              if (!line.has(key)) {
                line.put(key, value);
              }
            });
    IThrowableProxy error = event.getThrowableProxy();
    if (error != null) {
      line.put("error", ThrowableProxyUtil.asString(error));
    }
    return (JSON.writeValueAsString(line) + "\n").getBytes(UTF_8);
  }

  private static void add(ObjectNode line, String key, Object value) {
    if (value instanceof Integer || value instanceof Long) {
      line.put(key, ((Number) value).longValue());
    } else {
      line.put(key, String.valueOf(value));
    }
  }
}
