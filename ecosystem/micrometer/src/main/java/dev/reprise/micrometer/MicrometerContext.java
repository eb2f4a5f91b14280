package dev.reprise.micrometer;

import dev.reprise.core.retry.ContextCapture;
import io.micrometer.context.ContextRegistry;
import io.micrometer.context.ContextSnapshot;
import io.micrometer.context.ContextSnapshotFactory;
import java.util.Objects;

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

  private MicrometerContext(ContextSnapshotFactory factory) {
    this.factory = factory;
  }

  /** Returns what captures all that is registered with the registry of the program. */
  public static MicrometerContext ofCaller() {
    return of(
        ContextSnapshotFactory.builder()
            .contextRegistry(ContextRegistry.getInstance())
            .clearMissing(true)
            .build());
  }

  /** Returns what captures by this factory, for another registry or for some of its keys. */
  public static MicrometerContext of(ContextSnapshotFactory factory) {
    return new MicrometerContext(Objects.requireNonNull(factory, "factory"));
  }

  @Override
  public Snapshot capture() {
    ContextSnapshot captured = factory.captureAll();
    return task -> captured.wrap(task).run();
  }
}
