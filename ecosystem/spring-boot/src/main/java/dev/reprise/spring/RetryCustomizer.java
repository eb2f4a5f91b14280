package dev.reprise.spring;

import dev.reprise.core.retry.RetryBuilder;

/**
 * Adds to the retries of this application what no property can say: listeners for one of them, an
 * executor, a context, rules for results. Every bean of this type is called once for each retry, in
 * their order, when the application starts.
 */
@FunctionalInterface
public interface RetryCustomizer {
  /**
   * Changes the settings of a retry.
   *
   * @param name the name in the properties
   * @param builder has the settings of the properties and all listener beans
   */
  void customize(String name, RetryBuilder builder);
}
