package dev.reprise.delivery.carrier;

import dev.reprise.core.backoff.Backoff;
import dev.reprise.delivery.AttemptOutcome;
import dev.reprise.delivery.AttemptOutcome.Block;
import java.time.Duration;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Set;
import java.util.function.LongSupplier;
import java.util.random.RandomGenerator;
import org.jspecify.annotations.Nullable;

/**
 * A carrier's own fault while there is one: the reason, and when the carrier is tried again. While
 * it lasts, attempts are given back with the reason, and one at a time is let through to find out
 * whether the carrier works again: ten logins at once with a password that is wrong lock an
 * account. Thread-safe.
 */
public final class CarrierFault {
  /** The wait between two tries: 1 s, doubled up to 30 s, of each at least half, at random. */
  public static final Backoff BACKOFF =
      Backoff.exponential(Duration.ofSeconds(1), Duration.ofSeconds(30)).withEqualJitter();

  /**
   * So many different recipients in a row that are answered in the same way are no coincidence: the
   * answer is about the account or the carrier.
   */
  public static final int MIN_ALIKE = 5;

  /** Recipients whose answers blamed the carrier; the oldest is forgotten when there are more. */
  private static final int MAX_BLAMING = 1_000;

  /**
   * Recipients that are known for an answer; the one that was answered least recently is forgotten
   * when there are more.
   */
  static final int MAX_KNOWN = 10_000;

  /** A try that has not ended after this time no longer keeps others from trying. */
  private static final long MAX_TRY_NANOS = Duration.ofMinutes(2).toNanos();

  private static final Duration WHILE_ANOTHER_TRIES = Duration.ofSeconds(1);

  private final Backoff backoff;
  private final RandomGenerator random;
  private final LongSupplier nanoTime;
  private final LongSupplier epochMillis;

  /** Null without a fault; then there are no {@link #failures} either, and no try is under way. */
  private volatile @Nullable String reason;

  private long sinceMillis;
  private int failures;
  private long nextTryNanos;
  private boolean trying;

  /**
   * The last answer that one recipient alone does not explain, and the recipients that had it since
   * a success.
   */
  private String alikeAnswer = "";

  private final Set<String> alike = new HashSet<>();

  /** Whether the last such answer is one that may be about the recipients and last. */
  private boolean alikeMayBeTheirs;

  /**
   * By recipient, an answer that it had before a message to another was taken: the carrier worked,
   * so it says nothing of the carrier the next time. Such are the numbers of a country that an SMS
   * provider has no route to, of which there may be thousands.
   */
  private final Map<String, String> known =
      new LinkedHashMap<>(16, 0.75f, true) {
        private static final long serialVersionUID = 1L;

        @Override
        protected boolean removeEldestEntry(Map.Entry<String, String> eldest) {
          return size() > MAX_KNOWN;
        }
      };

  /** Messages that were taken so far. */
  private long takenCount;

  /** By recipient, of answers about the account or the carrier: see {@link Blame}. */
  private final Map<String, Blame> blaming =
      new LinkedHashMap<>() {
        private static final long serialVersionUID = 1L;

        @Override
        protected boolean removeEldestEntry(Map.Entry<String, Blame> eldest) {
          return size() > MAX_BLAMING;
        }
      };

  /**
   * A recipient's answers that blamed the carrier.
   *
   * @param times so many, with messages to others taken between each and the next
   * @param takenCount the messages that had been taken at the last
   */
  private record Blame(int times, long takenCount) {}

  /** A carrier without a fault, tried again as {@link #BACKOFF} says after one. */
  public CarrierFault(RandomGenerator random) {
    this(BACKOFF, random, System::nanoTime, System::currentTimeMillis);
  }

  /** The same with another backoff, on given clocks. */
  public CarrierFault(
      Backoff backoff, RandomGenerator random, LongSupplier nanoTime, LongSupplier epochMillis) {
    this.backoff = backoff;
    this.random = random;
    this.nanoTime = nanoTime;
    this.epochMillis = epochMillis;
  }

  /**
   * Asks whether an attempt may use the carrier now. One that may while there is a fault is a try:
   * {@link #failed}, {@link #recovered} or {@link #undecided} must follow.
   *
   * @return null if it may; otherwise the outcome of an attempt that is given back
   */
  public @Nullable AttemptOutcome refusal() {
    // Asked for every attempt, most of which find no fault: they do not wait for one another.
    return reason == null ? null : refusalAtFault();
  }

  private synchronized @Nullable AttemptOutcome refusalAtFault() {
    String known = reason;
    if (known == null) {
      return null;
    }
    long wait = nextTryNanos - nanoTime.getAsLong();
    if (wait > 0) {
      return AttemptOutcome.givenBack(known, trying ? WHILE_ANOTHER_TRIES : Duration.ofNanos(wait));
    }
    trying = true;
    nextTryNanos = nanoTime.getAsLong() + MAX_TRY_NANOS;
    return null;
  }

  /**
   * Notes a fault, or that it lasts.
   *
   * @param newReason one line for people, without secrets
   * @return what holds back all attempts until the carrier is tried again
   */
  public synchronized Block failed(String newReason) {
    long now = nanoTime.getAsLong();
    boolean waits = reason != null && !trying && nextTryNanos - now > 0;
    if (reason == null) {
      sinceMillis = epochMillis.getAsLong();
    }
    reason = newReason;
    trying = false;
    if (!waits) {
      // Attempts that were under way together tell of one fault, which is one failure.
      failures = Math.min(failures + 1, Integer.MAX_VALUE - 1);
      nextTryNanos = now + Math.max(1, backoff.delayNanos(failures, random));
    }
    return new Block(Duration.ofNanos(nextTryNanos - now), newReason);
  }

  /**
   * Decides whether an answer is a fault of the carrier or of its account: then {@link #failed} is
   * to follow, and the claim is given back. Otherwise the attempt fails with {@link
   * CarrierVerdict#failure}.
   *
   * <p>What others got meanwhile decides as well. An answer that may be about one recipient is the
   * carrier's when {@value #MIN_ALIKE} recipients in a row have it; those that had it before, while
   * messages to others were taken, do not count, and are charged. And one that is about the
   * account, but comes to one recipient {@value #MIN_ALIKE} times while messages to others are
   * taken, is about that recipient: it must not hold up the others for ever.
   *
   * @param endpoint the recipient
   * @param answer the answer without what is particular to the recipient, such as {@code 450 4.7.1}
   */
  public synchronized boolean isAtFault(CarrierVerdict verdict, String endpoint, String answer) {
    return switch (verdict.consequence()) {
      case PAUSE -> !isAloneWithIt(endpoint);
      case GIVE_UP, RETRY, RETRY_THROTTLED -> false;
      case RETRY_THEN_PAUSE ->
          !answer.equals(known.get(endpoint)) && isCommon(endpoint, answer, true);
      case RETRY_AND_PAUSE -> isCommon(endpoint, answer, false);
    };
  }

  private boolean isCommon(String endpoint, String answer, boolean mayBeTheirs) {
    if (!answer.equals(alikeAnswer)) {
      alikeAnswer = answer;
      alike.clear();
    }
    alikeMayBeTheirs = mayBeTheirs;
    // All of them, beyond those that decide: they are known as soon as a message is taken.
    if (alike.size() < MAX_KNOWN) {
      alike.add(endpoint);
    }
    return alike.size() >= MIN_ALIKE;
  }

  private boolean isAloneWithIt(String endpoint) {
    Blame before = blaming.get(endpoint);
    int times = before == null ? 1 : before.times + (before.takenCount == takenCount ? 0 : 1);
    blaming.put(endpoint, new Blame(Math.min(times, MIN_ALIKE), takenCount));
    return times >= MIN_ALIKE;
  }

  /**
   * Notes that a message was taken, which proves the account as well.
   *
   * @param endpoint the recipient
   * @return whether there was a fault
   */
  public synchronized boolean taken(String endpoint) {
    takenCount++;
    if (alikeMayBeTheirs) {
      alike.forEach(other -> known.put(other, alikeAnswer));
    }
    known.remove(endpoint);
    alikeAnswer = "";
    alike.clear();
    blaming.remove(endpoint);
    return recovered();
  }

  /** Notes that a try has found out nothing; the next may follow in a second. */
  public synchronized void undecided() {
    if (trying) {
      trying = false;
      nextTryNanos = nanoTime.getAsLong() + WHILE_ANOTHER_TRIES.toNanos();
    }
  }

  /**
   * Notes that the carrier works.
   *
   * @return whether there was a fault
   */
  public boolean recovered() {
    return reason != null && endFault();
  }

  private synchronized boolean endFault() {
    boolean was = reason != null;
    reason = null;
    sinceMillis = 0;
    failures = 0;
    trying = false;
    return was;
  }

  /** Returns the reason of the fault, for people; null if there is none. */
  public @Nullable String reason() {
    return reason;
  }

  /** Returns since when there is a fault, wall time; 0 if there is none. */
  public synchronized long sinceMillis() {
    return sinceMillis;
  }
}
