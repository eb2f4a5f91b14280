package dev.reprise.delivery.catalog;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import dev.reprise.delivery.secret.SecretKeys;
import dev.reprise.policy.document.Violation;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import tools.jackson.databind.json.JsonMapper;

/** The settings of subscriptions as requests have them. */
class CatalogDocumentsTest {
  private static final String ENDPOINT = "\"endpoint\":\"http://a.example/\"";

  private static SubscriptionSettings read(String document, @Nullable SubscriptionSettings base) {
    return CatalogDocuments.readSettings(
        JsonMapper.shared().readTree(document), base, SecretKeys.NONE);
  }

  private static InvalidRequestException refusal(String document) {
    return catchThrowableOfType(InvalidRequestException.class, () -> read(document, null));
  }

  @Test
  void everyBrokenRuleIsNamedInOrder() {
    assertThat(
            refusal(
                    "{\"color\":1,\"format\":\"xml\",\"policy\":{\"a\":1},\"filter\":[],"
                        + "\"deadLetters\":3,\"lifetime\":\"PT0.1S\",\"maxInFlight\":1001}")
                .violations())
        .extracting(Violation::toString)
        .satisfiesExactly(
            each ->
                assertThat(each)
                    .isEqualTo(
                        "color is 1: is not a field of a subscription; fields are protocol,"
                            + " endpoint, carrier, format, policy, filter, deadLetters, lifetime,"
                            + " maxInFlight, http, deadLetterTarget, startSuspended,"
                            + " suspendWhenGone, shards, name, labels, customer"),
            each -> assertThat(each).isEqualTo("endpoint is absent: must be given"),
            each ->
                assertThat(each)
                    .isEqualTo(
                        "format is \"xml\": must be envelope or raw or cloudevents or"
                            + " cloudevents-structured"),
            each -> assertThat(each).startsWith("policy.a is 1: "),
            each ->
                assertThat(each)
                    .startsWith("filter is []: ")
                    .contains("must be an object of attribute names and lists"),
            each -> assertThat(each).isEqualTo("deadLetters is 3: must be keep or discard"),
            each ->
                assertThat(each)
                    .isEqualTo(
                        "lifetime is \"PT0.1S\": must be a duration from 1s to ten years, such as"
                            + " 1h or P3D"),
            each ->
                assertThat(each)
                    .isEqualTo("maxInFlight is 1001: must be an integer from 1 to 1000"));
    assertThat(refusal("[]")).hasMessage("subscription is []: must be an object");
    assertThat(refusal("{\"endpoint\":null}")).hasMessage("endpoint is null: must be a text");
    assertThat(refusal("{" + ENDPOINT + ",\"maxInFlight\":3.0}"))
        .hasMessage("maxInFlight is 3.0: must be an integer from 1 to 1000");
    String longText = "\"" + "x".repeat(200) + "\"";
    assertThat(refusal("{" + ENDPOINT + ",\"format\":" + longText + "}"))
        .hasMessage(
            "format is "
                + longText
                + ": must be envelope or raw or cloudevents or cloudevents-structured");
  }

  @Test
  void absentFieldsStayAndNullGivesTheDefault() {
    SubscriptionSettings before =
        read(
            "{"
                + ENDPOINT
                + ",\"format\":\"raw\",\"policy\":\"notification-queue\",\"filter\":{\"a\":[1]},"
                + "\"deadLetters\":\"discard\",\"lifetime\":\"1h\",\"maxInFlight\":3}",
            null);
    assertThat(before.lifetime()).isEqualTo(Duration.ofHours(1));
    assertThat(read("{}", before)).isEqualTo(before);
    assertThat(
            read(
                "{\"format\":null,\"policy\":null,\"filter\":null,\"deadLetters\":null,"
                    + "\"lifetime\":null,\"maxInFlight\":null}",
                before))
        .isEqualTo(SubscriptionSettings.of("http://a.example/"));
    assertThat(read(CatalogDocuments.writeSettings(before).toString(), null)).isEqualTo(before);
    assertThat(CatalogDocuments.writeSettings(SubscriptionSettings.of("http://a.example/")))
        .hasToString(
            "{\"protocol\":\"http\","
                + ENDPOINT
                + ",\"format\":\"envelope\",\"deadLetters\":\"keep\",\"maxInFlight\":64,\"startSuspended\":false,\"suspendWhenGone\":false,\"shards\":1}");
  }

  @Test
  void settingsAreShownWithoutTheirSecrets() {
    assertThat(
            CatalogDocuments.shownSettings(
                    JsonMapper.shared()
                        .readTree(
                            "{"
                                + ENDPOINT
                                + ",\"lifetime\":\"1h\",\"http\":{\"username\":\"u\","
                                + "\"password\":{\"file\":\"x\"},\"token\":null}}"))
                .toString())
        .contains("\"lifetime\":\"PT1H\"", "\"maxInFlight\":64", "\"format\":\"envelope\"")
        .contains("\"password\":{\"set\":true,\"key\":\"\"}")
        .doesNotContain("token", "file");
    assertThat(
            catchThrowableOfType(
                InvalidRequestException.class,
                () ->
                    CatalogDocuments.shownSettings(
                        JsonMapper.shared()
                            .readTree("{" + ENDPOINT + ",\"http\":{\"username\":\"u\"}}"))))
        .hasMessageContaining("username and password must be given together");
  }

  @Test
  void labellingIsReadAndShownAndNullRemovesIt() {
    SubscriptionSettings plain = read("{" + ENDPOINT + "}", null);
    assertThat(plain.labelling()).isEqualTo(Labelling.NONE);

    SubscriptionSettings labelled =
        read(
            "{\"name\":\"Acme, orders\",\"labels\":{\"team\":\"billing\",\"a/b.c_d-9\":\"\"},"
                + "\"customer\":\"c-42\"}",
            plain);
    assertThat(labelled.labelling())
        .isEqualTo(
            new Labelling("Acme, orders", Map.of("team", "billing", "a/b.c_d-9", ""), "c-42"));
    assertThat(CatalogDocuments.writeSettings(labelled).toString())
        .endsWith(
            ",\"name\":\"Acme, orders\",\"labels\":{\"a/b.c_d-9\":\"\",\"team\":\"billing\"},"
                + "\"customer\":\"c-42\"}");
    assertThat(read("{\"maxInFlight\":3}", labelled).labelling()).isEqualTo(labelled.labelling());
    assertThat(read("{\"labels\":{\"team\":\"sales\"}}", labelled).labelling())
        .isEqualTo(new Labelling("Acme, orders", Map.of("team", "sales"), "c-42"));
    assertThat(read("{\"name\":null,\"labels\":{},\"customer\":null}", labelled)).isEqualTo(plain);
    assertThat(read("{\"name\":null,\"labels\":null,\"customer\":null}", labelled))
        .isEqualTo(plain);
  }

  @Test
  void labellingHasBounds() {
    String clef = "\ud834\udd1e";
    assertThat(read("{" + ENDPOINT + ",\"name\":\"" + clef.repeat(100) + "\"}", null).labelling())
        .isEqualTo(new Labelling(clef.repeat(100), Map.of(), null));
    assertThat(
            refusal(
                    "{"
                        + ENDPOINT
                        + ",\"name\":\"a\\n"
                        + "b\",\"labels\":{\"a=b\":\"c\",\"team\":7,\"t\":\"\\u0000\"},"
                        + "\"customer\":\"\"}")
                .violations())
        .extracting(Violation::toString)
        .containsExactly(
            "name is \"a\\nb\": must be a text of 1 to 100 characters, none of which is a control"
                + " character or changes how others are shown",
            "labels is \"a=b\": must have keys of 1 to 63 of the characters A-Z a-z 0-9 . _ - /",
            "labels.team is 7: must be a text of at most 255 characters, none of which is a"
                + " control character or changes how others are shown",
            "labels.t is \"\\u0000\": must be a text of at most 255 characters, none of which is a"
                + " control character or changes how others are shown",
            "customer is \"\": must be a text of 1 to 200 characters, none of which is a control"
                + " character or changes how others are shown");
    String many =
        IntStream.range(0, 21)
            .mapToObj(i -> "\"k" + i + "\":\"v\"")
            .collect(Collectors.joining(",", "{", "}"));
    assertThat(refusal("{" + ENDPOINT + ",\"labels\":" + many + "}"))
        .hasMessage("labels is 21 labels: must be an object of at most 20 labels");
    assertThat(refusal("{" + ENDPOINT + ",\"labels\":[]}"))
        .hasMessage("labels is []: must be an object of at most 20 labels");
    for (String tooLong :
        List.of(
            "\"name\":\"" + "x".repeat(101) + "\"",
            "\"labels\":{\"" + "k".repeat(64) + "\":\"v\"}",
            "\"labels\":{\"k\":\"" + "v".repeat(256) + "\"}",
            "\"customer\":\"" + "x".repeat(201) + "\"")) {
      assertThat(refusal("{" + ENDPOINT + "," + tooLong + "}")).isNotNull();
    }
  }
}
