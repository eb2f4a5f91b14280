package dev.reprise.delivery.shard;

import dev.reprise.delivery.MessageId;
import java.util.HashMap;
import java.util.HashSet;
import java.util.Map;
import java.util.Set;

/** What the model knows of refusals one after the other, of a subscription or of a group. */
final class ModelRefusals {
  /** The code of those that were refused last; empty for none. */
  private String code = "";

  private final Map<Long, Set<MessageId>> refused = new HashMap<>();
  private long heldSinceMillis;
  private int tries;
  private long tryAtMillis;

  /** The subscriptions that were tried since the rest is held. */
  private final Set<Long> tried = new HashSet<>();

  /** A process forgets who was tried. */
  void restart() {
    tried.clear();
  }

  boolean isHeld() {
    return heldSinceMillis > 0;
  }

  /** Before this wall time nothing starts. */
  long notBeforeMillis() {
    return isHeld() ? tryAtMillis : 0;
  }

  void clear() {
    code = "";
    refused.clear();
    heldSinceMillis = 0;
    tries = 0;
    tryAtMillis = 0;
    tried.clear();
  }

  /** One more was refused; holds the rest if there are enough. */
  void refused(
      String newCode, long subscription, MessageId message, int bound, int part, long nowMillis) {
    if (!code.equals(newCode)) {
      clear();
      code = newCode;
    }
    Set<MessageId> own = refused.computeIfAbsent(subscription, key -> new HashSet<>());
    if (own.size() < part) {
      own.add(message);
    }
    int all = refused.values().stream().mapToInt(Set::size).sum();
    if (all >= bound && (part == bound || refused.size() > 1)) {
      heldSinceMillis = nowMillis;
      tryAtMillis = nowMillis + 1000;
    }
  }

  /** One of a subscription was tried that is held by itself. */
  void tried(long nowMillis) {
    if (isHeld() && nowMillis >= tryAtMillis) {
      tries++;
      tryAtMillis = nowMillis + (tries < 6 ? 1000L << tries : 60_000);
    }
  }

  /** One of a group was tried: the first try of each subscription waits for no longer. */
  void tried(long subscription, long nowMillis) {
    boolean isFirst = isHeld() && tried.add(subscription);
    if (!isFirst) {
      tried(nowMillis);
    } else if (nowMillis >= tryAtMillis) {
      tryAtMillis = nowMillis + 1000;
    }
  }

  void tryNow(long nowMillis) {
    tryAtMillis = Math.min(tryAtMillis, nowMillis);
  }
}
