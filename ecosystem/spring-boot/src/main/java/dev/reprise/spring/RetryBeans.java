package dev.reprise.spring;

import dev.reprise.core.retry.Retry;
import org.springframework.beans.factory.BeanRegistrar;
import org.springframework.beans.factory.BeanRegistry;
import org.springframework.core.env.Environment;

/** Registers each retry that the properties describe as a bean of its own. */
final class RetryBeans implements BeanRegistrar {
  RetryBeans() {}

  @Override
  public void register(BeanRegistry registry, Environment environment) {
    // Only the names are needed here. The values are read once, by the registry bean.
    RetryPropertyNames.retries(environment).keySet().forEach(name -> register(registry, name));
  }

  private static void register(BeanRegistry registry, String name) {
    registry.registerBean(
        beanName(name),
        Retry.class,
        bean ->
            bean.description("reprise.retry." + name)
                .supplier(context -> context.bean(RetryRegistry.class).get(name)));
  }

  /** Returns {@code paymentApiRetry} for {@code payment-api}. */
  static String beanName(String name) {
    return PropertiesPolicy.camel(name) + "Retry";
  }
}
