package dev.reprise.policy;

import dev.reprise.core.backoff.AtCap;
import dev.reprise.core.backoff.Backoff;
import dev.reprise.core.backoff.BackoffFunction;
import dev.reprise.core.backoff.BackoffSequence;
import dev.reprise.core.backoff.CappedBackoff;
import dev.reprise.core.backoff.DecorrelatedJitterBackoff;
import dev.reprise.core.backoff.EqualJitterBackoff;
import dev.reprise.core.backoff.ExponentialBackoffWithJitter;
import dev.reprise.core.backoff.FixedBackoff;
import dev.reprise.core.backoff.FullJitterBackoff;
import dev.reprise.core.backoff.LinearBackoff;
import dev.reprise.core.backoff.ProportionalJitterBackoff;
import dev.reprise.core.backoff.StagedBackoff;
import dev.reprise.core.backoff.TruncatedExponentialBackoff;
import java.math.BigDecimal;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import tools.jackson.databind.JsonNode;

/** Reads the backoff of a document, in the names of {@link BackoffType}. */
final class BackoffReader {
  private static final BigDecimal MOST = BigDecimal.valueOf(Double.MAX_VALUE);

  /** Stands for a backoff that breaks a rule. */
  private static final Backoff SOME = Backoff.fixed(Duration.ofSeconds(1));

  private final Checks checks;

  BackoffReader(Checks checks) {
    this.checks = checks;
  }

  /** Returns the backoff, or null when it breaks a rule. */
  @Nullable Backoff read(String path, JsonNode value) {
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

  private @Nullable Backoff readPart(String path, JsonNode object, BackoffType type) {
    return switch (type) {
      case NONE -> Backoff.none();
      case FIXED -> capped(path, object, fixed(path, object));
      case LINEAR -> {
        Duration base = checks.requiredDuration(path, object, "base");
        Duration step = checks.requiredDuration(path, object, "step");
        Duration cap = checks.requiredDuration(path, object, BackoffType.CAP);
        yield base == null || step == null || cap == null
            ? null
            : made(path, object, () -> new LinearBackoff(base, step, cap));
      }
      case EXPONENTIAL -> {
        Duration base = checks.requiredDuration(path, object, "base");
        Double factor = checks.number(path, object, "factor", 2, MOST);
        Duration cap = checks.requiredDuration(path, object, BackoffType.CAP);
        yield base == null || factor == null || cap == null
            ? null
            : made(path, object, () -> Backoff.exponential(base, factor, cap));
      }
      case EXPONENTIAL_WITH_JITTER -> documented(path, object);
      case TRUNCATED_EXPONENTIAL -> {
        Duration maximum = checks.requiredDuration(path, object, "maximumBackoff");
        AtCap atCap = atCap(path, object);
        yield maximum == null || atCap == null
            ? null
            : made(path, object, () -> new TruncatedExponentialBackoff(maximum, atCap));
      }
      case DECORRELATED_JITTER -> {
        Duration base = checks.requiredDuration(path, object, "base");
        Duration cap = checks.requiredDuration(path, object, BackoffType.CAP);
        yield base == null || cap == null
            ? null
            : made(path, object, () -> new DecorrelatedJitterBackoff(base, cap));
      }
      case STAGED -> capped(path, object, staged(path, object));
    };
  }

  private @Nullable Backoff fixed(String path, JsonNode object) {
    Duration delay = checks.requiredDuration(path, object, "delay");
    return delay == null ? null : new FixedBackoff(delay);
  }

  private @Nullable Backoff documented(String path, JsonNode object) {
    ExponentialBackoffWithJitter standard = ExponentialBackoffWithJitter.builder().build();
    Duration interval = delayOr(path, object, "interval", standard.interval());
    Duration min = delayOr(path, object, "minDelay", standard.minDelay());
    Duration max = delayOr(path, object, "maxDelay", standard.maxDelay());
    Double down = checks.number(path, object, "jitterDown", standard.jitterDown(), MOST);
    Double up = checks.number(path, object, "jitterUp", standard.jitterUp(), MOST);
    AtCap atCap = atCap(path, object);
    if (interval == null
        || min == null
        || max == null
        || down == null
        || up == null
        || atCap == null) {
      return null;
    }
    return made(
        path,
        object,
        () ->
            ExponentialBackoffWithJitter.builder()
                .interval(interval)
                .delays(min, max)
                .jitter(down, up)
                .atCap(atCap)
                .build());
  }

  private @Nullable Backoff staged(String path, JsonNode object) {
    Integer noDelay = retries(path, object, "noDelayRetries");
    Integer min = retries(path, object, "minDelayRetries");
    Integer growing = retries(path, object, "backoffRetries");
    Integer max = retries(path, object, "maxDelayRetries");
    Duration minDelay = checks.requiredDuration(path, object, "minDelay");
    Duration maxDelay = checks.requiredDuration(path, object, "maxDelay");
    BackoffFunction function = function(path, object);
    if (noDelay == null
        || min == null
        || growing == null
        || max == null
        || minDelay == null
        || maxDelay == null
        || function == null) {
      return null;
    }
    return made(
        path,
        object,
        () -> new StagedBackoff(noDelay, min, growing, max, minDelay, maxDelay, function));
  }

  /** Puts a cap on a backoff whose formula has none. */
  private @Nullable Backoff capped(String path, JsonNode object, @Nullable Backoff backoff) {
    if (!object.has(BackoffType.CAP)) {
      return backoff;
    }
    Duration cap = checks.requiredDuration(path, object, BackoffType.CAP);
    return backoff == null || cap == null ? null : new CappedBackoff(backoff, cap);
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

  private @Nullable Integer retries(String path, JsonNode object, String field) {
    JsonNode value = object.get(field);
    return value == null
        ? Integer.valueOf(0)
        : checks.whole(Checks.join(path, field), value, 0, Integer.MAX_VALUE, "must be at least 0");
  }

  private @Nullable Duration delayOr(
      String path, JsonNode object, String field, Duration standard) {
    JsonNode value = object.get(field);
    return value == null ? standard : checks.duration(Checks.join(path, field), value);
  }

  private @Nullable AtCap atCap(String path, JsonNode object) {
    JsonNode value = object.get(BackoffType.AT_CAP);
    if (value == null) {
      return AtCap.CONSTANT;
    }
    AtCap atCap = value.isString() ? BackoffType.atCap(value.stringValue()) : null;
    if (atCap == null) {
      checks.complain(Checks.join(path, BackoffType.AT_CAP), value, "must be constant or jitter");
    }
    return atCap;
  }

  private @Nullable BackoffFunction function(String path, JsonNode object) {
    JsonNode value = object.get("function");
    if (value == null) {
      return BackoffFunction.LINEAR;
    }
    BackoffFunction function = value.isString() ? FunctionNames.read(value.stringValue()) : null;
    if (function == null) {
      checks.complain(Checks.join(path, "function"), value, FunctionNames.RULE);
    }
    return function;
  }

  private <T> @Nullable T made(String path, JsonNode object, Supplier<T> maker) {
    return checks.made(path, object, maker);
  }
}
