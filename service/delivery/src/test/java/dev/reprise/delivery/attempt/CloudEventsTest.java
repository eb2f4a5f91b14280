package dev.reprise.delivery.attempt;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import dev.reprise.delivery.MessageId;
import dev.reprise.delivery.Payload;
import dev.reprise.delivery.catalog.Subscription;
import dev.reprise.delivery.catalog.SubscriptionSettings;
import io.cloudevents.CloudEvent;
import io.cloudevents.http.HttpMessageFactory;
import java.net.URLDecoder;
import java.time.Instant;
import java.time.ZoneOffset;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.constraints.NotEmpty;
import net.jqwik.api.constraints.StringLength;
import org.junit.jupiter.api.Test;
import tools.jackson.databind.json.JsonMapper;

/** Events are read by the CloudEvents SDK for Java, which is not ours. */
class CloudEventsTest {
  private static final MessageId MESSAGE = MessageId.parse("0193cf5e-7b2a-7c3d-8e4f-5a6b7c8d9e0f");
  private static final Subscription SUBSCRIPTION =
      new Subscription(7, "orders+a", SubscriptionSettings.of("https://example.com/hook"), 0);

  private static Payload payload(String type, String attributes, byte[] body) {
    return new Payload(type, attributes.getBytes(UTF_8), body);
  }

  private static CloudEvent binary(Payload payload) {
    List<Map.Entry<String, String>> headers = new ArrayList<>();
    CloudEvents.addHeaders(MESSAGE, SUBSCRIPTION, payload, headers);
    Map<String, String> sent = new HashMap<>(Map.of("Content-Type", payload.contentType()));
    headers.forEach(header -> sent.put(header.getKey(), header.getValue()));
    return HttpMessageFactory.createReader(sent, payload.body()).toEvent();
  }

  private static CloudEvent structured(Payload payload) {
    return HttpMessageFactory.createReader(
            Map.of("Content-Type", CloudEvents.CONTENT_TYPE),
            CloudEvents.structured(MESSAGE, SUBSCRIPTION, payload))
        .toEvent();
  }

  private static void check(CloudEvent event) {
    assertThat(event.getSpecVersion()).hasToString("1.0");
    assertThat(event.getId()).isEqualTo(MESSAGE.toString());
    assertThat(event.getSource()).hasToString("/topics/orders+a");
    assertThat(event.getTime())
        .isEqualTo(Instant.ofEpochMilli(MESSAGE.publishedAtMillis()).atOffset(ZoneOffset.UTC));
  }

  @Test
  void bothModesTellTheSame() {
    Payload payload =
        payload(
            "application/json",
            "{\"type\":\"order.created\",\"country\":\"DE\",\"vip\":true,\"count\":3,"
                + "\"Not-A-Name\":\"x\",\"id\":\"other\",\"price\":1.5,\"tags\":[\"a\"]}",
            "{\"order\":1001}".getBytes(UTF_8));
    for (CloudEvent event : List.of(binary(payload), structured(payload))) {
      check(event);
      assertThat(event.getType()).isEqualTo("order.created");
      assertThat(event.getDataContentType()).isEqualTo("application/json");
      assertThat(event.getExtensionNames()).containsExactlyInAnyOrder("country", "vip", "count");
      assertThat(event.getExtension("country")).isEqualTo("DE");
      assertThat(String.valueOf(event.getExtension("vip"))).isEqualTo("true");
      assertThat(String.valueOf(event.getExtension("count"))).isEqualTo("3");
      assertThat(JsonMapper.shared().readTree(event.getData().toBytes()))
          .hasToString("{\"order\":1001}");
    }
  }

  @Test
  void aMessageWithoutAttributesHasTheDefaultType() {
    Payload payload = new Payload("text/plain", new byte[0], "grüße".getBytes(UTF_8));
    for (CloudEvent event : List.of(binary(payload), structured(payload))) {
      check(event);
      assertThat(event.getType()).isEqualTo(CloudEvents.DEFAULT_TYPE);
      assertThat(event.getExtensionNames()).isEmpty();
    }
    assertThat(binary(payload).getData().toBytes()).asString(UTF_8).isEqualTo("grüße");
  }

  @Test
  void bytesTravelAsTheyAre() {
    byte[] bytes = new byte[256];
    for (int i = 0; i < bytes.length; i++) {
      bytes[i] = (byte) i;
    }
    Payload payload = payload("application/octet-stream", "{}", bytes);
    assertThat(binary(payload).getData().toBytes()).isEqualTo(bytes);
    assertThat(structured(payload).getData().toBytes()).isEqualTo(bytes);
  }

  @Property(tries = 300)
  void whateverTextAnAttributeHasArrives(@ForAll @NotEmpty @StringLength(max = 40) String text) {
    String value = text.replaceAll("[\\ud800-\\udfff\\p{Cntrl}\\x80-\\x9f]", "x");
    String attributes =
        JsonMapper.shared().createObjectNode().put("type", value).put("note", value).toString();
    Payload payload = payload("application/json", attributes, "1".getBytes(UTF_8));

    assertThat(structured(payload).getType()).isEqualTo(value);
    assertThat(structured(payload).getExtension("note")).isEqualTo(value);
    List<Map.Entry<String, String>> headers = new ArrayList<>();
    CloudEvents.addHeaders(MESSAGE, SUBSCRIPTION, payload, headers);
    assertThat(headers).allSatisfy(header -> assertThat(header.getValue()).matches("[!-~]*"));
    // The SDK leaves the percent-encoding of headers to its caller.
    String received = String.valueOf(binary(payload).getExtension("note"));
    assertThat(URLDecoder.decode(received.replace("+", "%2B"), UTF_8)).isEqualTo(value);
  }

  @Test
  void textsWithControlCharactersAreLeftOut() {
    Payload payload =
        payload(
            "application/json", "{\"type\":\"a\\nb\",\"note\":\"c\\u0000\"}", "1".getBytes(UTF_8));
    for (CloudEvent event : List.of(binary(payload), structured(payload))) {
      assertThat(event.getType()).isEqualTo(CloudEvents.DEFAULT_TYPE);
      assertThat(event.getExtensionNames()).isEmpty();
    }
  }
}
