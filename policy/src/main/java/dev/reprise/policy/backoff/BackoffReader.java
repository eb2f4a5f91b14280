package dev.reprise.policy.backoff;

import dev.reprise.core.backoff.Backoff;
import dev.reprise.core.backoff.BackoffSequence;
import dev.reprise.core.backoff.CappedBackoff;
import dev.reprise.core.backoff.EqualJitterBackoff;
import dev.reprise.core.backoff.FullJitterBackoff;
import dev.reprise.core.backoff.ProportionalJitterBackoff;
import dev.reprise.policy.document.Checks;
import java.math.BigDecimal;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;
import tools.jackson.databind.JsonNode;

/** Reads the backoff of a document, in the names of {@link BackoffType}. */
public final class BackoffReader {
  /** Stands for a backoff that breaks a rule. */
  private static final Backoff SOME = Backoff.fixed(Duration.ofSeconds(1));

  private final Checks checks;

  public BackoffReader(Checks checks) {
    this.checks = checks;
  }

  /** Returns the backoff, or null when it breaks a rule. */
  public @Nullable Backoff read(String path, JsonNode value) {
    if (!value.isObject()) {
      checks.complain(path, value, "must be an object with a type");
      return null;
    }
    JsonNode typeNode = value.get(BackoffType.TYPE);
    BackoffType type =
        typeNode != null && typeNode.isString() ? BackoffType.read(typeNode.stringValue()) : null;
    if (type == null) {
      String rule = "must be one of " + BackoffType.all();
      if (typeNode == null) {
        checks.missing(Checks.join(path, BackoffType.TYPE), rule);
      } else {
        checks.complain(Checks.join(path, BackoffType.TYPE), typeNode, rule);
      }
      return null;
    }
    int before = checks.count();
    List<String> known = new ArrayList<>(type.fields());
    if (!type.takesJitter() && value.has(BackoffType.JITTER)) {
      known.add(BackoffType.JITTER);
      checks.complain(
          Checks.join(path, BackoffType.JITTER),
          value.get(BackoffType.JITTER),
          "must not be given: " + type.wireName() + " says itself what is drawn");
    }
    checks.rejectUnknown(path, value, known);
    Backoff part = readPart(path, value, type);
    if (type.takesJitter()) {
      // Also beside a part that is wrong, so that a mistake of the jitter is named with the others.
      Backoff jittered = withJitter(path, value, part == null ? SOME : part);
      part = part == null ? null : jittered;
    }
    Backoff whole = readSequence(path, value, part);
    return checks.count() > before ? null : whole;
  }

  /** Reads the formula, and the cap on one that has none of its own. */
  private @Nullable Backoff readPart(String path, JsonNode object, BackoffType type) {
    Backoff formula = type.formula().read(checks, path, object);
    if (!type.takesCap() || !object.has(BackoffType.CAP)) {
      return formula;
    }
    Duration cap = checks.duration(Checks.join(path, BackoffType.CAP), object.get(BackoffType.CAP));
    return formula == null || cap == null ? null : new CappedBackoff(formula, cap);
  }

  private @Nullable Backoff withJitter(String path, JsonNode object, Backoff backoff) {
    JsonNode jitter = object.get(BackoffType.JITTER);
    if (jitter == null) {
      return backoff;
    }
    return switch (jitter.isString() ? jitter.stringValue() : "") {
      case BackoffType.NO_JITTER -> backoff;
      case BackoffType.FULL -> new FullJitterBackoff(backoff);
      case BackoffType.EQUAL -> new EqualJitterBackoff(backoff);
      default -> withShare(Checks.join(path, BackoffType.JITTER), jitter, backoff);
    };
  }

  private @Nullable Backoff withShare(String path, JsonNode jitter, Backoff backoff) {
    if (!jitter.isNumber()) {
      checks.complain(path, jitter, "must be none, full, equal, or a share between 0 and 1");
      return null;
    }
    BigDecimal share = checks.decimal(path, jitter, BigDecimal.ZERO, BigDecimal.ONE);
    return share == null ? null : new ProportionalJitterBackoff(backoff, share.doubleValue());
  }

  private @Nullable Backoff readSequence(String path, JsonNode object, @Nullable Backoff first) {
    JsonNode then = object.get(BackoffType.THEN);
    JsonNode count = object.get(BackoffType.RETRIES);
    Integer retries =
        count == null
            ? null
            : checks.whole(
                Checks.join(path, BackoffType.RETRIES),
                count,
                1,
                Integer.MAX_VALUE,
                "must be at least 1");
    if (then == null) {
      if (count != null) {
        checks.missing(
            Checks.join(path, BackoffType.THEN), "must be the backoff of what follows the retries");
      }
      return first;
    }
    if (count == null) {
      checks.missing(
          Checks.join(path, BackoffType.RETRIES), "must be how many retries come before then");
    }
    Backoff next = read(Checks.join(path, BackoffType.THEN), then);
    return first == null || retries == null || next == null
        ? null
        : new BackoffSequence(first, retries, next);
  }
}
