package dev.reprise.delivery.catalog;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import dev.reprise.delivery.secret.SecretKeys;
import dev.reprise.policy.document.Violation;
import java.time.Duration;
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
                            + " suspendWhenGone, shards"),
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
}
