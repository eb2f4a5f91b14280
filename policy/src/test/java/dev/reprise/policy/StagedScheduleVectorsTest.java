package dev.reprise.policy;

import static org.assertj.core.api.Assertions.assertThat;

import dev.reprise.policy.preview.SchedulePreview;
import java.io.InputStream;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

/** Every published schedule, from the document to the last millisecond. */
class StagedScheduleVectorsTest {
  private static final JsonMapper JSON = new JsonMapper();

  /** The schedules that a document may not ask for; users get them by name. */
  private static final Map<String, String> PRESET_OF =
      Map.of(
          "http-default", "notification-http",
          "sms", "notification-sms",
          "email", "notification-email",
          "queue", "notification-queue",
          "function", "notification-function",
          "no-retry", "no-retry");

  static Stream<JsonNode> vectors() throws Exception {
    try (InputStream in =
        StagedScheduleVectorsTest.class.getResourceAsStream("/vectors/staged-schedules.json")) {
      List<JsonNode> vectors = new ArrayList<>();
      JSON.readTree(in).forEach(vectors::add);
      return vectors.stream();
    }
  }

  static Stream<JsonNode> writable() throws Exception {
    return vectors().filter(v -> v.get("retries").intValue() <= HealthyRetryPolicy.MAX_RETRIES);
  }

  static Stream<JsonNode> named() throws Exception {
    return vectors().filter(v -> PRESET_OF.containsKey(v.get("name").stringValue()));
  }

  @ParameterizedTest
  @MethodSource("writable")
  void documentGivesTheSchedule(JsonNode vector) {
    String document = "{\"healthyRetryPolicy\":" + vector.get("healthyRetryPolicy") + "}";

    assertSchedule(PolicyDocuments.readTopic(document), vector);
  }

  @ParameterizedTest
  @MethodSource("named")
  void presetGivesTheSchedule(JsonNode vector) {
    String preset = PRESET_OF.get(vector.get("name").stringValue());

    assertSchedule(PolicyDocuments.readTopic(preset), vector);
  }

  @Test
  void everyVectorIsTried() throws Exception {
    List<JsonNode> tried = Stream.concat(writable(), named()).distinct().toList();

    assertThat(tried).hasSameElementsAs(vectors().toList()).hasSizeGreaterThan(10);
  }

  private static void assertSchedule(NotificationPolicy policy, JsonNode vector) {
    SchedulePreview preview = SchedulePreview.of(policy, vector.get("name").stringValue(), null);

    // As text and back: a number that was computed and one that was read are different nodes.
    assertThat(JSON.readTree(preview.toJson().toString())).isEqualTo(vector);
  }

  @Test
  void everyPresetHasItsVector() throws Exception {
    List<String> covered =
        vectors().map(v -> v.get("name").stringValue()).filter(PRESET_OF::containsKey).toList();

    assertThat(covered.stream().map(PRESET_OF::get))
        .containsExactlyInAnyOrderElementsOf(Presets.notificationNames());
  }
}
