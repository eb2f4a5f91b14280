package dev.reprise.delivery.shard;

import dev.reprise.core.backoff.Backoff;
import dev.reprise.core.backoff.BackoffFunction;
import dev.reprise.core.backoff.StagedBackoff;
import dev.reprise.core.strategy.RetryPolicy;
import dev.reprise.delivery.AttributeFilter;
import dev.reprise.delivery.DeadLetterFilter;
import dev.reprise.delivery.MessageId;
import dev.reprise.delivery.MinuteSettings;
import dev.reprise.delivery.Payload;
import dev.reprise.delivery.ShardSettings;
import dev.reprise.delivery.Suspension;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.SplittableRandom;
import java.util.random.RandomGenerator;
import tools.jackson.databind.json.JsonMapper;

/** Draws what a simulated user configures, publishes and asks for. */
final class ShardProgram {
  private static final long[] DELAYS_MILLIS = {0, 0, 1, 20, 300, 1000, 10_000, 60_000, 600_000};
  private static final List<BackoffFunction> FUNCTIONS = List.of(BackoffFunction.values());
  private static final String[] KINDS = {"order", "invoice"};
  private static final Map<String, AttributeFilter> FILTERS = new HashMap<>();

  static {
    for (String kind : KINDS) {
      FILTERS.put(
          kind, AttributeFilter.of(JsonMapper.shared().readTree("{\"kind\": [\"" + kind + "\"]}")));
    }
  }

  private final RandomGenerator random;

  ShardProgram(RandomGenerator random) {
    this.random = random;
  }

  static AttributeFilter filterOf(String kind) {
    return FILTERS.get(kind);
  }

  ShardSettings settings() {
    return new ShardSettings(
        pick(512, 512, 4, 1),
        pick(32, 32, 3, 1),
        pick(4096, 4096, 5, 1),
        pick(64 << 20, 64 << 20, 3000, 1),
        pick(1000, 60_000, 3_600_000, 259_200_000),
        pick(60_000, 3_600_000, 86_400_000),
        pick(60_000, 600_000, 600_000),
        pick(32 << 20, 32 << 20, 2000, 1),
        16L << 20,
        pick(0, 0, 1 << 20, 2000, 1),
        pick(0, 0, 60_000, 1),
        pick(0, 0, 0, 3000, 1),
        pick(2000, 2000, 5, 1),
        pick(200, 200, 10, 1),
        0);
  }

  /** After how many refusals others are held; its own seed keeps what other seeds draw. */
  static int holdAfter(long seed) {
    int[] bounds = {0, 1, 2, 3, 10};
    return bounds[new SplittableRandom(seed).nextInt(bounds.length)];
  }

  static MinuteSettings minutes(RandomGenerator random) {
    long[] keep = {MinuteSettings.MIN_MILLIS, 3_600_000, 604_800_000};
    long[] most = {1 << 20, 1 << 20, 500, 1};
    return new MinuteSettings(keep[random.nextInt(keep.length)], most[random.nextInt(most.length)]);
  }

  SubscriptionSpec spec(long number) {
    return new SubscriptionSpec(
        number,
        policy(),
        random.nextInt(3) == 0 ? pick(1, 2, 3, 7, 10, 50, 1000) : 0,
        random.nextInt(3) == 0 ? pick(1, 50, 2000, 20_000, 90_000, 3_600_000) : 0,
        random.nextInt(4) == 0,
        random.nextBoolean() ? 1 + random.nextInt(64) : pick(1, 1, 2, 64),
        random.nextInt(3) == 0 ? "alone " + number : group(),
        random.nextInt(16) == 0,
        random.nextInt(4) == 0);
  }

  /** The bounds of what is held: age in milliseconds, and number. */
  ShardInput.Suspend suspend(long number, Reply<Suspension> reply) {
    return new ShardInput.Suspend(
        number,
        random.nextBoolean() ? "" : "maintenance",
        pick(1, 1000, 60_000, 3_600_000, 1_000_000_000),
        pick(0, 1, 3, 1_000_000),
        reply);
  }

  /** One of a few groups that several subscriptions share. */
  String group() {
    int number = random.nextInt(3);
    return number == 0 ? "https://shared.example:443" : "shared " + number;
  }

  GroupSpec groupSpec(String key) {
    return new GroupSpec(
        key, pick(0, 1, 1, 2, 3, 10), random.nextInt(3) == 0 ? pick(1, 2, 7, 50, 1000) : 0, 1);
  }

  private RetryPolicy policy() {
    Duration ceiling = Duration.ofSeconds(pick(0, 10, 60, 3600, 1_000_000));
    if (random.nextInt(60) == 0) {
      // Long enough for the history to forget its middle.
      return new RetryPolicy(Backoff.fixed(Duration.ofMillis(pick(0, 1))), 130, ceiling);
    }
    if (random.nextInt(8) == 0) {
      Backoff backoff = Backoff.fixed(Duration.ofNanos(pick(1, 1_500_001, 999_999)));
      return new RetryPolicy(backoff, random.nextInt(5), ceiling);
    }
    long one = delay();
    long other = delay();
    StagedBackoff backoff =
        StagedBackoff.builder()
            .noDelayRetries(random.nextInt(3))
            .minDelayRetries(random.nextInt(3))
            .backoffRetries(random.nextInt(4))
            .maxDelayRetries(random.nextInt(3))
            .delays(
                Duration.ofMillis(Math.min(one, other)), Duration.ofMillis(Math.max(one, other)))
            .function(FUNCTIONS.get(random.nextInt(FUNCTIONS.size())))
            .build();
    int retries = random.nextInt(4) == 0 ? 0 : (int) backoff.numRetries();
    return new RetryPolicy(backoff, retries, ceiling);
  }

  private long delay() {
    return DELAYS_MILLIS[random.nextInt(DELAYS_MILLIS.length)];
  }

  ModelDelivery.Message message(long nowMillis) {
    // Publishers take the time before the shard does, and on a clock of their own.
    long published =
        switch (random.nextInt(8)) {
          case 0 -> nowMillis - random.nextInt(50);
          case 1 -> nowMillis + random.nextInt(5);
          default -> nowMillis;
        };
    String kind = KINDS[random.nextInt(KINDS.length)];
    byte[] attributes = ("{\"kind\":\"" + kind + "\"}").getBytes(StandardCharsets.UTF_8);
    byte[] body = new byte[random.nextInt(4) == 0 ? 1000 + random.nextInt(60) : 3];
    body[0] = (byte) random.nextInt();
    byte[] payload = PayloadRecord.encode(new Payload("text/plain", attributes, body));
    return new ModelDelivery.Message(MessageId.create(published, random), payload, kind);
  }

  DeadLetterFilter filter(long nowMillis, MessageId known) {
    return switch (random.nextInt(8)) {
      case 0 ->
          new DeadLetterFilter(
              TurnCheck.REASONS.get(random.nextInt(TurnCheck.REASONS.size())),
              null,
              0,
              Long.MAX_VALUE,
              null);
      case 1 -> new DeadLetterFilter(null, known, 0, Long.MAX_VALUE, null);
      case 2 ->
          new DeadLetterFilter(
              null, null, nowMillis - pick(1, 1000, 60_000), nowMillis - pick(0, 500), null);
      case 3 ->
          new DeadLetterFilter(
              null, null, 0, Long.MAX_VALUE, filterOf(KINDS[random.nextInt(KINDS.length)]));
      default -> DeadLetterFilter.ALL;
    };
  }

  /** The time until something else happens, in nanoseconds. */
  long gapNanos() {
    return switch (random.nextInt(10)) {
      case 0, 1, 2 -> 0;
      case 3, 4 -> random.nextLong(2_000_000);
      case 5, 6 -> random.nextLong(100_000_000);
      case 7, 8 -> random.nextLong(3_000_000_000L);
      default -> random.nextLong(60_000_000_000L);
    };
  }

  int pick(int... from) {
    return from[random.nextInt(from.length)];
  }
}
