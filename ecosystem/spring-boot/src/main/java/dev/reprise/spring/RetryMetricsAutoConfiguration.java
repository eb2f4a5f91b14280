package dev.reprise.spring;

import dev.reprise.core.budget.RetryBudget;
import dev.reprise.micrometer.RetryMetrics;
import io.micrometer.core.instrument.MeterRegistry;
import org.springframework.beans.factory.SmartInitializingSingleton;
import org.springframework.boot.autoconfigure.AutoConfiguration;
import org.springframework.boot.autoconfigure.condition.ConditionalOnBean;
import org.springframework.boot.autoconfigure.condition.ConditionalOnClass;
import org.springframework.boot.autoconfigure.condition.ConditionalOnMissingBean;
import org.springframework.context.annotation.Bean;

/** Counts what retries do, where {@code reprise-micrometer} and a {@link MeterRegistry} are. */
@AutoConfiguration(
    before = RepriseAutoConfiguration.class,
    afterName =
        "org.springframework.boot.micrometer.metrics.autoconfigure."
            + "CompositeMeterRegistryAutoConfiguration")
@ConditionalOnClass({RetryMetrics.class, MeterRegistry.class})
@ConditionalOnBean(MeterRegistry.class)
public final class RetryMetricsAutoConfiguration {
  /** Called by Spring. */
  public RetryMetricsAutoConfiguration() {}

  @Bean
  @ConditionalOnMissingBean
  RetryMetrics retryMetrics(MeterRegistry registry) {
    return new RetryMetrics(registry);
  }

  /** Shows the budget of every retry, once all of them are made. */
  @Bean
  SmartInitializingSingleton retryBudgetMeters(RetryMetrics metrics, RetryRegistry registry) {
    return () -> registry.names().forEach(name -> watchBudget(metrics, registry, name));
  }

  private static void watchBudget(RetryMetrics metrics, RetryRegistry registry, String name) {
    RetryBudget budget = registry.budget(name);
    if (budget != null) {
      metrics.watchBudget(name, budget);
    }
  }
}
