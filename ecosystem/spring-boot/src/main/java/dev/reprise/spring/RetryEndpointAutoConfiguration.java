package dev.reprise.spring;

import org.springframework.boot.actuate.autoconfigure.endpoint.condition.ConditionalOnAvailableEndpoint;
import org.springframework.boot.actuate.endpoint.annotation.Endpoint;
import org.springframework.boot.autoconfigure.AutoConfiguration;
import org.springframework.boot.autoconfigure.condition.ConditionalOnClass;
import org.springframework.context.annotation.Bean;

/** The actuator endpoint, where the actuator is and the endpoint is exposed. */
@AutoConfiguration(before = RepriseAutoConfiguration.class)
@ConditionalOnClass({Endpoint.class, ConditionalOnAvailableEndpoint.class})
@ConditionalOnAvailableEndpoint(RetryEndpoint.class)
public final class RetryEndpointAutoConfiguration {
  /** Called by Spring. */
  public RetryEndpointAutoConfiguration() {}

  @Bean
  RetryCounts retryCounts() {
    return new RetryCounts();
  }

  @Bean
  RetryEndpoint retryEndpoint(RetryRegistry registry, RetryCounts counts) {
    return new RetryEndpoint(registry, counts);
  }
}
