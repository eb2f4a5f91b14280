package dev.reprise.policy.backoff;

import dev.reprise.core.InvalidSettingException;
import dev.reprise.core.backoff.Backoff;
import dev.reprise.core.backoff.BackoffSequence;
import dev.reprise.core.backoff.CappedBackoff;
import dev.reprise.core.backoff.EqualJitterBackoff;
import dev.reprise.core.backoff.FullJitterBackoff;
import dev.reprise.core.backoff.ProportionalJitterBackoff;
import dev.reprise.policy.document.DurationText;
import org.jspecify.annotations.Nullable;
import tools.jackson.databind.node.ObjectNode;

/** Writes backoffs as {@link BackoffReader} reads them, every field written out. */
public final class BackoffWriter {
  private BackoffWriter() {}

  /** Returns true when a document can hold the backoff. */
  public static boolean canWrite(Backoff backoff) {
    return node(backoff) != null;
  }

  public static ObjectNode write(Backoff backoff) {
    ObjectNode node = node(backoff);
    if (node == null) {
      throw new InvalidSettingException("backoff", backoff, "is in no document");
    }
    return node;
  }

  private static @Nullable ObjectNode node(Backoff backoff) {
    if (!(backoff instanceof BackoffSequence sequence)) {
      return part(backoff);
    }
    ObjectNode first = part(sequence.first());
    ObjectNode next = node(sequence.next());
    if (first == null || next == null) {
      return null;
    }
    first.put(BackoffType.RETRIES, sequence.firstRetries());
    first.set(BackoffType.THEN, next);
    return first;
  }

  private static @Nullable ObjectNode part(Backoff backoff) {
    Backoff inner = BackoffParts.withoutJitter(backoff);
    Backoff formula = BackoffParts.withoutCap(inner);
    BackoffType type = backoff.equals(Backoff.none()) ? BackoffType.NONE : BackoffType.of(formula);
    if (type == null) {
      return null;
    }
    ObjectNode node = type.write(formula);
    if (inner instanceof CappedBackoff capped) {
      // Formulas with a cap of their own have no second one.
      if (!type.takesCap()) {
        return null;
      }
      node.put(BackoffType.CAP, DurationText.exact(capped.cap()));
    }
    if (inner == backoff) {
      return node;
    }
    if (!type.takesJitter()) {
      return null;
    }
    if (backoff instanceof FullJitterBackoff) {
      return node.put(BackoffType.JITTER, BackoffType.FULL);
    }
    if (backoff instanceof EqualJitterBackoff) {
      return node.put(BackoffType.JITTER, BackoffType.EQUAL);
    }
    return node.put(BackoffType.JITTER, ((ProportionalJitterBackoff) backoff).share());
  }
}
