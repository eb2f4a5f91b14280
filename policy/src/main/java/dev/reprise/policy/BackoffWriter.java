package dev.reprise.policy;

import dev.reprise.core.InvalidSettingException;
import dev.reprise.core.backoff.Backoff;
import dev.reprise.core.backoff.BackoffSequence;
import dev.reprise.core.backoff.CappedBackoff;
import dev.reprise.core.backoff.DecorrelatedJitterBackoff;
import dev.reprise.core.backoff.EqualJitterBackoff;
import dev.reprise.core.backoff.ExponentialBackoff;
import dev.reprise.core.backoff.ExponentialBackoffWithJitter;
import dev.reprise.core.backoff.FixedBackoff;
import dev.reprise.core.backoff.FullJitterBackoff;
import dev.reprise.core.backoff.LinearBackoff;
import dev.reprise.core.backoff.ProportionalJitterBackoff;
import dev.reprise.core.backoff.StagedBackoff;
import dev.reprise.core.backoff.TruncatedExponentialBackoff;
import java.time.Duration;
import org.jspecify.annotations.Nullable;
import tools.jackson.databind.node.JsonNodeFactory;
import tools.jackson.databind.node.ObjectNode;

/** Writes backoffs as {@link BackoffReader} reads them, every field written out. */
final class BackoffWriter {
  private BackoffWriter() {}

  /** Returns true when a document can hold the backoff. */
  static boolean canWrite(Backoff backoff) {
    return node(backoff) != null;
  }

  static ObjectNode write(Backoff backoff) {
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
    if (backoff.equals(Backoff.none())) {
      return typed(BackoffType.NONE);
    }
    Backoff inner = BackoffParts.withoutJitter(backoff);
    ObjectNode node = formula(BackoffParts.withoutCap(inner));
    if (node == null) {
      return null;
    }
    BackoffType type = BackoffType.of(node);
    if (inner instanceof CappedBackoff capped) {
      // Formulas with a cap of their own have no second one.
      if (node.has(BackoffType.CAP) || !type.fields().contains(BackoffType.CAP)) {
        return null;
      }
      putDelay(node, BackoffType.CAP, capped.cap());
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

  private static @Nullable ObjectNode formula(Backoff backoff) {
    if (backoff instanceof FixedBackoff fixed) {
      return putDelay(typed(BackoffType.FIXED), "delay", fixed.delay());
    }
    if (backoff instanceof LinearBackoff linear) {
      ObjectNode node = typed(BackoffType.LINEAR);
      putDelay(node, "base", linear.base());
      putDelay(node, "step", linear.step());
      return putDelay(node, BackoffType.CAP, linear.cap());
    }
    if (backoff instanceof ExponentialBackoff exponential) {
      ObjectNode node = putDelay(typed(BackoffType.EXPONENTIAL), "base", exponential.base());
      node.put("factor", exponential.factor());
      return putDelay(node, BackoffType.CAP, exponential.cap());
    }
    if (backoff instanceof ExponentialBackoffWithJitter documented) {
      ObjectNode node = typed(BackoffType.EXPONENTIAL_WITH_JITTER);
      putDelay(node, "interval", documented.interval());
      putDelay(node, "minDelay", documented.minDelay());
      putDelay(node, "maxDelay", documented.maxDelay());
      return node.put("jitterDown", documented.jitterDown())
          .put("jitterUp", documented.jitterUp())
          .put(BackoffType.AT_CAP, BackoffType.wireName(documented.atCap()));
    }
    if (backoff instanceof TruncatedExponentialBackoff truncated) {
      ObjectNode node = typed(BackoffType.TRUNCATED_EXPONENTIAL);
      return putDelay(node, "maximumBackoff", truncated.maximumBackoff())
          .put(BackoffType.AT_CAP, BackoffType.wireName(truncated.atCap()));
    }
    if (backoff instanceof DecorrelatedJitterBackoff decorrelated) {
      ObjectNode node = typed(BackoffType.DECORRELATED_JITTER);
      return putDelay(
          putDelay(node, "base", decorrelated.base()), BackoffType.CAP, decorrelated.cap());
    }
    return backoff instanceof StagedBackoff staged ? staged(staged) : null;
  }

  private static ObjectNode staged(StagedBackoff staged) {
    ObjectNode node =
        typed(BackoffType.STAGED)
            .put("noDelayRetries", staged.noDelayRetries())
            .put("minDelayRetries", staged.minDelayRetries())
            .put("backoffRetries", staged.backoffRetries())
            .put("maxDelayRetries", staged.maxDelayRetries());
    putDelay(node, "minDelay", staged.minDelay());
    return putDelay(node, "maxDelay", staged.maxDelay())
        .put("function", staged.function().wireName());
  }

  private static ObjectNode typed(BackoffType type) {
    return JsonNodeFactory.instance.objectNode().put(BackoffType.TYPE, type.wireName());
  }

  private static ObjectNode putDelay(ObjectNode node, String field, Duration delay) {
    return node.put(field, DurationText.exact(delay));
  }
}
