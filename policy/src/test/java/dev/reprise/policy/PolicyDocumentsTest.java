package dev.reprise.policy;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import dev.reprise.core.backoff.Backoff;
import dev.reprise.core.backoff.BackoffFunction;
import dev.reprise.core.backoff.StagedBackoff;
import dev.reprise.policy.document.Violation;
import java.time.Duration;
import java.util.List;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import net.jqwik.api.Arbitraries;
import net.jqwik.api.Arbitrary;
import net.jqwik.api.Combinators;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.Provide;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class PolicyDocumentsTest {
  private static final HealthyRetryPolicy SEED_EXAMPLE =
      new HealthyRetryPolicy(
          20, 3, Duration.ofSeconds(20), Duration.ofSeconds(60), 4, 4, BackoffFunction.LINEAR);

  private static final String SEED_FIELDS =
      "{\"numRetries\":20,\"numNoDelayRetries\":3,\"minDelayTarget\":20,\"maxDelayTarget\":60,"
          + "\"numMinDelayRetries\":4,\"numMaxDelayRetries\":4,\"backoffFunction\":\"linear\"}";

  private static String quoted(String json) {
    return json.replace('\'', '"');
  }

  private static NotificationPolicy topic(String json) {
    return PolicyDocuments.readTopic(quoted(json));
  }

  private static HealthyRetryPolicy retry(String fields) {
    return topic("{'healthyRetryPolicy':" + fields + "}").healthyRetryPolicyOrDefault();
  }

  private static List<String> violationsOf(String json) {
    PolicyException e = catchThrowableOfType(PolicyException.class, () -> topic(json));
    assertThat(e).as("accepted: %s", json).isNotNull();
    return e.violations().stream().map(Violation::toString).toList();
  }

  // --- what is accepted

  /** The example of Amazon SNS's documentation, whole. */
  @Test
  void aDocumentOfSnsIsReadAndWhatItSaysInVainIsTold() {
    String document =
        """
        {"http": {
          "defaultHealthyRetryPolicy": {
            "minDelayTarget": 1, "maxDelayTarget": 60, "numRetries": 50,
            "numNoDelayRetries": 3, "numMinDelayRetries": 2, "numMaxDelayRetries": 35,
            "backoffFunction": "exponential"},
          "defaultThrottlePolicy": {"maxReceivesPerSecond": 10},
          "defaultRequestPolicy": {"headerContentType": "application/json"},
          "disableSubscriptionOverrides": false}}\
        """;

    assertThat(PolicyDocuments.readTopic(document).healthyRetryPolicyOrDefault().numRetries())
        .isEqualTo(50);
    assertThat(PolicyDocuments.read(document)).isEqualTo(PolicyDocuments.readTopic(document));
    assertThat(PolicyDocuments.ignored(document))
        .containsExactly(
            "http.defaultRequestPolicy.headerContentType is ignored: an endpoint is told the"
                + " content type that each message was published with.");
    assertThat(PolicyDocuments.ignored("{\"requestPolicy\": {\"headerContentType\": \"a/b\"}}"))
        .hasSize(1);
    assertThat(PolicyDocuments.ignored("no-retry")).isEmpty();
  }

  @Test
  void topicInTheShapeOfTheSeed() {
    assertThat(
            topic(
                "{'healthyRetryPolicy':"
                    + SEED_FIELDS
                    + ",'throttlePolicy':{'maxReceivesPerSecond':7},"
                    + "'disableSubscriptionOverrides':true}"))
        .isEqualTo(new NotificationPolicy(SEED_EXAMPLE, new ThrottlePolicy(7), true));
  }

  @Test
  void topicInTheShapeOfSns() {
    assertThat(
            topic(
                "{'http':{'defaultHealthyRetryPolicy':"
                    + SEED_FIELDS
                    + ",'defaultSicklyRetryPolicy':null,"
                    + "'defaultThrottlePolicy':{'maxReceivesPerSecond':7},"
                    + "'disableSubscriptionOverrides':true,'guaranteed':false}}"))
        .isEqualTo(new NotificationPolicy(SEED_EXAMPLE, new ThrottlePolicy(7), true));
  }

  @Test
  void subscriptionAsSnsWritesIt() {
    assertThat(
            PolicyDocuments.readSubscription(
                quoted(
                    "{'healthyRetryPolicy':"
                        + SEED_FIELDS
                        + ",'sicklyRetryPolicy':null,'throttlePolicy':null,'guaranteed':false}")))
        .isEqualTo(NotificationPolicy.of(SEED_EXAMPLE));
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "{'throttlePolicy':{'maxReceivesPerSecond':5}}",
        "{'maxReceivesPerSecond':5}",
        "{'http':{'defaultThrottlePolicy':{'maxReceivesPerSecond':5}}}"
      })
  void throttleHasSeveralPlaces(String json) {
    assertThat(topic(json)).isEqualTo(new NotificationPolicy(null, new ThrottlePolicy(5), false));
  }

  @Test
  void throttleMayStandAmongTheRetryFields() {
    assertThat(topic("{'healthyRetryPolicy':{'maxReceivesPerSecond':5}}"))
        .isEqualTo(
            new NotificationPolicy(HealthyRetryPolicy.DEFAULT, new ThrottlePolicy(5), false));
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "notification-queue",
        " notification-queue\n",
        "'notification-queue'",
        "{'preset':'notification-queue'}",
        "{'healthyRetryPolicy':'notification-queue'}",
        "{'healthyRetryPolicy':{'preset':'notification-queue'}}",
        "{'http':{'defaultHealthyRetryPolicy':'notification-queue'}}"
      })
  void presetIsAcceptedWhereverAPolicyIs(String json) {
    NotificationPolicy queue = NotificationPolicy.of(Presets.get("notification-queue"));

    assertThat(topic(json)).isEqualTo(queue);
    assertThat(PolicyDocuments.read(quoted(json))).isEqualTo(queue);
    if (!json.contains("http")) {
      assertThat(PolicyDocuments.readSubscription(quoted(json))).isEqualTo(queue);
    }
  }

  @Test
  void presetMayStandBesideAThrottle() {
    assertThat(
            topic(
                "{'preset':'no-retry','throttlePolicy':{'maxReceivesPerSecond':5},"
                    + "'disableSubscriptionOverrides':true}"))
        .isEqualTo(new NotificationPolicy(Presets.get("no-retry"), new ThrottlePolicy(5), true));
  }

  @Test
  void bareRetryFieldsAreAShapeOfThePreviewOnly() {
    assertThat(PolicyDocuments.read(SEED_FIELDS)).isEqualTo(NotificationPolicy.of(SEED_EXAMPLE));
    assertThatThrownBy(() -> PolicyDocuments.readTopic(SEED_FIELDS))
        .isInstanceOf(PolicyException.class)
        .hasMessageStartingWith("numRetries is 20: no such field");
  }

  @Test
  void absentFieldsHaveTheDefaultsOfTheSeed() {
    assertThat(retry("{}"))
        .isEqualTo(
            new HealthyRetryPolicy(
                3,
                0,
                Duration.ofSeconds(20),
                Duration.ofSeconds(20),
                0,
                0,
                BackoffFunction.LINEAR));
    assertThat(topic("{}")).isEqualTo(new NotificationPolicy(null, null, false));
    assertThat(topic("{'healthyRetryPolicy':null,'throttlePolicy':null}"))
        .isEqualTo(new NotificationPolicy(null, null, false));
  }

  @ParameterizedTest
  @CsvSource({
    "0, 0",
    "20, 20000",
    "3600, 3600000",
    "'\"250ms\"', 250",
    "'\"0ms\"', 0",
    "'\"10s\"', 10000",
    "'\"4m\"', 240000",
    "'\"1h\"', 3600000",
    "'\"PT10S\"', 10000",
    "'\"PT0.25S\"', 250",
    "'\"PT1M30S\"', 90000"
  })
  void delaysAreSecondsOrCarryAUnit(String written, long millis) {
    assertThat(retry("{'minDelayTarget':0,'maxDelayTarget':" + written + "}").maxDelayTarget())
        .isEqualTo(Duration.ofMillis(millis));
  }

  @ParameterizedTest
  @CsvSource({
    "linear, LINEAR",
    "LINEAR, LINEAR",
    "线性, LINEAR",
    "arithmetic, ARITHMETIC",
    "算数, ARITHMETIC",
    "geometric, GEOMETRIC",
    "Geometry, GEOMETRIC",
    "几何, GEOMETRIC",
    "exponential, EXPONENTIAL",
    "indicator, EXPONENTIAL",
    "指数, EXPONENTIAL"
  })
  void functionsHaveSeveralNames(String written, BackoffFunction function) {
    assertThat(retry("{'backoffFunction':'" + written + "'}").backoffFunction())
        .isEqualTo(function);
  }

  // --- what is refused, and what is said

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      textBlock =
          """
          {'numRetries':101} | numRetries is 101: must be between 0 and 100
          {'numRetries':-1} | numRetries is -1: must be between 0 and 100
          {'numRetries':99999999999999999999} | numRetries is 99999999999999999999: must be between 0 and 100
          {'numRetries':2.5} | numRetries is 2.5: must be a whole number
          {'numRetries':1e999} | numRetries is 1E+999: must be between 0 and 100
          {'numRetries':1e100000000} | numRetries is 1E+100000000: must be between 0 and 100
          {'numRetries':'20'} | numRetries is "20": must be a whole number
          {'numRetries':null} | numRetries is null: must be a whole number
          {'numRetries':true} | numRetries is true: must be a whole number
          {'numNoDelayRetries':-1} | numNoDelayRetries is -1: must be at least 0
          {'numMinDelayRetries':2147483648} | numMinDelayRetries is 2147483648: must be at most 2147483647
          {'minDelayTarget':-1} | minDelayTarget is -1: must be between 0 and 3600 seconds
          {'maxDelayTarget':3601} | maxDelayTarget is 3601: must be between 0 and 3600 seconds
          {'maxDelayTarget':'61m'} | maxDelayTarget is "61m": must be between 0 and 3600 seconds
          {'maxDelayTarget':9999999999999999999999} | maxDelayTarget is 9999999999999999999999: must be between 0 and 3600 seconds
          {'maxDelayTarget':'20'} | maxDelayTarget is "20": must be whole seconds as a number, or a text such as 250ms, 10s, 4m or PT10S
          {'maxDelayTarget':'20 s'} | maxDelayTarget is "20 s": must be whole seconds as a number, or a text such as 250ms, 10s, 4m or PT10S
          {'maxDelayTarget':20.5} | maxDelayTarget is 20.5: must be whole seconds as a number, or a text such as 250ms, 10s, 4m or PT10S
          {'maxDelayTarget':'PT20.0005S'} | maxDelayTarget is "PT20.0005S": must be a whole number of milliseconds
          {'maxDelayTarget':'PT-1S'} | maxDelayTarget is "PT-1S": must be between 0 and 3600 seconds
          {'minDelayTarget':60,'maxDelayTarget':30} | minDelayTarget is 60: must be at most maxDelayTarget, which is 30
          {'minDelayTarget':30} | minDelayTarget is 30: must be at most maxDelayTarget, which is 20 (default)
          {'maxDelayTarget':'500ms'} | maxDelayTarget is 500ms: must be at least minDelayTarget, which is 20 (default)
          {'backoffFunction':'cubic'} | backoffFunction is "cubic": must be linear, arithmetic, geometric or exponential
          {'backoffFunction':2} | backoffFunction is 2: must be linear, arithmetic, geometric or exponential
          {'numRetries':10,'numNoDelayRetries':5,'numMinDelayRetries':4,'numMaxDelayRetries':2} | numRetries is 10: must be at least numNoDelayRetries + numMinDelayRetries + numMaxDelayRetries, which is 5 + 4 + 2 = 11
          {'numNoDelayRetries':4} | numRetries is 3 (default): must be at least numNoDelayRetries + numMinDelayRetries + numMaxDelayRetries, which is 4 + 0 + 0 = 4
          {'numNoDelayRetries':2147483647,'numMinDelayRetries':2147483647} | numRetries is 3 (default): must be at least numNoDelayRetries + numMinDelayRetries + numMaxDelayRetries, which is 2147483647 + 2147483647 + 0 = 4294967294
          {'numRetires':3} | numRetires is 3: no such field; did you mean numRetries?
          {'NUMRETRIES':3} | NUMRETRIES is 3: no such field; did you mean numRetries?
          {'maxReceivesPerSecond':0} | maxReceivesPerSecond is 0: must be at least 1
          {'preset':'notification-sms','numRetries':3} | numRetries is 3: no such field; known here: preset, maxReceivesPerSecond
          {'preset':'sms'} | preset is "sms": must be one of notification-http, notification-sms, notification-email, notification-queue, notification-function, no-retry
          """)
  void badRetryFieldsAreNamed(String fields, String violation) {
    assertThat(violationsOf("{'healthyRetryPolicy':" + fields + "}"))
        .containsExactly("healthyRetryPolicy." + violation);
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      textBlock =
          """
          [] | policy is []: must be an object or the name of a preset
          17 | policy is 17: must be an object or the name of a preset
          null | policy is null: must be an object or the name of a preset
          {'healthyRetryPolicy':3} | healthyRetryPolicy is 3: must be an object or the name of a preset
          {'throttlePolicy':3} | throttlePolicy is 3: must be an object
          {'throttlePolicy':{'maxReceivesPerSecond':1.5}} | throttlePolicy.maxReceivesPerSecond is 1.5: must be a whole number
          {'throttlePolicy':{'maxReceivesPerSecond':null}} | throttlePolicy.maxReceivesPerSecond is null: must be a whole number
          {'throttlePolicy':{'maxReceivesPerSecond':1},'maxReceivesPerSecond':2} | maxReceivesPerSecond is 2: must be given once, and is given at throttlePolicy.maxReceivesPerSecond too
          {'disableSubscriptionOverrides':'true'} | disableSubscriptionOverrides is "true": must be true or false
          {'disableSubscriptionOverrides':null} | disableSubscriptionOverrides is null: must be true or false
          {'preset':'no-retry','healthyRetryPolicy':{}} | healthyRetryPolicy is {}: must not stand beside a preset
          {'preset':7} | preset is 7: must be one of notification-http, notification-sms, notification-email, notification-queue, notification-function, no-retry
          {'healtyRetryPolicy':{}} | healtyRetryPolicy is {}: no such field; did you mean healthyRetryPolicy?
          {'guaranteed':true} | guaranteed is true: is not supported: must be false
          {'sicklyRetryPolicy':{}} | sicklyRetryPolicy is {}: is not supported: must be null
          {'healthyRetryPolicy':{'guaranteed':false}} | healthyRetryPolicy.guaranteed is false: no such field; known here: numRetries, numNoDelayRetries, minDelayTarget, maxDelayTarget, numMinDelayRetries, numMaxDelayRetries, backoffFunction, maxReceivesPerSecond
          {'http':{'healthyRetryPolicy':{}}} | http.healthyRetryPolicy is {}: no such field; known here: defaultHealthyRetryPolicy, defaultThrottlePolicy, defaultRequestPolicy, maxReceivesPerSecond, preset, disableSubscriptionOverrides
          {'http':{'defaultHealthyRetryPolicy':{'numRetries':101}}} | http.defaultHealthyRetryPolicy.numRetries is 101: must be between 0 and 100
          {'http':{},'throttlePolicy':{}} | throttlePolicy is {}: no such field; known here: http
          """)
  void badTopicsAreNamed(String json, String violation) {
    assertThat(violationsOf(json)).containsExactly(violation);
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      textBlock =
          """
          {'a':1,'a':2} | given twice
          {'healthyRetryPolicy':{'numRetries':1,'numRetries':2}} | given twice
          {} {} | more text after the end
          {} x | x
          {'numRetries':NaN} | NaN
          {'numRetries':} | Unexpected
          {'numRetries':1 | end
          {numRetries:1} | unexpected
          """)
  void whatIsNotJsonIsRefusedWithThePlace(String json, String word) {
    List<String> violations = violationsOf(json);

    assertThat(violations).hasSize(1);
    assertThat(violations.get(0))
        .startsWith("policy is not readable: line 1, column ")
        .containsIgnoringCase(word)
        .doesNotContain("\n");
  }

  @Test
  void nothingAndUnknownNamesAreRefused() {
    assertThatThrownBy(() -> PolicyDocuments.readTopic(" "))
        .hasMessage("policy is empty: must be JSON or the name of a preset");
    assertThatThrownBy(() -> PolicyDocuments.readTopic("notification-fax"))
        .hasMessageStartingWith(
            "policy is \"notification-fax\": must be one of notification-http,");
    assertThatThrownBy(() -> Presets.get("fax"))
        .hasMessageStartingWith("preset is \"fax\": must be one of notification-http,");
  }

  @Test
  void deepAndLongDocumentsAreRefusedNotFatal() {
    assertThatThrownBy(() -> PolicyDocuments.readTopic("[".repeat(100_000)))
        .isInstanceOf(PolicyException.class);
    assertThatThrownBy(
            () -> topic("{'healthyRetryPolicy':{'numRetries':" + "9".repeat(5000) + "}}"))
        .isInstanceOf(PolicyException.class);
    String wide =
        IntStream.range(0, 5000)
            .mapToObj(i -> "'field" + i + "':1")
            .collect(Collectors.joining(",", "{", "}"));
    assertThatThrownBy(() -> topic(wide))
        .isInstanceOf(PolicyException.class)
        .hasMessageEndingWith("; and 4990 more")
        .satisfies(e -> assertThat(e.getMessage().length()).isLessThan(3000));
  }

  @Test
  void allBrokenRulesAreNamedAtOnce() {
    assertThat(
            violationsOf(
                "{'healthyRetryPolicy':{'numRetries':101,'minDelayTarget':70,'maxDelayTarget':60,'backoffFunction':'x','extra':'a\\n"
                    + "b'},'throttlePolicy':{'maxReceivesPerSecond':0},"
                    + "'disableSubscriptionOverrides':1}"))
        .containsExactlyInAnyOrder(
            "healthyRetryPolicy.numRetries is 101: must be between 0 and 100",
            "healthyRetryPolicy.minDelayTarget is 70: must be at most maxDelayTarget, which is 60",
            "healthyRetryPolicy.backoffFunction is \"x\": must be linear, arithmetic, geometric or"
                + " exponential",
            "healthyRetryPolicy.extra is \"a\\nb\": no such field; known here: numRetries,"
                + " numNoDelayRetries, minDelayTarget, maxDelayTarget, numMinDelayRetries,"
                + " numMaxDelayRetries, backoffFunction, maxReceivesPerSecond",
            "throttlePolicy.maxReceivesPerSecond is 0: must be at least 1",
            "disableSubscriptionOverrides is 1: must be true or false");
  }

  @Test
  void subscriptionCannotDisableOverrides() {
    assertThatThrownBy(
            () ->
                PolicyDocuments.readSubscription(quoted("{'disableSubscriptionOverrides':false}")))
        .isInstanceOf(PolicyException.class)
        .hasMessage(
            "disableSubscriptionOverrides is false: belongs on the topic: it decides whether"
                + " policies of subscriptions count");
    assertThatThrownBy(() -> PolicyDocuments.readSubscription(quoted("{'http':{}}")))
        .isInstanceOf(PolicyException.class)
        .hasMessageStartingWith("http is {}: no such field");
  }

  // --- what is written

  @Test
  void canonicalFormIsThatOfTheSeed() {
    assertThat(PolicyDocuments.writeTopic(NotificationPolicy.of(SEED_EXAMPLE)))
        .hasToString(
            "{\"healthyRetryPolicy\":" + SEED_FIELDS + ",\"disableSubscriptionOverrides\":false}");
    assertThat(
            PolicyDocuments.writeSubscription(
                new NotificationPolicy(null, new ThrottlePolicy(3), false)))
        .hasToString("{\"throttlePolicy\":{\"maxReceivesPerSecond\":3}}");
  }

  @Provide
  Arbitrary<NotificationPolicy> policies() {
    Arbitrary<Integer> part = Arbitraries.integers().between(0, 25);
    Arbitrary<Long> millis =
        Arbitraries.oneOf(
            Arbitraries.longs().between(0, 3_600_000),
            Arbitraries.longs().between(0, 3600).map(seconds -> seconds * 1000));
    Arbitrary<HealthyRetryPolicy> written =
        Combinators.combine(
                part, part, part, part, millis, millis, Arbitraries.of(BackoffFunction.values()))
            .as(
                (noDelay, min, backoff, max, a, b, function) ->
                    new HealthyRetryPolicy(
                        noDelay + min + backoff + max,
                        noDelay,
                        Duration.ofMillis(Math.min(a, b)),
                        Duration.ofMillis(Math.max(a, b)),
                        min,
                        max,
                        function));
    Arbitrary<HealthyRetryPolicy> named =
        Arbitraries.of(Presets.notificationNames()).map(Presets::get);
    return Combinators.combine(
            Arbitraries.oneOf(written, named).injectNull(0.1),
            Arbitraries.integers()
                .between(1, Integer.MAX_VALUE)
                .map(ThrottlePolicy::new)
                .injectNull(0.3),
            Arbitraries.of(true, false))
        .as(NotificationPolicy::new);
  }

  @Property
  void whatIsWrittenIsReadBackEqual(@ForAll("policies") NotificationPolicy policy) {
    String topic = PolicyDocuments.writeTopic(policy).toString();
    assertThat(PolicyDocuments.readTopic(topic)).isEqualTo(policy);
    assertThat(PolicyDocuments.writeTopic(PolicyDocuments.readTopic(topic))).hasToString(topic);

    NotificationPolicy ofSubscription =
        new NotificationPolicy(policy.healthyRetryPolicy(), policy.throttlePolicy(), false);
    String subscription = PolicyDocuments.writeSubscription(ofSubscription).toString();
    assertThat(PolicyDocuments.readSubscription(subscription)).isEqualTo(ofSubscription);
  }

  @Test
  void whatCouldNotBeReadIsNotWritten() {
    HealthyRetryPolicy tooMany =
        new HealthyRetryPolicy(
            500, 0, Duration.ofSeconds(1), Duration.ofSeconds(2), 0, 0, BackoffFunction.LINEAR);

    assertThatThrownBy(() -> PolicyDocuments.writeTopic(NotificationPolicy.of(tooMany)))
        .isInstanceOf(PolicyException.class)
        .hasMessageEndingWith("or be a preset");
    assertThatThrownBy(
            () -> PolicyDocuments.writeSubscription(new NotificationPolicy(null, null, true)))
        .isInstanceOf(PolicyException.class)
        .hasMessage("disableSubscriptionOverrides is true: belongs on the topic");
  }

  // --- what it becomes

  @Test
  void becomesTheBackoffAndTheRetryPolicyOfTheCore() {
    StagedBackoff backoff = SEED_EXAMPLE.toBackoff();

    assertThat(backoff.backoffRetries()).isEqualTo(9);
    assertThat(backoff.numRetries()).isEqualTo(20);
    assertThat(SEED_EXAMPLE.toRetryPolicy().backoff()).isEqualTo((Backoff) backoff);
    assertThat(SEED_EXAMPLE.toRetryPolicy().maxRetries()).isEqualTo(20);
    assertThat(SEED_EXAMPLE.toRetryPolicy().hintCeiling()).isEqualTo(Duration.ofHours(24));
  }

  @Test
  void recordsRefuseWhatNoScheduleCouldFollow() {
    assertThatThrownBy(
            () ->
                new HealthyRetryPolicy(
                    -1,
                    -2,
                    Duration.ofSeconds(-3),
                    Duration.ofNanos(4),
                    0,
                    0,
                    BackoffFunction.LINEAR))
        .isInstanceOf(PolicyException.class)
        .hasMessage(
            "healthyRetryPolicy.numRetries is -1: must be at least 0; "
                + "healthyRetryPolicy.numNoDelayRetries is -2: must be at least 0; "
                + "healthyRetryPolicy.minDelayTarget is PT-3S: must be at least 0; "
                + "healthyRetryPolicy.maxDelayTarget is PT0.000000004S: must be a whole number of"
                + " milliseconds");
    assertThatThrownBy(() -> new ThrottlePolicy(0)).isInstanceOf(PolicyException.class);
  }
}
