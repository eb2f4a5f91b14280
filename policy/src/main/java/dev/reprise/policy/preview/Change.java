package dev.reprise.policy.preview;

import dev.reprise.core.backoff.Backoff;
import dev.reprise.core.backoff.BackoffSequence;
import dev.reprise.policy.PolicyDocuments;
import dev.reprise.policy.StrategyPolicy;
import dev.reprise.policy.document.Checks;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.function.UnaryOperator;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.node.ObjectNode;

/**
 * A new value for a field of the policy's document, in the general format. For a notification
 * policy, whose own format has no such fields, it is a whole document of the general format.
 *
 * @param field the path of the field, such as {@code backoff.jitter}; empty for the whole document
 * @param value the new value, as JSON
 */
public record Change(String field, String value) {
  /**
   * Returns the change of a backoff, and with it of the other one if both are the same.
   *
   * @param ofThrottles whether the backoff after throttles is meant
   */
  public static Change of(StrategyPolicy policy, boolean ofThrottles, UnaryOperator<Backoff> mend) {
    Backoff backoff = policy.backoff();
    Backoff afterThrottles = policy.throttleBackoff();
    boolean isOne = afterThrottles.equals(backoff);
    return between(
        policy,
        policy.withBackoffs(
            isOne || !ofThrottles ? mend.apply(backoff) : backoff,
            isOne || ofThrottles ? mend.apply(afterThrottles) : afterThrottles));
  }

  /** Returns the same change of nothing but the part that a retry belongs to. */
  public static Change ofPart(
      StrategyPolicy policy, boolean ofThrottles, int retry, UnaryOperator<Backoff> mend) {
    return of(policy, ofThrottles, backoff -> withPart(retry, backoff, mend));
  }

  private static Backoff withPart(int retry, Backoff backoff, UnaryOperator<Backoff> mend) {
    if (!(backoff instanceof BackoffSequence sequence)) {
      return mend.apply(backoff);
    }
    int before = sequence.firstRetries();
    return retry <= before
        ? new BackoffSequence(mend.apply(sequence.first()), before, sequence.next())
        : new BackoffSequence(
            sequence.first(), before, withPart(retry - before, sequence.next(), mend));
  }

  /** Returns the smallest part of the document by which two policies differ. */
  public static Change between(StrategyPolicy policy, StrategyPolicy mended) {
    String path = "";
    JsonNode before = PolicyDocuments.write(policy);
    JsonNode after = PolicyDocuments.write(mended);
    while (before instanceof ObjectNode old && after instanceof ObjectNode fresh) {
      List<String> differing = differing(old, fresh);
      boolean takesAway = differing.stream().anyMatch(field -> !fresh.has(field));
      if (differing.size() != 1 || takesAway) {
        break;
      }
      String field = differing.get(0);
      path = path.isEmpty() ? field : path + "." + field;
      before = old.path(field);
      after = fresh.get(field);
    }
    return new Change(path, after.toString());
  }

  /** Returns the same change as the whole document that the policy becomes by it. */
  public Change whole(StrategyPolicy policy) {
    if (field.isEmpty()) {
      return this;
    }
    ObjectNode document = PolicyDocuments.write(policy);
    ObjectNode parent = document;
    int last = field.lastIndexOf('.');
    if (last > 0) {
      for (String step : field.substring(0, last).split("\\.", -1)) {
        parent = (ObjectNode) parent.path(step);
      }
    }
    parent.set(
        field.substring(last + 1), Objects.requireNonNull(new Checks().json(field, value), field));
    return new Change("", document.toString());
  }

  private static List<String> differing(ObjectNode old, ObjectNode fresh) {
    List<String> fields = new ArrayList<>();
    for (Map.Entry<String, JsonNode> field : fresh.properties()) {
      if (!field.getValue().equals(old.get(field.getKey()))) {
        fields.add(field.getKey());
      }
    }
    for (Map.Entry<String, JsonNode> field : old.properties()) {
      // A value that follows from another field may stay as it is.
      if (!fresh.has(field.getKey()) && !field.getKey().equals("throttleBackoff")) {
        fields.add(field.getKey());
      }
    }
    return fields;
  }
}
