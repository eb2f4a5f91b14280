package dev.reprise.cluster.intake;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.reprise.delivery.MessageId;
import dev.reprise.delivery.Payload;
import java.util.HashSet;
import java.util.Objects;
import java.util.Optional;
import java.util.Set;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.common.header.Headers;
import org.apache.kafka.common.header.internals.RecordHeaders;
import org.apache.kafka.common.record.TimestampType;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class OpenMessageTest {
  private static final byte[] BODY = "body".getBytes(UTF_8);

  private static Headers headers(String... namesAndValues) {
    RecordHeaders headers = new RecordHeaders();
    for (int i = 0; i < namesAndValues.length; i += 2) {
      headers.add(namesAndValues[i], namesAndValues[i + 1].getBytes(UTF_8));
    }
    return headers;
  }

  @Test
  void theTopicIsEnough() {
    Headers headers = headers("reprise-topic", "orders", "of-the-application", "x");
    assertThat(OpenMessage.isOpen(headers)).isTrue();

    OpenMessage read = OpenMessage.read(headers, BODY);

    assertThat(read.project()).isEqualTo("default");
    assertThat(read.topic()).isEqualTo("orders");
    assertThat(read.payload().contentType()).isEqualTo("application/octet-stream");
    assertThat(read.payload().body()).isEqualTo(BODY);
    assertThat(read.payload().attributes()).isEmpty();
    assertThat(read.payload().trace()).isNull();
    assertThat(read.attributes().isEmpty()).isTrue();
    assertThat(OpenMessage.isOpen(headers("content-type", "text/plain"))).isFalse();
  }

  @Test
  void allHeadersAreRead() {
    String attributes = "{\"a\": \"ä\", \"b\":[\"x\",\"y\"],\"c\":1.50,\"d\":true}";
    Headers headers =
        headers(
            "reprise-topic", "orders",
            "reprise-project", "shop",
            "reprise-attributes", " " + attributes + "\n",
            "content-type", "Application/JSON",
            "traceparent", "00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01");

    OpenMessage read = OpenMessage.read(headers, "[1]".getBytes(UTF_8));

    assertThat(read.project()).isEqualTo("shop");
    assertThat(new String(read.payload().attributes(), UTF_8)).isEqualTo(attributes);
    assertThat(read.attributes().get("c").decimalValue()).isEqualByComparingTo("1.5");
    assertThat(read.payload().contentType()).isEqualTo("Application/JSON");
    assertThat(Objects.requireNonNull(read.payload().trace()).traceId())
        .isEqualTo("0af7651916cd43dd8448eb211c80319c");
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      quoteCharacter = '`',
      value = {
        "content-type | text | must be a media type",
        "content-type | application/json | value is malformed JSON: line 1",
        "reprise-attributes | [] | must be an object",
        "reprise-attributes | `` | must be JSON",
        "reprise-attributes | {\"a b\":1} | must be names of 1 to 256 letters",
        "reprise-attributes | {\"a\":{}} | must be a string, a number",
        "reprise-attributes | {\"a\":null} | must be a string, a number",
        "reprise-attributes | {\"a\":[1]} | must be a string, a number",
        "reprise-attributes | {\"a\":1} x | malformed JSON",
        "reprise-attributes | {\"a\":1e9999999999} | exponent has more than nine digits",
        "reprise-attribute | {} | is unknown; known ones are reprise-attributes",
        "reprise-topic | again | must be given once",
      })
  void whatBreaksARuleIsRefusedWithIt(String name, String value, String rule) {
    Headers headers = headers("reprise-topic", "orders", name, value);
    assertThatThrownBy(() -> OpenMessage.read(headers, BODY))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageContaining(rule);
  }

  @Test
  void bytesThatAreNoTextAreRefused() {
    byte[] bytes = {(byte) 0xc0, (byte) 0x80};
    RecordHeaders topic = new RecordHeaders();
    topic.add("reprise-topic", bytes);
    assertThatThrownBy(() -> OpenMessage.read(topic, BODY)).hasMessageContaining("UTF-8");
    RecordHeaders nothing = new RecordHeaders();
    nothing.add("reprise-topic", null);
    assertThatThrownBy(() -> OpenMessage.read(nothing, BODY)).hasMessageContaining("null");
    for (String type : new String[] {"text/plain", "text/csv;charset=utf-8", "application/json"}) {
      Headers typed = headers("reprise-topic", "orders", "content-type", type);
      assertThatThrownBy(() -> OpenMessage.read(typed, bytes)).hasMessageContaining("UTF-8");
    }
    Headers latin = headers("reprise-topic", "a", "content-type", "text/plain;charset=latin-1");
    assertThat(OpenMessage.read(latin, bytes).payload().body()).isEqualTo(bytes);
  }

  @Test
  void boundsAreThoseOfTheApi() {
    StringBuilder eleven = new StringBuilder("{\"a\":1");
    for (int i = 0; i < 10; i++) {
      eleven.append(",\"a").append(i).append("\":1");
    }
    Headers many =
        headers("reprise-topic", "a", "reprise-attributes", eleven.append('}').toString());
    assertThatThrownBy(() -> OpenMessage.read(many, BODY)).hasMessageContaining("at most 10");
    String strings = "\"x\",".repeat(100) + "\"x\"";
    Headers list = headers("reprise-topic", "a", "reprise-attributes", "{\"a\":[" + strings + "]}");
    assertThatThrownBy(() -> OpenMessage.read(list, BODY)).hasMessageContaining("at most 100");
    Headers one = headers("reprise-topic", "a");
    assertThatThrownBy(() -> OpenMessage.read(one, new byte[Payload.MAX_BYTES + 1]))
        .isInstanceOf(Payload.TooLargeException.class);
    assertThatThrownBy(() -> OpenMessage.read(one, null)).hasMessageContaining("value is null");
    assertThat(OpenMessage.read(one, new byte[0]).payload().body()).isEmpty();
  }

  @Property
  void anyHeaderIsReadOrRefused(@ForAll byte[] attributes, @ForAll byte[] type) {
    RecordHeaders headers = new RecordHeaders();
    headers.add("reprise-topic", "orders".getBytes(UTF_8));
    headers.add("reprise-attributes", attributes);
    headers.add("content-type", type);
    try {
      assertThat(OpenMessage.read(headers, BODY).topic()).isEqualTo("orders");
    } catch (IllegalArgumentException e) {
      assertThat(e.getMessage()).hasSizeLessThan(300);
    }
  }

  @Test
  void theIdFollowsFromThePlaceAlone() {
    Set<MessageId> ids = new HashSet<>();
    for (String topic : new String[] {"a.in", "b.in"}) {
      for (int partition = 0; partition < 3; partition++) {
        for (long offset = 0; offset < 100; offset++) {
          ids.add(OpenIntake.idOf(record(topic, partition, offset, BODY)));
        }
      }
    }
    assertThat(ids).hasSize(600);
    MessageId id = OpenIntake.idOf(record("a.in", 1, 7, new byte[0]));
    assertThat(ids).contains(id);
    assertThat(id.publishedAtMillis()).isEqualTo(1_700_000_000_000L);
    assertThat(MessageId.parse(id.toString())).isEqualTo(id);
  }

  private static ConsumerRecord<byte[], byte[]> record(
      String topic, int partition, long offset, byte[] value) {
    return new ConsumerRecord<>(
        topic,
        partition,
        offset,
        1_700_000_000_000L,
        TimestampType.LOG_APPEND_TIME,
        0,
        value.length,
        null,
        value,
        new RecordHeaders(),
        Optional.empty());
  }
}
