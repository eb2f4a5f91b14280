package dev.reprise.spring;

import dev.reprise.core.classify.Classifier;
import dev.reprise.core.classify.FailureRule;
import dev.reprise.core.retry.ContextCapture;
import dev.reprise.core.retry.RetryBuilder;
import dev.reprise.core.retry.RetryListener;
import dev.reprise.micrometer.MicrometerContext;
import dev.reprise.policy.Policy;
import dev.reprise.spring.RepriseProperties.NamedRetry;
import io.micrometer.context.ContextSnapshotFactory;
import java.util.LinkedHashMap;
import java.util.Map;
import org.springframework.beans.factory.ObjectProvider;
import org.springframework.beans.factory.config.BeanDefinition;
import org.springframework.boot.autoconfigure.AutoConfiguration;
import org.springframework.boot.autoconfigure.condition.ConditionalOnClass;
import org.springframework.boot.autoconfigure.condition.ConditionalOnMissingBean;
import org.springframework.boot.context.properties.EnableConfigurationProperties;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.context.annotation.Import;
import org.springframework.context.annotation.ImportRuntimeHints;
import org.springframework.context.annotation.Role;
import org.springframework.core.annotation.Order;
import org.springframework.web.client.RestClientResponseException;

/**
 * Makes the retries that the properties describe. Beans of type {@link FailureRule} are added to
 * the classifier, beans of type {@link RetryListener} are told of all attempts, beans of type
 * {@link ContextCapture} carry the caller's context to attempts on other threads, and beans of type
 * {@link RetryCustomizer} have the last word.
 */
@AutoConfiguration
@EnableConfigurationProperties(RepriseProperties.class)
@Import(RetryBeans.class)
@ImportRuntimeHints(RepriseRuntimeHints.class)
public final class RepriseAutoConfiguration {
  /** Called by Spring. */
  public RepriseAutoConfiguration() {}

  /** Tells which failures are worth a retry: the default rules, then the beans. */
  @Bean
  @ConditionalOnMissingBean
  Classifier retryClassifier(ObjectProvider<FailureRule> rules) {
    return Classifier.defaults().with(rules.orderedStream().toArray(FailureRule[]::new));
  }

  @Bean
  CarriedContext retryCarriedContext(
      ObjectProvider<ContextCapture> captures,
      ObjectProvider<RetryCustomizer> customizers,
      RepriseProperties properties) {
    return new CarriedContext(captures, customizers, properties);
  }

  @Bean
  @ConditionalOnMissingBean
  RetryRegistry retryRegistry(
      RepriseProperties properties,
      Classifier classifier,
      ObjectProvider<RetryListener> listeners,
      CarriedContext carried,
      ObjectProvider<RetryCustomizer> customizers) {
    ContextCapture context = carried.joined();
    Map<String, RetryRegistry.Entry> entries = new LinkedHashMap<>();
    for (Map.Entry<String, NamedRetry> named : properties.retry().entrySet()) {
      String name = named.getKey();
      Policy policy = PropertiesPolicy.read(name, named.getValue());
      RetryBuilder builder =
          policy
              .toRetryBuilder()
              .name(name)
              .strategy(policy.toStrategy(strategy -> strategy.classifier(classifier)));
      listeners.orderedStream().forEach(builder::listener);
      if (context != null) {
        builder.context(context);
      }
      customizers.orderedStream().forEach(customizer -> customizer.customize(name, builder));
      entries.put(name, new RetryRegistry.Entry(policy, builder.build()));
    }
    return new RetryRegistry(entries);
  }

  @Bean
  @Role(BeanDefinition.ROLE_INFRASTRUCTURE)
  static RetryWithPostProcessor retryWithPostProcessor(ObjectProvider<RetryRegistry> registry) {
    return new RetryWithPostProcessor(registry);
  }

  /** Carries what libraries have registered with Micrometer's context propagation. */
  @Configuration(proxyBeanMethods = false)
  @ConditionalOnClass({MicrometerContext.class, ContextSnapshotFactory.class})
  static class Propagation {
    /** Beside captures of other types: only one of the same type is what the application means. */
    @Bean
    @ConditionalOnMissingBean(MicrometerContext.class)
    MicrometerContext retryContext() {
      return MicrometerContext.ofCaller();
    }
  }

  /** Rules for the failures of Spring's HTTP clients. */
  @Configuration(proxyBeanMethods = false)
  @ConditionalOnClass(RestClientResponseException.class)
  static class HttpClients {
    /** First, so that the rules of the application have the last word. */
    @Bean
    @Order(Integer.MIN_VALUE)
    FailureRule httpStatusRule() {
      return new HttpStatusRule();
    }
  }
}
