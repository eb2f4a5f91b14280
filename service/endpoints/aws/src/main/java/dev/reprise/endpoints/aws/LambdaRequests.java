package dev.reprise.endpoints.aws;

import static java.nio.charset.StandardCharsets.UTF_8;

import dev.reprise.delivery.carrier.CarrierAttempt;
import java.nio.ByteBuffer;
import java.nio.charset.CharacterCodingException;
import java.util.Base64;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import tools.jackson.databind.json.JsonMapper;
import tools.jackson.databind.node.ObjectNode;

/** Requests of Lambda. Functions take JSON: what is none is put into an object. */
final class LambdaRequests {
  private static final String JSON_TYPE = "application/json";
  private static final JsonMapper JSON = JsonMapper.shared();

  private LambdaRequests() {}

  /** Returns the request that calls a function with a message. */
  static AwsRequest invoke(AwsSettings settings, CarrierAttempt attempt) {
    String way =
        settings.invocation() == AwsSettings.Invocation.EVENT ? "Event" : "RequestResponse";
    return new AwsRequest(
        "lambda",
        settings.lambdaBase() + FunctionName.path(attempt.endpoint()),
        List.of(Map.entry("X-Amz-Invocation-Type", way)),
        JSON_TYPE,
        event(attempt));
  }

  private static byte[] event(CarrierAttempt attempt) {
    String type = attempt.content().contentType().toLowerCase(Locale.ROOT);
    String media = type.replaceAll(" *;.*", "");
    if (media.equals(JSON_TYPE) || media.endsWith("+json")) {
      return attempt.content().body();
    }
    ObjectNode event = JSON.createObjectNode();
    event.put("id", attempt.message().toString());
    event.put("topic", attempt.topic());
    event.put("contentType", attempt.content().contentType());
    event.set("attributes", attempt.attributes());
    byte[] body = attempt.content().body();
    try {
      event.put("body", UTF_8.newDecoder().decode(ByteBuffer.wrap(body)).toString());
    } catch (CharacterCodingException e) {
      event.put("bodyBase64", Base64.getEncoder().encodeToString(body));
    }
    return JSON.writeValueAsBytes(event);
  }
}
