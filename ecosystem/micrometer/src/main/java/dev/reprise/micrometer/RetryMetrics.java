package dev.reprise.micrometer;

import dev.reprise.core.budget.RetryBudget;
import dev.reprise.core.retry.RetryEvent;
import dev.reprise.core.retry.RetryListener;
import io.micrometer.core.instrument.Gauge;
import io.micrometer.core.instrument.MeterRegistry;
import java.util.Objects;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentMap;
import java.util.function.ToDoubleFunction;

/**
 * Counts what retries do.
 *
 * <pre>{@code
 * Retry retry = Retry.builder().name("payments").listener(new RetryMetrics(registry)).build();
 * }</pre>
 *
 * <table>
 *   <caption>The meters; each has the tag {@code name}, the name of the {@code Retry}</caption>
 *   <tr><th>meter<th>type<th>further tags<th>what it counts
 *   <tr><td>{@code reprise.retry.attempts}<td>counter<td>{@code outcome}: {@code success}, {@code
 *       failure}, {@code superseded}<td>attempts that were made. A hedge that lost is {@code
 *       superseded}
 *   <tr><td>{@code reprise.retry.operations}<td>counter<td>{@code outcome}: {@code success}, {@code
 *       failure}; {@code reason}: {@code none}, or the {@link dev.reprise.core.StopReason} in lower
 *       case<td>operations that ended
 *   <tr><td>{@code reprise.retry.attempts.per.operation}<td>summary<td>{@code outcome}<td>which
 *       attempt ended the operation; 1 is no retry
 *   <tr><td>{@code reprise.retry.delay}<td>timer<td>–<td>retries, and the delay before each
 *   <tr><td>{@code reprise.retry.budget.balance}, {@code reprise.retry.budget.capacity}<td>gauge
 *       <td>–<td>tokens; see {@link #watchBudget}
 * </table>
 *
 * <p>Attempts divided by operations is how much load retries add: 1.0 is none. Scopes and failures
 * are no tags, for there can be any number of them. All series of a name are there from its first
 * event on, so that a rate does not miss the first failure. One object serves any number of {@code
 * Retry}s; thread-safe.
 */
public final class RetryMetrics implements RetryListener {
  private static final double MILLI_TOKENS_PER_TOKEN = 1000;

  private final MeterRegistry registry;
  private final ConcurrentMap<String, NamedMeters> metersByName = new ConcurrentHashMap<>();

  /** Creates a listener that has counted nothing yet. */
  public RetryMetrics(MeterRegistry registry) {
    this.registry = Objects.requireNonNull(registry, "registry");
  }

  @Override
  public void onAttempt(RetryEvent event) {
    NamedMeters meters = metersByName.get(event.name());
    if (meters == null) {
      meters = metersByName.computeIfAbsent(event.name(), name -> new NamedMeters(registry, name));
    }
    meters.count(event);
  }

  /**
   * Shows what is left of a budget. Its balance is the first thing to look at when retries are
   * refused for {@link dev.reprise.core.StopReason#BUDGET}.
   *
   * @param name the tag {@code name}: that of the {@code Retry}, or of whatever shares the budget
   */
  public void watchBudget(String name, RetryBudget budget) {
    gauge(
        "reprise.retry.budget.balance",
        "Tokens that are left for retries",
        name,
        budget,
        watched -> watched.balanceMilliTokens(System.nanoTime()) / MILLI_TOKENS_PER_TOKEN);
    gauge(
        "reprise.retry.budget.capacity",
        "The most tokens that the budget can hold",
        name,
        budget,
        watched -> watched.capacityMilliTokens() / MILLI_TOKENS_PER_TOKEN);
  }

  private void gauge(
      String meter,
      String description,
      String name,
      RetryBudget budget,
      ToDoubleFunction<RetryBudget> tokens) {
    Gauge.builder(meter, budget, tokens)
        .description(description)
        .baseUnit("tokens")
        .tag("name", name)
        .strongReference(true)
        .register(registry);
  }
}
