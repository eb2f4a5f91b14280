package dev.reprise.delivery.shard;

import dev.reprise.core.http.HttpFailure;
import dev.reprise.delivery.AttemptOutcome;
import dev.reprise.delivery.AttemptOutcome.Block;
import java.time.Duration;
import java.util.random.RandomGenerator;
import org.jspecify.annotations.Nullable;

/** A scripted endpoint: how it behaves changes with its mood, what it answers with the dice. */
final class SimulatedEndpoint {
  /** How an endpoint behaves. */
  enum Mood {
    HEALTHY,
    FLAKY,
    DOWN,
    THROTTLING,
    REFUSING,
    HANGING,
    BLOCKED,
    ANYTHING
  }

  /** What an endpoint answers, and how long it takes. */
  record Answer(AttemptOutcome outcome, long nanos) {}

  private static final long TIMEOUT_NANOS = 15_000_000_000L;
  private static final long[] HINT_SECONDS = {0, 0, 1, 2, 5, 30, 60, 200, 400, 100_000, -3};
  private static final byte[] NOTHING = new byte[0];

  private Mood mood = Mood.HEALTHY;

  void mood(Mood mood) {
    this.mood = mood;
  }

  Answer answer(RandomGenerator random) {
    long quick = random.nextLong(20_000_000);
    return switch (mood) {
      case HEALTHY -> new Answer(success(quick), quick);
      case FLAKY -> random.nextInt(3) == 0 ? anything(random) : new Answer(success(quick), quick);
      case DOWN -> failed(HttpFailure.status(503, null), quick);
      case THROTTLING -> failed(throttled(random), quick);
      case REFUSING ->
          failed(HttpFailure.status(random.nextInt(4) == 0 ? 410 : 404, hint(random)), quick);
      case HANGING -> failed(HttpFailure.timeout(), TIMEOUT_NANOS);
      case BLOCKED -> random.nextInt(4) == 0 ? anything(random) : givenBack(random, quick);
      case ANYTHING -> anything(random);
    };
  }

  private static Answer anything(RandomGenerator random) {
    long quick = random.nextLong(20_000_000);
    return switch (random.nextInt(11)) {
      case 0, 1 -> new Answer(success(quick), quick);
      case 2 -> failed(HttpFailure.status(500, hint(random)), quick);
      case 3, 4 -> failed(throttled(random), quick);
      case 5 -> failed(HttpFailure.status(404, null), quick);
      case 6 -> failed(HttpFailure.timeout(), TIMEOUT_NANOS);
      case 7 -> failed(HttpFailure.connectionError("connection refused", true), 0);
      case 8 -> givenBack(random, quick);
      case 9 -> {
        // The endpoint answers, and its carrier asks for silence as well.
        Answer answer =
            random.nextBoolean()
                ? new Answer(success(quick), quick)
                : failed(throttled(random), quick);
        Block block = new Block(blockTime(random), "0x00000058 ESME_RTHROTTLED");
        yield new Answer(answer.outcome().withBlock(block), answer.nanos());
      }
      default -> failed(HttpFailure.refused("address is private"), quick);
    };
  }

  private static Answer givenBack(RandomGenerator random, long nanos) {
    AttemptOutcome outcome =
        random.nextBoolean()
            ? AttemptOutcome.notMade("no connection of ours is free")
            : AttemptOutcome.givenBack("bind refused: 0x0000000E", blockTime(random));
    return new Answer(outcome, nanos);
  }

  private static Duration blockTime(RandomGenerator random) {
    long[] micros = {1, 500, 1000, 20_000, 1_000_000, 7_000_000, 90_000_000, 3_600_000_000L};
    return Duration.ofNanos(1000 * micros[random.nextInt(micros.length)]);
  }

  private static HttpFailure throttled(RandomGenerator random) {
    return HttpFailure.status(random.nextBoolean() ? 429 : 503, hint(random));
  }

  private static @Nullable Duration hint(RandomGenerator random) {
    int die = random.nextInt(HINT_SECONDS.length + 3);
    return die < HINT_SECONDS.length ? Duration.ofSeconds(HINT_SECONDS[die]) : null;
  }

  static AttemptOutcome success(long nanos) {
    return new AttemptOutcome(null, 204, "204 No Content", "192.0.2.1", NOTHING, nanos);
  }

  private static Answer failed(HttpFailure failure, long nanos) {
    return new Answer(
        new AttemptOutcome(
            failure, failure.status(), failure.describe(), "192.0.2.1", NOTHING, nanos),
        nanos);
  }
}
