package dev.reprise.policy;

import java.util.Locale;
import org.jspecify.annotations.Nullable;

/** The strategy that decides whether there is a retry. */
public enum StrategyKind {
  /** Bounded attempts, delays, and a budget (Smithy guide "Retrying Requests"). */
  STANDARD,

  /** The same, and attempts are sent no faster than the other side has been able to take them. */
  ADAPTIVE,

  /** No retries at all. */
  NONE;

  /** Returns the name in documents: {@code standard}, {@code adaptive}, {@code none}. */
  public String wireName() {
    return name().toLowerCase(Locale.ROOT);
  }

  static @Nullable StrategyKind read(String name) {
    for (StrategyKind kind : values()) {
      if (kind.wireName().equals(name)) {
        return kind;
      }
    }
    return null;
  }
}
