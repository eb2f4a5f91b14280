package dev.reprise.micrometer;

import dev.reprise.core.retry.ContextCapture;
import io.micrometer.context.ContextRegistry;
import io.micrometer.context.ContextSnapshot;
import io.micrometer.context.ContextSnapshotFactory;
import java.util.Objects;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/**
 * Carries the thread-locals that are registered with Micrometer's context propagation to the
 * threads on which attempts and listeners run that do not run on the caller's. Needs {@code
 * io.micrometer:context-propagation} on the class path.
 *
 * <pre>{@code
 * ContextRegistry.getInstance().registerThreadLocalAccessor(new Slf4jThreadLocalAccessor());
 * Retry retry = Retry.builder().context(MicrometerContext.ofCaller()).build();
 * }</pre>
 *
 * <p>Libraries register what is theirs: Micrometer the current observation, and with it the span;
 * Spring Security the security context. The MDC is registered by the program, as above. A
 * thread-local that is registered and empty at the caller is empty in the attempt, whatever its
 * thread did before; afterwards the thread has what it had. Immutable and thread-safe.
 */
public final class MicrometerContext implements ContextCapture {
  private final ContextSnapshotFactory factory;
  private final @Nullable ContextRegistry registry;

  private MicrometerContext(ContextSnapshotFactory factory, @Nullable ContextRegistry registry) {
    this.factory = factory;
    this.registry = registry;
  }

  /** Returns what captures all that is registered with the registry of the program. */
  public static MicrometerContext ofCaller() {
    ContextRegistry registry = ContextRegistry.getInstance();
    return new MicrometerContext(
        ContextSnapshotFactory.builder().contextRegistry(registry).clearMissing(true).build(),
        registry);
  }

  /** Returns what captures by this factory, for another registry or for some of its keys. */
  public static MicrometerContext of(ContextSnapshotFactory factory) {
    return new MicrometerContext(Objects.requireNonNull(factory, "factory"), null);
  }

  @Override
  public Snapshot capture() {
    ContextSnapshot captured = factory.captureAll();
    return task -> captured.wrap(task).run();
  }

  /**
   * Returns the keys of the thread-locals that are registered now. Those that are registered later
   * are captured as well. A factory that was given does not tell its keys.
   */
  @Override
  public String toString() {
    if (registry == null) {
      return "MicrometerContext of a factory of the program";
    }
    return registry.getThreadLocalAccessors().stream()
        .map(accessor -> String.valueOf(accessor.key()))
        .sorted()
        .collect(
            Collectors.joining(
                ", ", "MicrometerContext of the thread-locals that are registered so far [", "]"));
  }
}
