package dev.reprise.policy;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import dev.reprise.core.backoff.AtCap;
import dev.reprise.core.backoff.Backoff;
import dev.reprise.core.backoff.BackoffFunction;
import dev.reprise.core.backoff.BackoffSequence;
import dev.reprise.core.backoff.DelayRange;
import dev.reprise.core.backoff.ExponentialBackoffWithJitter;
import dev.reprise.core.backoff.StagedBackoff;
import dev.reprise.core.budget.TokenPrices;
import dev.reprise.core.retry.Hedging;
import dev.reprise.policy.document.DurationText;
import dev.reprise.policy.document.Violation;
import java.time.Duration;
import java.util.List;
import java.util.random.RandomGenerator;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class StrategyPolicyTest {
  private static String quoted(String json) {
    return json.replace('\'', '"');
  }

  private static StrategyPolicy read(String json) {
    return (StrategyPolicy) PolicyDocuments.read(quoted(json));
  }

  private static Backoff backoff(String fields) {
    return read("{'strategy':'standard','backoff':" + fields + "}").backoff();
  }

  private static List<String> violationsOf(String json) {
    PolicyException e = catchThrowableOfType(PolicyException.class, () -> read(json));
    assertThat(e).as("accepted: %s", json).isNotNull();
    return e.violations().stream().map(Violation::toString).toList();
  }

  private static Duration seconds(long seconds) {
    return Duration.ofSeconds(seconds);
  }

  // --- what is accepted

  @Test
  void whatADocumentDoesNotSayIsOurDefault() {
    assertThat(read("{'strategy':'standard'}"))
        .isEqualTo(Presets.policy("reprise-default"))
        .isEqualTo(
            new StrategyPolicy(
                StrategyKind.STANDARD,
                3,
                Backoff.exponential(Duration.ofMillis(100), seconds(20)).withFullJitter(),
                Backoff.exponential(seconds(1), seconds(20)).withFullJitter(),
                new BudgetPolicy.TokenBucket(
                    500, new TokenPrices(10_000, 5_000, 10_000, 1_000, false), 0, 128),
                Duration.ofMinutes(2),
                false,
                true,
                CallSettings.NONE));
  }

  @Test
  void everyFieldIsRead() {
    assertThat(
            read(
                "{'strategy':'adaptive','maxAttempts':7,"
                    + "'backoff':{'type':'fixed','delay':'250ms'},"
                    + "'throttleBackoff':{'type':'fixed','delay':'PT2S','jitter':'equal'},"
                    + "'budget':{'type':'token-bucket','capacityTokens':20,'errorTokens':2.5,"
                    + "'throttleTokens':1,'timeoutTokens':3,'rewardTokens':0.125,"
                    + "'refundsLastCost':true,'tokensPerSecond':0.5,'maxScopes':0},"
                    + "'hintCeiling':'1h','clampsHints':true,'delaysLongPolls':false,"
                    + "'deadline':'30s','attemptTimeout':'5s',"
                    + "'hedging':{'delay':'200ms','maxHedges':2},'idempotent':true}"))
        .isEqualTo(
            new StrategyPolicy(
                StrategyKind.ADAPTIVE,
                7,
                Backoff.fixed(Duration.ofMillis(250)),
                Backoff.fixed(seconds(2)).withEqualJitter(),
                new BudgetPolicy.TokenBucket(
                    20, new TokenPrices(2_500, 1_000, 3_000, 125, true), 0.5, 0),
                Duration.ofHours(1),
                true,
                false,
                new CallSettings(
                    seconds(30), seconds(5), new Hedging(Duration.ofMillis(200), 2), true)));
  }

  @Test
  void everyFormulaHasItsName() {
    assertThat(backoff("{'type':'none'}")).isEqualTo(Backoff.none());
    assertThat(backoff("{'type':'linear','base':'1s','step':'2s','cap':'1m'}"))
        .isEqualTo(Backoff.linear(seconds(1), seconds(2), seconds(60)));
    assertThat(backoff("{'type':'exponential','base':'1s','cap':'1m','jitter':'full'}"))
        .isEqualTo(Backoff.exponential(seconds(1), seconds(60)).withFullJitter());
    assertThat(backoff("{'type':'exponential','base':'1s','factor':1.5,'cap':'1m','jitter':0.2}"))
        .isEqualTo(Backoff.exponential(seconds(1), 1.5, seconds(60)).withJitter(0.2));
    assertThat(backoff("{'type':'exponential-with-jitter'}"))
        .isEqualTo(Backoff.exponentialWithJitter());
    assertThat(
            backoff(
                "{'type':'exponential-with-jitter','interval':'1s','minDelay':'2s','maxDelay':'9s',"
                    + "'jitterDown':0.75,'jitterUp':0.5,'atCap':'jitter'}"))
        .isEqualTo(
            ExponentialBackoffWithJitter.builder()
                .interval(seconds(1))
                .delays(seconds(2), seconds(9))
                .jitter(0.75, 0.5)
                .atCap(AtCap.JITTER)
                .build());
    assertThat(backoff("{'type':'truncated-exponential','maximumBackoff':'32s','atCap':'jitter'}"))
        .isEqualTo(Backoff.truncatedExponential(seconds(32), AtCap.JITTER));
    assertThat(backoff("{'type':'decorrelated-jitter','base':'1s','cap':'1m'}"))
        .isEqualTo(Backoff.decorrelatedJitter(seconds(1), seconds(60)));
    assertThat(
            backoff(
                "{'type':'staged','noDelayRetries':3,'minDelayRetries':4,'backoffRetries':9,"
                    + "'maxDelayRetries':4,'minDelay':'20s','maxDelay':'1m',"
                    + "'function':'exponential','cap':'50s'}"))
        .isEqualTo(
            new StagedBackoff(3, 4, 9, 4, seconds(20), seconds(60), BackoffFunction.EXPONENTIAL)
                .withCap(seconds(50)));
  }

  @Test
  void oneBackoffFollowsAnother() {
    assertThat(
            backoff(
                "{'type':'none','retries':1,'then':{'type':'fixed','delay':'1s','retries':5,"
                    + "'then':{'type':'fixed','delay':'1m'}}}"))
        .isEqualTo(
            new BackoffSequence(
                Backoff.none(),
                1,
                new BackoffSequence(Backoff.fixed(seconds(1)), 5, Backoff.fixed(seconds(60)))));
    assertThat(backoff("{'type':'none','retries':1,'then':{'type':'fixed','delay':'1s'}}"))
        .isEqualTo(Backoff.fixed(seconds(1)).withFirstFast());
  }

  @Test
  void aWrittenBackoffHoldsAfterThrottlesToo() {
    StrategyPolicy policy = read("{'strategy':'standard','backoff':{'type':'fixed','delay':'9s'}}");

    assertThat(policy.throttleBackoff()).isEqualTo(Backoff.fixed(seconds(9)));
  }

  @Test
  void budgetsAreReadByType() {
    assertThat(read("{'strategy':'standard','budget':'unlimited'}").budget())
        .isEqualTo(new BudgetPolicy.Unlimited());
    assertThat(
            read("{'strategy':'standard','budget':{'type':'ratio','retriesPerSuccess':0.2,"
                    + "'retriesPerSecond':10,'savedRetries':100,'maxScopes':5}}")
                .budget())
        .isEqualTo(new BudgetPolicy.Ratio(0.2, 10, 100, 5));
    assertThat(
            read("{'strategy':'standard','budget':{'type':'ratio','retriesPerSuccess':0.2,"
                    + "'retriesPerSecond':7}}")
                .budget())
        .isEqualTo(new BudgetPolicy.Ratio(0.2, 7, 70, 128));
    assertThat(read("{'strategy':'standard','budget':{'type':'token-bucket'}}").budget())
        .isEqualTo(read("{'strategy':'standard'}").budget());
  }

  @Test
  void aPresetIsChangedFieldByField() {
    StrategyPolicy aws = (StrategyPolicy) Presets.policy("aws-standard");

    StrategyPolicy changed =
        read("{'preset':'aws-standard','strategy':'adaptive','maxAttempts':5,'deadline':'10s'}");

    assertThat(changed)
        .isEqualTo(
            new StrategyPolicy(
                StrategyKind.ADAPTIVE,
                5,
                aws.backoff(),
                aws.throttleBackoff(),
                aws.budget(),
                aws.hintCeiling(),
                true,
                true,
                new CallSettings(seconds(10), null, null, false)));
    assertThat(read("{'preset':'aws-standard'}")).isEqualTo(aws);
    assertThat(PolicyDocuments.read("aws-standard")).isEqualTo(aws);
  }

  @Test
  void aNotificationPresetMayBeChangedIntoAPolicyForCalls() {
    StrategyPolicy policy = read("{'preset':'notification-sms','deadline':'1h'}");

    assertThat(policy.maxAttempts()).isEqualTo(51);
    assertThat(policy.backoff()).isEqualTo(Presets.get("notification-sms").toBackoff());
    assertThat(policy.calls().deadline()).isEqualTo(Duration.ofHours(1));
  }

  @Test
  void aStrategyThatNeverRetriesHasOnlyCallSettings() {
    StrategyPolicy policy = read("{'strategy':'none','deadline':'1s','attemptTimeout':'1s'}");

    assertThat(policy.maxRetries()).isZero();
    assertThat(PolicyDocuments.write(policy))
        .hasToString(
            quoted("{'strategy':'none','deadline':'1s','attemptTimeout':'1s','idempotent':false}"));
  }

  // --- which format it is

  @ParameterizedTest
  @ValueSource(
      strings = {
        "{}",
        "{'numRetries':3}",
        "{'healthyRetryPolicy':{'numRetries':3}}",
        "{'throttlePolicy':{'maxReceivesPerSecond':3}}",
        "{'http':{}}",
        "{'preset':'notification-sms'}",
        "{'preset':'no-retry','maxReceivesPerSecond':3}",
        "'no-retry'"
      })
  void notificationDocumentsAreReadWhereverAPolicyIs(String json) {
    assertThat(PolicyDocuments.read(quoted(json))).isInstanceOf(NotificationPolicy.class);
  }

  // --- what is refused, and what is said

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      textBlock =
          """
          {'maxAttempts':3} | strategy is missing: must be standard, adaptive or none; or there must be a preset
          {'strategy':'legacy'} | strategy is "legacy": must be standard, adaptive or none
          {'strategy':null} | strategy is null: must be standard, adaptive or none
          {'preset':'aws'} | preset is "aws": must be one of reprise-default, aws-standard, smithy-guide, azure-iot, iot-core-32s, iot-core-64s, notification-http, notification-sms, notification-email, notification-queue, notification-function, no-retry
          {'strategy':'standard','maxAttempts':0} | maxAttempts is 0: must be between 1 and 2147483646, or unlimited
          {'strategy':'standard','maxAttempts':2147483647} | maxAttempts is 2147483647: must be between 1 and 2147483646, or unlimited
          {'strategy':'standard','maxAttempts':1.5} | maxAttempts is 1.5: must be a whole number, or unlimited
          {'strategy':'standard','maxAttempts':'many'} | maxAttempts is "many": must be a whole number, or unlimited
          {'strategy':'standard','maxAttemts':3} | maxAttemts is 3: no such field; did you mean maxAttempts?
          {'strategy':'standard','numRetries':3} | strategy is "standard": must not stand beside numRetries, which is of the notification format
          {'strategy':'standard','hintCeiling':120} | hintCeiling is 120: must be a text such as 250ms, 10s, 4m, 1h or PT10S
          {'strategy':'standard','hintCeiling':'PT-1S'} | hintCeiling is "PT-1S": must be between 0 and 292 years
          {'strategy':'standard','hintCeiling':'P999999999D'} | hintCeiling is "P999999999D": must be between 0 and 292 years
          {'strategy':'standard','clampsHints':1} | clampsHints is 1: must be true or false
          {'strategy':'standard','deadline':'0s'} | deadline is "0s": must be more than 0, up to 292 years
          {'strategy':'standard','attemptTimeout':'soon'} | attemptTimeout is "soon": must be a text such as 250ms, 10s, 4m, 1h or PT10S
          {'strategy':'standard','hedging':{'delay':'1s'}} | idempotent is false (default): must be true where there is hedging: every hedge may take effect
          {'strategy':'standard','idempotent':true,'hedging':{}} | hedging.delay is missing: must be a text such as 250ms, 10s, 4m, 1h or PT10S
          {'strategy':'standard','idempotent':true,'hedging':{'delay':'0s'}} | hedging.delay is "0s": must be between 1 ns and 292 years
          {'strategy':'standard','idempotent':true,'hedging':{'delay':'1s','maxHedges':0}} | hedging.maxHedges is 0: must be at least 1
          {'strategy':'standard','idempotent':true,'maxAttempts':1,'hedging':{'delay':'1s'}} | hedging is {"delay":"1s"}: needs maxAttempts of 2 or more: every hedge is an attempt
          {'strategy':'none','budget':'unlimited'} | budget is "unlimited": must not stand beside a strategy that never retries
          {'strategy':'standard','budget':'none'} | budget is "none": must be unlimited, or an object with a type
          {'strategy':'standard','budget':{}} | budget.type is missing: must be token-bucket or ratio
          {'strategy':'standard','budget':{'type':'token-bucket','errorTokens':0.0005}} | budget.errorTokens is 0.0005: must have at most three digits after the point
          {'strategy':'standard','budget':{'type':'token-bucket','errorTokens':-1}} | budget.errorTokens is -1: must be between 0 and 1000000
          {'strategy':'standard','budget':{'type':'token-bucket','capacity':5}} | budget.capacity is 5: no such field; known here: type, capacityTokens, errorTokens, throttleTokens, timeoutTokens, rewardTokens, refundsLastCost, tokensPerSecond, maxScopes
          {'strategy':'standard','budget':{'type':'token-bucket','tokensPerSecond':0.0001}} | budget.tokensPerSecond is 0.0001: must be 0 or between 0.001 and 1000000
          {'strategy':'standard','budget':{'type':'ratio'}} | budget.retriesPerSuccess is missing: must be a number between 0 and 1
          {'strategy':'standard','budget':{'type':'ratio','retriesPerSuccess':2}} | budget.retriesPerSuccess is 2: must be between 0 and 1
          {'strategy':'standard','budget':{'type':'ratio','retriesPerSuccess':0.1,'savedRetries':0}} | budget.savedRetries is 0: must be between 1 and 1000000
          """)
  void badDocumentsAreNamed(String json, String violation) {
    assertThat(violationsOf(json)).containsExactly(violation);
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      textBlock =
          """
          17 | backoff is 17: must be an object with a type
          {} | backoff.type is missing: must be one of none, fixed, linear, exponential, exponential-with-jitter, truncated-exponential, decorrelated-jitter, staged
          {'type':'cubic'} | backoff.type is "cubic": must be one of none, fixed, linear, exponential, exponential-with-jitter, truncated-exponential, decorrelated-jitter, staged
          {'type':'fixed'} | backoff.delay is missing: must be a text such as 250ms, 10s, 4m, 1h or PT10S
          {'type':'fixed','delay':1} | backoff.delay is 1: must be a text such as 250ms, 10s, 4m, 1h or PT10S
          {'type':'none','jitter':'full'} | backoff.jitter is "full": must not be given: none says itself what is drawn
          {'type':'fixed','delay':'1s','jitter':'some'} | backoff.jitter is "some": must be none, full, equal, or a share between 0 and 1
          {'type':'fixed','delay':'1s','jitter':1.5} | backoff.jitter is 1.5: must be between 0 and 1
          {'type':'exponential','base':'20s','cap':'10s'} | backoff.base is "20s": must be at most cap, which is PT10S
          {'type':'exponential','base':'1s','factor':0.5,'cap':'10s'} | backoff.factor is 0.5: must be >= 1 and finite
          {'type':'exponential-with-jitter','minDelay':'1m'} | backoff.minDelay is "1m": must be at most maxDelay, which is PT10S
          {'type':'exponential-with-jitter','jitterDown':1.5} | backoff.jitterDown is 1.5: must be between 0 and 1
          {'type':'truncated-exponential','maximumBackoff':'32s','atCap':'both'} | backoff.atCap is "both": must be constant or jitter
          {'type':'staged','minDelay':'1s','maxDelay':'PT1.0000001S'} | backoff.maxDelay is "PT1.0000001S": must be a whole number of milliseconds
          {'type':'staged','minDelay':'1s','maxDelay':'2s','function':'cubic'} | backoff.function is "cubic": must be linear, arithmetic, geometric or exponential
          {'type':'fixed','delay':'1s','retries':2} | backoff.then is missing: must be the backoff of what follows the retries
          {'type':'fixed','delay':'1s','then':{'type':'none'}} | backoff.retries is missing: must be how many retries come before then
          {'type':'fixed','delay':'1s','retries':0,'then':{'type':'none'}} | backoff.retries is 0: must be at least 1
          {'type':'fixed','delay':'1s','retries':1,'then':{'type':'fixed','delay':2}} | backoff.then.delay is 2: must be a text such as 250ms, 10s, 4m, 1h or PT10S
          """)
  void badBackoffsAreNamed(String backoff, String violation) {
    assertThat(violationsOf("{'strategy':'standard','backoff':" + backoff + "}"))
        .containsExactly(violation);
  }

  @Test
  void allBrokenRulesAreNamedAtOnce() {
    assertThat(
            violationsOf(
                "{'strategy':'fast','maxAttempts':0,'backoff':{'type':'linear','base':1,'step':2,"
                    + "'cap':'1h','extra':0},'throttleBackoff':7,'budget':{'type':'ratio',"
                    + "'retriesPerSuccess':-1,'maxScopes':-1},'hintCeiling':true,'clampsHints':0,"
                    + "'deadline':0,'hedging':[],'idempotent':'yes','extra':1}"))
        .extracting(text -> text.substring(0, text.indexOf(" is ")))
        .containsExactlyInAnyOrder(
            "strategy",
            "maxAttempts",
            "backoff.base",
            "backoff.step",
            "backoff.extra",
            "throttleBackoff",
            "budget.retriesPerSuccess",
            "budget.maxScopes",
            "hintCeiling",
            "clampsHints",
            "deadline",
            "hedging",
            "idempotent",
            "extra");
  }

  @Test
  void aDeepChainOfBackoffsIsRefusedNotFatal() {
    String deep =
        "{'type':'none','retries':1,'then':".repeat(100_000)
            + "{'type':'none'}"
            + "}".repeat(100_000);

    assertThatThrownBy(() -> backoff(deep)).isInstanceOf(PolicyException.class);
  }

  @Test
  void recordsRefuseWhatNoDocumentCanHold() {
    Backoff foreign =
        new Backoff() {
          @Override
          public long delayNanos(int retry, RandomGenerator random) {
            return 0;
          }

          @Override
          public DelayRange range(int retry) {
            return DelayRange.exactly(0);
          }

          @Override
          public String toString() {
            return "foreign";
          }
        };

    assertThatThrownBy(
            () ->
                new StrategyPolicy(
                    StrategyKind.NONE,
                    0,
                    foreign,
                    Backoff.none(),
                    new BudgetPolicy.Unlimited(),
                    seconds(-1),
                    false,
                    false,
                    CallSettings.NONE))
        .isInstanceOf(PolicyException.class)
        .hasMessageContainingAll(
            "maxAttempts is 0: must be at least 1",
            "hintCeiling is PT-1S: must be between 0 and 292 years",
            "backoff is \"foreign\": must be a backoff of the core",
            "maxAttempts is 0: must be 1 with the strategy none");
    assertThatThrownBy(
            () -> new CallSettings(Duration.ZERO, seconds(-1), Hedging.after(seconds(1)), false))
        .isInstanceOf(PolicyException.class)
        .hasMessageContainingAll(
            "deadline is 0s", "attemptTimeout is PT-1S", "idempotent is false");
  }

  // --- what is written

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      textBlock =
          """
          reprise-default | {'strategy':'standard','maxAttempts':3,'backoff':{'type':'exponential','base':'100ms','factor':2.0,'cap':'20s','jitter':'full'},'throttleBackoff':{'type':'exponential','base':'1s','factor':2.0,'cap':'20s','jitter':'full'},'budget':{'type':'token-bucket','capacityTokens':500,'errorTokens':10,'throttleTokens':5,'timeoutTokens':10,'rewardTokens':1,'refundsLastCost':false,'tokensPerSecond':0.0,'maxScopes':128},'hintCeiling':'2m','clampsHints':false,'delaysLongPolls':true,'idempotent':false}
          aws-standard | {'strategy':'standard','maxAttempts':3,'backoff':{'type':'exponential','base':'50ms','factor':2.0,'cap':'20s','jitter':'full'},'throttleBackoff':{'type':'exponential','base':'1s','factor':2.0,'cap':'20s','jitter':'full'},'budget':{'type':'token-bucket','capacityTokens':500,'errorTokens':14,'throttleTokens':5,'timeoutTokens':14,'rewardTokens':1,'refundsLastCost':true,'tokensPerSecond':0.0,'maxScopes':128},'hintCeiling':'5s','clampsHints':true,'delaysLongPolls':true,'idempotent':false}
          smithy-guide | {'strategy':'standard','maxAttempts':5,'backoff':{'type':'exponential','base':'1s','factor':2.0,'cap':'20s','jitter':'full'},'budget':{'type':'token-bucket','capacityTokens':500,'errorTokens':5,'throttleTokens':5,'timeoutTokens':10,'rewardTokens':1,'refundsLastCost':false,'tokensPerSecond':0.0,'maxScopes':128},'hintCeiling':'2m','clampsHints':false,'delaysLongPolls':false,'idempotent':false}
          azure-iot | {'strategy':'standard','maxAttempts':'unlimited','backoff':{'type':'exponential-with-jitter','interval':'100ms','minDelay':'100ms','maxDelay':'10s','jitterDown':0.5,'jitterUp':0.25,'atCap':'constant'},'budget':'unlimited','hintCeiling':'24h','clampsHints':false,'delaysLongPolls':false,'idempotent':false}
          iot-core-32s | {'strategy':'standard','maxAttempts':'unlimited','backoff':{'type':'truncated-exponential','maximumBackoff':'32s','atCap':'constant'},'budget':'unlimited','hintCeiling':'24h','clampsHints':false,'delaysLongPolls':false,'idempotent':false}
          iot-core-64s | {'strategy':'standard','maxAttempts':'unlimited','backoff':{'type':'truncated-exponential','maximumBackoff':'64s','atCap':'constant'},'budget':'unlimited','hintCeiling':'24h','clampsHints':false,'delaysLongPolls':false,'idempotent':false}
          """)
  void presetsAreTheseDocuments(String preset, String document) {
    assertThat(PolicyDocuments.write(Presets.policy(preset))).hasToString(quoted(document));
    assertThat(PolicyDocuments.read(quoted(document))).isEqualTo(Presets.policy(preset));
    assertThat(PolicySchema.accepts(quoted(document))).isTrue();
  }

  @Test
  void allPresetsOfTheDesignHaveTheirNames() {
    assertThat(Presets.names())
        .containsExactlyInAnyOrder(
            "azure-iot",
            "iot-core-32s",
            "iot-core-64s",
            "aws-standard",
            "smithy-guide",
            "notification-http",
            "notification-sms",
            "notification-email",
            "notification-queue",
            "notification-function",
            "no-retry",
            "reprise-default");
  }

  @ParameterizedTest
  @CsvSource({
    "0, 0s",
    "1, PT0.000000001S",
    "1000000, 1ms",
    "999000000, 999ms",
    "60000000000, 1m",
    "61000000000, 61s",
    "3600000000000, 1h",
    "86400000000000, 24h"
  })
  void durationsAreWrittenShortAndExact(long nanos, String text) {
    assertThat(DurationText.exact(Duration.ofNanos(nanos))).isEqualTo(text);
    assertThat(DurationText.read(text)).isEqualTo(Duration.ofNanos(nanos));
  }

  @Test
  void aMistakeOfTheJitterIsNamedBesideOneOfTheDelays() {
    assertThatThrownBy(
            () ->
                PolicyDocuments.read(
                    """
                    {"strategy": "standard",
                     "backoff": {"type": "exponential", "base": "30s", "cap": "10s", "jitter": "ful"}}
                    """))
        .hasMessageContaining("backoff.base is \"30s\": must be at most cap")
        .hasMessageContaining("backoff.jitter is \"ful\": must be none, full, equal");
  }

  @Test
  void aWholeNumberMayBeWrittenWithAPoint() {
    assertThat(PolicyDocuments.read("{\"strategy\": \"standard\", \"maxAttempts\": 3.0}"))
        .isEqualTo(PolicyDocuments.read("{\"strategy\": \"standard\", \"maxAttempts\": 3}"));
    assertThat(PolicyDocuments.readTopic("{\"healthyRetryPolicy\": {\"numRetries\": 20.0}}"))
        .isEqualTo(PolicyDocuments.readTopic("{\"healthyRetryPolicy\": {\"numRetries\": 20}}"));
  }

  @Test
  void aRatioThatWouldBeRoundedToNothingIsRefusedByName() {
    assertThatThrownBy(
            () ->
                PolicyDocuments.read(
                    """
                    {"strategy": "standard",
                     "budget": {"type": "ratio", "retriesPerSuccess": 0.0004}}
                    """))
        .hasMessageContaining(
            "budget.retriesPerSuccess is 0.0004: must be 0 or between 0.001 and 1");
  }
}
