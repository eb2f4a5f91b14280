package dev.reprise.spring;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.reprise.core.StopReason;
import dev.reprise.core.classify.FailureRule;
import dev.reprise.core.retry.Retry;
import dev.reprise.core.retry.RetryListener;
import dev.reprise.core.retry.RetryStoppedException;
import dev.reprise.core.strategy.AdaptiveRetryStrategy;
import dev.reprise.micrometer.RetryMetrics;
import dev.reprise.policy.PolicyDocuments;
import dev.reprise.policy.StrategyPolicy;
import dev.reprise.testkit.RecordingListener;
import dev.reprise.testkit.ScriptedOperation;
import dev.reprise.testkit.VirtualTime;
import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import java.net.ConnectException;
import java.time.Duration;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.springframework.boot.actuate.endpoint.annotation.Endpoint;
import org.springframework.boot.autoconfigure.AutoConfigurations;
import org.springframework.boot.diagnostics.FailureAnalysis;
import org.springframework.boot.test.context.FilteredClassLoader;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.web.client.RestClientResponseException;

class RepriseAutoConfigurationTest {
  private final ApplicationContextRunner runner =
      new ApplicationContextRunner()
          .withConfiguration(
              AutoConfigurations.of(
                  RepriseAutoConfiguration.class,
                  RetryEndpointAutoConfiguration.class,
                  RetryMetricsAutoConfiguration.class));

  @Test
  void eachNameOfThePropertiesIsABeanAndInTheRegistry() {
    runner
        .withPropertyValues(
            "reprise.retry.payment-api.policy=aws-standard", "reprise.retry.search.max-attempts=7")
        .run(
            context -> {
              RetryRegistry registry = context.getBean(RetryRegistry.class);
              assertThat(registry.names()).containsExactly("payment-api", "search");
              assertThat(context.getBean("paymentApiRetry", Retry.class))
                  .isSameAs(registry.get("payment-api"));
              assertThat(registry.get("search").name()).isEqualTo("search");
              assertThat(registry.policy("search").maxRetries()).isEqualTo(6);
            });
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "reprise.retry.quotes.max-atempts=3 | reprise.retry.quotes.max-atempts is no property: did"
            + " you mean max-attempts?",
        "reprise.retry.quotes.speed=3 | reprise.retry.quotes.speed is no property: known are"
            + " policy,",
        "reprise.retyr.quotes.deadline=3s | reprise.retyr is no property: did you mean"
            + " reprise.retry?",
      })
  void aMisspeltPropertyFailsTheStart(String property, String message) {
    runner
        .withPropertyValues(property, "reprise.retry.search.max-attempts=3")
        .run(
            context -> {
              assertThat(context).hasFailed();
              assertThat(context.getStartupFailure()).hasStackTraceContaining(message);
            });
  }

  @Test
  void otherWaysToWriteAPropertyAreNotRefused() {
    runner
        .withPropertyValues(
            "reprise.retry.search.maxAttempts=3",
            "reprise.retry.search.throttle_backoff.type=fixed",
            "reprise.retry.search.throttle_backoff.delay=3s",
            "reprise.url=http://localhost",
            "reprise.key=k")
        .run(context -> assertThat(context).hasNotFailed());
  }

  @Test
  void everyPropertyReachesThePolicy() {
    runner
        .withPropertyValues(
            "reprise.retry.search.policy=aws-standard",
            "reprise.retry.search.strategy=adaptive",
            "reprise.retry.search.max-attempts=4",
            "reprise.retry.search.backoff.type=exponential",
            "reprise.retry.search.backoff.base=50ms",
            "reprise.retry.search.backoff.factor=3",
            "reprise.retry.search.backoff.cap=2s",
            "reprise.retry.search.throttle-backoff.type=fixed",
            "reprise.retry.search.throttle-backoff.delay=3s",
            "reprise.retry.search.budget.type=ratio",
            "reprise.retry.search.budget.retries-per-success=0.2",
            "reprise.retry.search.budget.retries-per-second=5",
            "reprise.retry.search.hint-ceiling=30s",
            "reprise.retry.search.deadline=10s",
            "reprise.retry.search.attempt-timeout=PT1.5S",
            "reprise.retry.search.hedging.delay=200ms",
            "reprise.retry.search.hedging.max-hedges=2",
            "reprise.retry.search.idempotent=true")
        .run(
            context -> {
              RetryRegistry registry = context.getBean(RetryRegistry.class);
              StrategyPolicy policy = (StrategyPolicy) registry.policy("search");
              assertThat(policy)
                  .isEqualTo(
                      PolicyDocuments.read(
                          """
                          {"preset": "aws-standard", "strategy": "adaptive", "maxAttempts": 4,
                           "backoff": {"type": "exponential", "base": "50ms", "factor": 3, "cap": "2s"},
                           "throttleBackoff": {"type": "fixed", "delay": "3s"},
                           "budget": {"type": "ratio", "retriesPerSuccess": 0.2, "retriesPerSecond": 5},
                           "hintCeiling": "30s", "deadline": "10s", "attemptTimeout": "1500ms",
                           "hedging": {"delay": "200ms", "maxHedges": 2}, "idempotent": true}
                          """));
              assertThat(registry.get("search").strategy())
                  .isInstanceOf(AdaptiveRetryStrategy.class);
              assertThat(registry.get("search").operation().idempotent()).isTrue();
            });
  }

  @Test
  void aWholeDocumentIsAPolicyAndPropertiesReplaceItsFields() {
    runner
        .withPropertyValues(
            "reprise.retry.search.policy={\"strategy\": \"standard\", \"maxAttempts\": 5,"
                + " \"deadline\": \"9s\"}",
            "reprise.retry.search.max-attempts=6")
        .run(
            context -> {
              StrategyPolicy policy =
                  (StrategyPolicy) context.getBean(RetryRegistry.class).policy("search");
              assertThat(policy.maxAttempts()).isEqualTo(6);
              assertThat(policy.calls().deadline()).isEqualTo(Duration.ofSeconds(9));
            });
  }

  @Test
  void wrongValuesFailTheStartAndAllAreNamedWithTheirRules() {
    runner
        .withPropertyValues(
            "reprise.retry.payment-api.max-attempts=0",
            "reprise.retry.payment-api.budget.type=token-bucket",
            "reprise.retry.payment-api.budget.capacity-token=5",
            "reprise.retry.payment-api.attempt-timeout=-3s")
        .run(
            context -> {
              assertThat(context).hasFailed();
              FailureAnalysis analysis =
                  new RetryPropertyFailureAnalyzer().analyze(context.getStartupFailure());
              assertThat(analysis.getDescription())
                  .contains("reprise.retry.payment-api.max-attempts is 0: must be")
                  .contains("reprise.retry.payment-api.budget.capacity-token is 5: no such field")
                  .contains("reprise.retry.payment-api.attempt-timeout is \"-3s\": must be");
            });
  }

  @Test
  void anUnknownPresetFailsTheStartAndTheOnesThatThereAreAreNamed() {
    runner
        .withPropertyValues("reprise.retry.search.policy=aws-standart")
        .run(
            context ->
                assertThat(context.getStartupFailure())
                    .rootCause()
                    .hasMessageContaining("\"aws-standart\"")
                    .hasMessageContaining("aws-standard"));
  }

  @Test
  void anUnknownPresetIsNamedByTheProperty() {
    runner
        .withPropertyValues(
            "reprise.retry.search.policy=aws-standart", "reprise.retry.search.deadline=5s")
        .run(
            context ->
                assertThat(context.getStartupFailure())
                    .hasStackTraceContaining(
                        "reprise.retry.search.policy is \"aws-standart\": must be"));
  }

  @Test
  void aFieldOfADocumentIsNamedAsItsAuthorWroteIt() {
    runner
        .withPropertyValues(
            "reprise.retry.search.policy={\"strategy\": \"standard\", \"maxAttempts\": 0}",
            "reprise.retry.search.deadline=5s")
        .run(
            context ->
                assertThat(context.getStartupFailure())
                    .hasStackTraceContaining(
                        "reprise.retry.search.policy: maxAttempts is 0: must be"));
  }

  @Test
  void aNumberWithoutAUnitIsNoDuration() {
    runner
        .withPropertyValues("reprise.retry.search.deadline=10")
        .run(
            context ->
                assertThat(context.getStartupFailure())
                    .hasStackTraceContaining("reprise.retry.search.deadline is 10: must be"));
  }

  @Test
  void aDocumentThatIsNotJsonFailsTheStart() {
    runner
        .withPropertyValues(
            "reprise.retry.search.policy={\"maxAttempts\": }", "reprise.retry.search.deadline=5s")
        .run(
            context ->
                assertThat(context.getStartupFailure())
                    .rootCause()
                    .hasStackTraceContaining("reprise.retry.search.policy is not readable"));
  }

  @Test
  void anUnknownNameTellsTheOnesThatThereAre() {
    runner
        .withPropertyValues("reprise.retry.search.policy=aws-standard")
        .run(
            context ->
                assertThatThrownBy(() -> context.getBean(RetryRegistry.class).get("serach"))
                    .isInstanceOf(IllegalArgumentException.class)
                    .hasMessage(
                        "retry is \"serach\": must be one of [search], or be described by"
                            + " reprise.retry.serach.*"));
  }

  @Test
  void beansOfTheApplicationTakePart() {
    runner
        .withUserConfiguration(Application.class)
        .withPropertyValues("reprise.retry.search.max-attempts=2")
        .run(
            context -> {
              var down = new ScriptedOperation<String>().failsAlways(Conflict::new);
              assertThatThrownBy(() -> context.getBean("searchRetry", Retry.class).call(down::call))
                  .isInstanceOf(Conflict.class)
                  .satisfies(
                      failure ->
                          assertThat(RetryStoppedException.of(failure).reason())
                              .isEqualTo(StopReason.ATTEMPTS));
              assertThat(down.calls()).isEqualTo(2);
              assertThat(context.getBean(RecordingListener.class).events()).hasSize(2);
              assertThat(context.getBean(VirtualTime.class).waits()).hasSize(1);
            });
  }

  @Test
  void metersAreCountedWhereThereIsARegistry() {
    runner
        .withUserConfiguration(Application.class, Meters.class)
        .withPropertyValues("reprise.retry.search.max-attempts=2")
        .run(
            context -> {
              var refused =
                  new ScriptedOperation<String>().fails(1, ConnectException::new).succeeds("ok");
              context.getBean("searchRetry", Retry.class).call(refused::call);
              assertThat(
                      context
                          .getBean(MeterRegistry.class)
                          .get("reprise.retry.attempts")
                          .tags("name", "search", "outcome", "failure")
                          .counter()
                          .count())
                  .isEqualTo(1);
            });
  }

  @Test
  void theBalanceOfEveryBudgetIsAMeter() {
    runner
        .withUserConfiguration(Meters.class)
        .withPropertyValues(
            "reprise.retry.search.policy=aws-standard", "reprise.retry.never.policy=no-retry")
        .run(
            context -> {
              MeterRegistry meters = context.getBean(MeterRegistry.class);
              assertThat(meters.get("reprise.retry.budget.balance").gauges())
                  .singleElement()
                  .satisfies(
                      gauge -> {
                        assertThat(gauge.getId().getTag("name")).isEqualTo("search");
                        assertThat(gauge.value()).isEqualTo(500);
                      });
            });
  }

  @Test
  void withoutOptionalLibrariesTheApplicationStartsToo() {
    runner
        .withClassLoader(
            new FilteredClassLoader(
                Endpoint.class,
                MeterRegistry.class,
                RetryMetrics.class,
                RestClientResponseException.class))
        .withPropertyValues("reprise.retry.search.policy=no-retry")
        .run(
            context -> {
              assertThat(context).hasNotFailed().doesNotHaveBean(RetryListener.class);
              assertThat(context.getBean("searchRetry", Retry.class).call(() -> "ok"))
                  .isEqualTo("ok");
            });
  }

  @Test
  void whereTheEndpointIsNotExposedNothingIsCountedForIt() {
    runner
        .withPropertyValues("reprise.retry.search.policy=aws-standard")
        .run(context -> assertThat(context).doesNotHaveBean(RetryCounts.class));
  }

  @Test
  void withoutPropertiesThereAreNoRetries() {
    runner.run(context -> assertThat(context.getBean(RetryRegistry.class).names()).isEmpty());
  }

  private static final class Conflict extends RuntimeException {
    private static final long serialVersionUID = 1;
  }

  @Configuration(proxyBeanMethods = false)
  static class Application {
    @Bean
    FailureRule conflicts() {
      return FailureRule.retryOn(Conflict.class);
    }

    @Bean
    RecordingListener listener() {
      return new RecordingListener();
    }

    @Bean
    VirtualTime time() {
      return new VirtualTime();
    }

    @Bean
    RetryCustomizer onVirtualTime(VirtualTime time) {
      return (name, builder) -> builder.time(time);
    }
  }

  @Configuration(proxyBeanMethods = false)
  static class Meters {
    @Bean
    MeterRegistry meterRegistry() {
      return new SimpleMeterRegistry();
    }
  }
}
