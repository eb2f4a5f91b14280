package dev.reprise.spring;

import dev.reprise.core.retry.ContextCapture;
import java.util.List;
import java.util.stream.Collectors;
import org.apache.commons.logging.Log;
import org.apache.commons.logging.LogFactory;
import org.jspecify.annotations.Nullable;
import org.springframework.beans.factory.ObjectProvider;
import org.springframework.beans.factory.SmartInitializingSingleton;
import org.springframework.util.ClassUtils;

/**
 * The context that retries carry from the thread of their callers to other threads. The log says it
 * when all singletons of the application have been made, for these may register thread-locals.
 */
final class CarriedContext implements SmartInitializingSingleton {
  private static final Log LOG = LogFactory.getLog(CarriedContext.class);
  private static final String PROPAGATION = "io.micrometer.context.ContextSnapshotFactory";

  private final ObjectProvider<ContextCapture> captures;
  private final ObjectProvider<RetryCustomizer> customizers;
  private final RepriseProperties properties;

  CarriedContext(
      ObjectProvider<ContextCapture> captures,
      ObjectProvider<RetryCustomizer> customizers,
      RepriseProperties properties) {
    this.captures = captures;
    this.customizers = customizers;
    this.properties = properties;
  }

  /** Returns what captures all of it, or null when nothing is carried. */
  @Nullable ContextCapture joined() {
    return captures.orderedStream().reduce(ContextCapture::and).orElse(null);
  }

  @Override
  public void afterSingletonsInstantiated() {
    if (!properties.retry().isEmpty()) {
      LOG.info(this);
    }
  }

  /** Returns what is known of it: a customizer may set another context, which nobody can see. */
  @Override
  public String toString() {
    List<ContextCapture> beans = captures.orderedStream().toList();
    return (beans.isEmpty()
            ? "Attempts on other threads than the caller's have nothing of its context (MDC,"
                + " security context, trace): for that, "
                + missing()
                + ", or define a bean of type ContextCapture"
            : "Attempts on other threads than the caller's have of its context what these capture: "
                + beans.stream().map(String::valueOf).collect(Collectors.joining("; ")))
        + (customizers.stream().findAny().isPresent()
            ? "; unless a RetryCustomizer sets a context"
            : "");
  }

  private static String missing() {
    return ClassUtils.isPresent(PROPAGATION, CarriedContext.class.getClassLoader())
        ? "add dev.reprise:reprise-micrometer"
        : "add io.micrometer:context-propagation and dev.reprise:reprise-micrometer";
  }
}
