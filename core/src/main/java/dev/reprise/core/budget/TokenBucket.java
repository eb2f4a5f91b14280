package dev.reprise.core.budget;

import dev.reprise.core.InvalidSettingException;
import dev.reprise.core.RetryInfo;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.math.BigDecimal;

/**
 * A bucket of tokens in a single long, for buckets that fill with time and for those that do not.
 *
 * <p>The long is not what the bucket holds but <em>when it will be full</em>. Every milli-token
 * that is missing stands for the time in which it comes back by itself, so a withdrawal moves that
 * moment into the future, a deposit moves it back, and time itself does the rest: nothing is ever
 * added up, and no second field must be kept in step with the first. A bucket that does not fill
 * with time lives at the eternal time 0, where a missing milli-token is worth 1 ns; its long is
 * simply what is missing.
 *
 * <p>A deposit reads no clock, since it is made for each operation that succeeds. It needs to know
 * only whether the bucket is full, and takes for "now" the time of the latest withdrawal: the true
 * time is later, so a bucket that was full then is full. In the other direction it may move the
 * moment further into the past than the true time, which does no harm: a withdrawal takes the later
 * of that moment and its own time.
 *
 * <p>All changes are compare-and-set loops on that one long, so the bounds hold under any number of
 * threads. Times are differences, never compared by size, so they survive the wrap-around of {@link
 * System#nanoTime()}.
 */
final class TokenBucket implements RetryBudget {
  /** A bucket that nothing was taken from yet: full, whatever the time. */
  private static final long UNTOUCHED = Long.MIN_VALUE;

  private static final double NANOS_PER_SECOND = 1e9;
  private static final double MILLI_TOKENS_PER_TOKEN = 1e3;

  private static final VarHandle FULL_AT;
  private static final VarHandle LATEST;

  static {
    try {
      MethodHandles.Lookup lookup = MethodHandles.lookup();
      FULL_AT = lookup.findVarHandle(TokenBucket.class, "fullAtNanos", long.class);
      LATEST = lookup.findVarHandle(TokenBucket.class, "latestNanos", long.class);
    } catch (ReflectiveOperationException e) {
      throw new ExceptionInInitializerError(e);
    }
  }

  private final TokenPrices prices;
  private final long capacityMilliTokens;

  /** The time in which a milli-token comes back, at least 1. */
  private final long nanosPerMilliToken;

  /** False for a bucket that ignores time. */
  private final boolean fillsWithTime;

  /**
   * The time at which the bucket will be full, or has been full since; {@link #UNTOUCHED} at first.
   */
  private volatile long fullAtNanos = UNTOUCHED;

  /** The time of the latest withdrawal. A lost update costs a deposit a little unneeded work. */
  private volatile long latestNanos;

  /** Creates a full bucket that only deposits fill. */
  TokenBucket(long capacityMilliTokens, TokenPrices prices) {
    this(capacityMilliTokens, prices, 1, false);
  }

  /** Creates a full bucket that fills with time as well. */
  TokenBucket(long capacityMilliTokens, TokenPrices prices, double tokensPerSecond) {
    this(capacityMilliTokens, prices, nanosPerMilliToken(tokensPerSecond), true);
  }

  private TokenBucket(
      long capacityMilliTokens,
      TokenPrices prices,
      long nanosPerMilliToken,
      boolean fillsWithTime) {
    this.capacityMilliTokens = capacityMilliTokens;
    this.prices = prices;
    this.nanosPerMilliToken = nanosPerMilliToken;
    this.fillsWithTime = fillsWithTime;
  }

  /** Rounds up, so that the bucket never fills faster than was asked for. */
  private static long nanosPerMilliToken(double tokensPerSecond) {
    return (long) Math.ceil(NANOS_PER_SECOND / MILLI_TOKENS_PER_TOKEN / tokensPerSecond);
  }

  @Override
  public int tryWithdraw(RetryInfo failure, long nowNanos) {
    int costMilliTokens = prices.costMilliTokens(failure);
    long now = timeOf(nowNanos);
    long before = fullAtNanos;
    // Ahead of the change that it belongs to, so that no deposit sees that with an older time.
    if (before == UNTOUCHED || now - latestNanos > 0) {
      latestNanos = now;
    }
    long longestWaitNanos = capacityMilliTokens * nanosPerMilliToken;
    while (true) {
      long after = missingNanos(before, now) + costMilliTokens * nanosPerMilliToken;
      if (after > longestWaitNanos) {
        return DENIED;
      }
      if (FULL_AT.compareAndSet(this, before, touched(now + after))) {
        return costMilliTokens;
      }
      before = fullAtNanos;
    }
  }

  @Override
  public void recordSuccess(int lastCostMilliTokens) {
    requireCost("lastCostMilliTokens", lastCostMilliTokens);
    deposit(prices.depositMilliTokens(lastCostMilliTokens));
  }

  @Override
  public void refund(int costMilliTokens) {
    requireCost("costMilliTokens", costMilliTokens);
    deposit(costMilliTokens);
  }

  private void deposit(int milliTokens) {
    // The order of a success and of a withdrawal by another thread does not matter, so an opaque
    // read suffices; the withdrawal of the same operation comes before and is always seen.
    long before = (long) FULL_AT.getOpaque(this);
    while (!knownToBeFull(before)) {
      long latest = (long) LATEST.getOpaque(this);
      long left = before - latest - milliTokens * nanosPerMilliToken;
      long after = touched(latest + Math.max(left, 0));
      if (FULL_AT.weakCompareAndSet(this, before, after)) {
        return;
      }
      before = fullAtNanos;
    }
  }

  private boolean knownToBeFull(long fullAt) {
    return fullAt == UNTOUCHED || fullAt - (long) LATEST.getOpaque(this) <= 0;
  }

  @Override
  public int costMilliTokens(RetryInfo failure) {
    return prices.costMilliTokens(failure);
  }

  @Override
  public long balanceMilliTokens(long nowNanos) {
    long missingNanos = missingNanos(fullAtNanos, timeOf(nowNanos));
    long missingMilliTokens = -Math.floorDiv(-missingNanos, nanosPerMilliToken);
    // A caller's time may be a little older than the time of a withdrawal by another thread.
    return Math.max(capacityMilliTokens - missingMilliTokens, 0);
  }

  @Override
  public long capacityMilliTokens() {
    return capacityMilliTokens;
  }

  @Override
  public boolean fillsWithTime() {
    return fillsWithTime;
  }

  private long timeOf(long nowNanos) {
    return fillsWithTime ? nowNanos : 0;
  }

  private static long missingNanos(long fullAt, long now) {
    return fullAt == UNTOUCHED ? 0 : Math.max(fullAt - now, 0);
  }

  /** Keeps a moment apart from the mark; a nanosecond later is the safe side. */
  private static long touched(long fullAt) {
    return fullAt == UNTOUCHED ? fullAt + 1 : fullAt;
  }

  private static void requireCost(String name, int milliTokens) {
    if (milliTokens < 0) {
      throw new InvalidSettingException(name, milliTokens, "must be >= 0");
    }
  }

  @Override
  public String toString() {
    return "token bucket with "
        + tokens(balanceMilliTokens(fillsWithTime ? latestNanos : 0))
        + " of "
        + tokens(capacityMilliTokens)
        + " tokens"
        + (fillsWithTime ? " at the latest withdrawal, " : ", ")
        + prices;
  }

  private static String tokens(long milliTokens) {
    return BigDecimal.valueOf(milliTokens, 3).stripTrailingZeros().toPlainString();
  }
}
