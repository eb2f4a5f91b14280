package dev.reprise.lab.scenario;

import dev.reprise.core.InvalidSettingException;
import dev.reprise.policy.Policy;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Objects;

/**
 * A situation and the policies that are tried in it. Immutable and thread-safe.
 *
 * @param name short, for headings and files
 * @param description what happens and what to look for; may be empty
 * @param model what is simulated
 * @param policies the policies to compare by name, at least one, in the order of the report
 * @param seed of the first run; run i has seed + i. All policies see the same randomness
 * @param runs how often each policy is run, 1 to 10,000
 */
public record Scenario(
    String name,
    String description,
    Model model,
    Map<String, Policy> policies,
    long seed,
    int runs) {
  /** Checks the arguments; throws {@link IllegalArgumentException} naming the one that is wrong. */
  public Scenario {
    Objects.requireNonNull(name, "name");
    Objects.requireNonNull(description, "description");
    Objects.requireNonNull(model, "model");
    policies = Collections.unmodifiableMap(new LinkedHashMap<>(policies));
    if (policies.isEmpty()) {
      throw new InvalidSettingException("policies", "empty", "must have at least one");
    }
    Require.between("runs", runs, 1, 10_000);
  }
}
