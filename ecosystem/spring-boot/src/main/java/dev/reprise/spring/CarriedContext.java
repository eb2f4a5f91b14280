package dev.reprise.spring;

import dev.reprise.core.retry.ContextCapture;
import io.micrometer.context.ContextRegistry;
import io.micrometer.context.ThreadLocalAccessor;
import java.util.List;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;
import org.springframework.util.ClassUtils;

/**
 * The context that retries carry from the thread of their callers to other threads.
 *
 * @param captures the beans, the outermost first
 */
record CarriedContext(List<ContextCapture> captures) {
  private static final String MICROMETER = "dev.reprise.micrometer.MicrometerContext";
  private static final String PROPAGATION = "io.micrometer.context.ContextSnapshotFactory";

  /** Returns what captures all of it, or null when nothing is carried. */
  @Nullable ContextCapture joined() {
    return captures.stream().reduce(ContextCapture::and).orElse(null);
  }

  /** Returns what is carried, as the log says it when the application starts. */
  @Override
  public String toString() {
    return captures.isEmpty()
        ? "Attempts on other threads than the caller's have none of its context (MDC, security"
            + " context, trace): for that, "
            + missing()
            + ", or define a bean of type ContextCapture"
        : "Attempts on other threads than the caller's have of its context: "
            + captures.stream().map(CarriedContext::name).collect(Collectors.joining(", "));
  }

  private static String missing() {
    return ClassUtils.isPresent(PROPAGATION, CarriedContext.class.getClassLoader())
        ? "add dev.reprise:reprise-micrometer"
        : "add io.micrometer:context-propagation and dev.reprise:reprise-micrometer";
  }

  /** Knows that of Micrometer by its name, since the library may be missing. */
  private static String name(ContextCapture capture) {
    String className = capture.getClass().getName();
    return className.equals(MICROMETER)
        ? Registered.threadLocals()
        : "what " + className + " captures";
  }

  /** Loaded only where the library is. */
  private static final class Registered {
    /** Returns the keys under which libraries and the program have registered. */
    static String threadLocals() {
      List<String> keys =
          ContextRegistry.getInstance().getThreadLocalAccessors().stream()
              .map(ThreadLocalAccessor::key)
              .map(String::valueOf)
              .sorted()
              .toList();
      return "the thread-locals " + keys + " of Micrometer's ContextRegistry";
    }
  }
}
