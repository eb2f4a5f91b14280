package dev.reprise.delivery.attempt;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import dev.reprise.delivery.MessageId;
import dev.reprise.delivery.Payload;
import dev.reprise.delivery.catalog.Subscription;
import dev.reprise.delivery.catalog.SubscriptionSettings;
import java.util.Base64;
import org.junit.jupiter.api.Test;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

class EnvelopeTest {
  private static final Subscription SUBSCRIPTION =
      new Subscription(7, "orders", SubscriptionSettings.of("https://example.com/hook"), 0);
  private static final MessageId MESSAGE = MessageId.parse("0193a5e2-7c00-7abc-8def-0123456789ab");

  private static String envelope(String contentType, String attributes, byte[] body) {
    Payload payload = new Payload(contentType, attributes.getBytes(UTF_8), body);
    return new String(Envelope.of(MESSAGE, SUBSCRIPTION, payload), UTF_8);
  }

  @Test
  void carriesAJsonBodyByteForByte() {
    String body = "{ \"total\" : 1.10, \"n\":1e3, \"ü\":\"\\u00fc\" }";
    String text =
        envelope("application/json", "{\"type\": \"order.created\"}", body.getBytes(UTF_8));

    assertThat(text)
        .isEqualTo(
            "{\"id\":\"0193a5e2-7c00-7abc-8def-0123456789ab\",\"topic\":\"orders\","
                + "\"subscription\":\"orders-7\",\"publishedAt\":\"2024-12-08T10:48:23.808Z\","
                + "\"contentType\":\"application/json\","
                + "\"attributes\":{\"type\": \"order.created\"},\"body\":"
                + body
                + "}");
  }

  @Test
  void quotesText() {
    String body = "line 1\nsays \"hi\" \\ \u0001 \ud83d\ude00 </script>";
    JsonNode read = JsonMapper.shared().readTree(envelope("text/plain", "", body.getBytes(UTF_8)));
    assertThat(read.get("body").stringValue()).isEqualTo(body);
    assertThat(read.has("attributes")).isFalse();
  }

  @Test
  void encodesBytesThatAreNoText() {
    byte[] body = {0, 1, (byte) 0xff, 42};
    JsonNode read = JsonMapper.shared().readTree(envelope("application/octet-stream", "", body));
    assertThat(Base64.getDecoder().decode(read.get("bodyBase64").stringValue())).isEqualTo(body);
    assertThat(read.has("body")).isFalse();
  }

  @Test
  void doesNotTakeTextInAnotherCharsetForUtf8() {
    byte[] latin1 = {(byte) 0xfc};
    JsonNode read =
        JsonMapper.shared().readTree(envelope("text/plain; charset=ISO-8859-1", "", latin1));
    assertThat(Base64.getDecoder().decode(read.get("bodyBase64").stringValue())).isEqualTo(latin1);
  }
}
