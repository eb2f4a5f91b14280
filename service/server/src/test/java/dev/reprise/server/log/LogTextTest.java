package dev.reprise.server.log;

import static org.assertj.core.api.Assertions.assertThat;

import ch.qos.logback.classic.Level;
import ch.qos.logback.classic.LoggerContext;
import ch.qos.logback.classic.spi.LoggingEvent;
import java.nio.charset.StandardCharsets;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.slf4j.LoggerFactory;
import org.slf4j.event.KeyValuePair;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

/** What the log has of text from outside. */
class LogTextTest {
  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      quoteCharacter = '^',
      value = {
        "503 Service Unavailable|503 Service Unavailable",
        "endpoint 'https://u:p@a.example/x?token=1&b=2' must be|"
            + "endpoint 'https://a.example/x?…' must be",
        "to http://a.example:80/x#part, refused|to http://a.example:80/x?… refused",
        "what? a question|what? a question"
      })
  void queriesAndUsersOfUrlsAreCut(String text, String logged) {
    assertThat(LogText.harmless(text)).isEqualTo(logged);
  }

  @Test
  void aTextStaysOnItsLine() {
    assertThat(LogText.harmless("a\r\n2026 INFO fine\u001b[0m")).isEqualTo("a  2026 INFO fine [0m");
  }

  @Test
  void anEventIsOneObjectOnALine() {
    LoggerContext context = (LoggerContext) LoggerFactory.getILoggerFactory();
    LoggingEvent event =
        new LoggingEvent(
            "",
            context.getLogger("a.b"),
            Level.WARN,
            "two {}",
            new IllegalStateException("why"),
            new Object[] {"lines\n\"here\""});
    event.addKeyValuePair(new KeyValuePair("attempt", 3));
    event.addKeyValuePair(new KeyValuePair("level", "not this one"));
    String line = new String(new JsonLines().encode(event), StandardCharsets.UTF_8);

    assertThat(line).endsWith("}\n");
    assertThat(line.strip()).doesNotContain("\n");
    JsonNode fields = JsonMapper.shared().readTree(line);
    assertThat(fields.get("text").asString()).isEqualTo("two lines\n\"here\"");
    assertThat(fields.get("level").asString()).isEqualTo("WARN");
    assertThat(fields.get("logger").asString()).isEqualTo("a.b");
    assertThat(fields.get("attempt").asInt()).isEqualTo(3);
    assertThat(fields.get("time").asString()).endsWith("Z");
    assertThat(fields.get("error").asString()).contains("IllegalStateException: why");
  }
}
