package dev.reprise.delivery.body;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import dev.reprise.delivery.Payload;
import dev.reprise.delivery.Protocol;
import dev.reprise.delivery.carrier.CarrierContent;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** The bodies that single protocols get. */
final class MessageBodiesTest {
  private static final byte[] NONE = {};

  private static Payload payload(String bodies) {
    return new Payload("text/plain", NONE, "default".getBytes(UTF_8), bodies.getBytes(UTF_8));
  }

  private static String body(Payload payload, Protocol protocol) {
    return new String(MessageBodies.of(payload, protocol).body(), UTF_8);
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "0.12345678901234567891",
        "1e9",
        "-1E400",
        "true",
        "false",
        "{\"amount\": 1.50,  \"list\": [1e9,1e9, {\"a\":[]}]}",
        "[ 1 ,2.0 ]",
        "12345678901234567890123",
        "7"
      })
  void jsonArrivesAsItWasPublished(String json) {
    for (String bodies :
        new String[] {
          "{\"http\":" + json + "}",
          "{ \"sms\" : \"\u20ac\" , \"http\" :  " + json + " , \"queue\": 1.0 }",
          "{\"email\":{\"text\":\"a\"},\"http\":" + json + "\n}"
        }) {
      CarrierContent content = MessageBodies.of(payload(bodies), Protocol.HTTP);
      assertThat(new String(content.body(), UTF_8)).isEqualTo(json);
      assertThat(content.contentType()).isEqualTo("application/json");
    }
  }

  @Test
  void whatHasNoBodyOfItsOwnGetsTheDefault() {
    assertThat(body(payload("{\"sms\":\"a\"}"), Protocol.QUEUE)).isEqualTo("default");
    assertThat(body(payload(""), Protocol.QUEUE)).isEqualTo("default");
  }

  @Test
  void textsAreDecoded() {
    Payload payload = payload("{\"sms\":\"a \\\"b\\\" \\u20ac\",\"queue\":\"c\"}");
    assertThat(body(payload, Protocol.SMS)).isEqualTo("a \"b\" \u20ac");
    assertThat(body(payload, Protocol.QUEUE)).isEqualTo("c");
  }

  @Test
  void anEmailHasItsParts() {
    CarrierContent email =
        MessageBodies.of(
            payload("{\"email\":{\"subject\":\"s\",\"text\":\"t\",\"html\":\"<p>\"}}"),
            Protocol.EMAIL);
    assertThat(new String(email.body(), UTF_8)).isEqualTo("t");
    assertThat(email.subject()).isEqualTo("s");
    assertThat(email.html()).isEqualTo("<p>");
  }
}
