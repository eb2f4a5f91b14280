package dev.reprise.delivery.shard;

import static dev.reprise.delivery.shard.LoadedEndpoint.MILLI;
import static dev.reprise.delivery.shard.LoadedEndpoint.SECOND;
import static org.assertj.core.api.Assertions.assertThat;

import dev.reprise.delivery.shard.LoadedEndpoint.Service;
import dev.reprise.testkit.SeededRandom;
import java.util.random.RandomGenerator;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.constraints.IntRange;

/**
 * Endpoints on virtual time. "At its speed" is at least 0.8 of what all places would serve if they
 * were in use all the time.
 */
class ConcurrencyOverTimeTest {
  private static final int TRIES = 20;
  private static final double AT_ITS_SPEED = 0.8;

  /** Times of endpoints that never fail and bear any number of attempts. */
  enum Times implements Service {
    CONSTANT {
      @Override
      double millis(RandomGenerator random, double seconds) {
        return 50;
      }
    },
    LOGNORMAL {
      @Override
      double millis(RandomGenerator random, double seconds) {
        return lognormal(random, 50, 0.7);
      }
    },
    UNIFORM {
      @Override
      double millis(RandomGenerator random, double seconds) {
        return 20 + 60 * random.nextDouble();
      }
    },
    ONE_IN_TEN_FAST {
      @Override
      double millis(RandomGenerator random, double seconds) {
        return random.nextInt(10) == 0 ? 2 : 50;
      }
    },
    HEAVY_TAIL {
      @Override
      double millis(RandomGenerator random, double seconds) {
        return 30 / Math.sqrt(1 - random.nextDouble());
      }
    },
    SLOW {
      @Override
      double millis(RandomGenerator random, double seconds) {
        return lognormal(random, 1000, 0.3);
      }
    },
    DRIFTING {
      @Override
      double millis(RandomGenerator random, double seconds) {
        return lognormal(random, 50 * Math.pow(10, seconds / 120), 0.7);
      }
    },
    WAVES {
      @Override
      double millis(RandomGenerator random, double seconds) {
        return lognormal(random, 100 + 50 * Math.sin(seconds * 2 * Math.PI / 60), 0.5);
      }
    },
    STANDING_STILL {
      @Override
      double millis(RandomGenerator random, double seconds) {
        double millis = lognormal(random, 50, 0.7);
        double ends = seconds + millis / 1000;
        // For half a second of five, nothing ends.
        return ends % 5 < 0.5 ? millis + (0.5 - ends % 5) * 1000 : millis;
      }
    },
    STEP_UP {
      @Override
      double millis(RandomGenerator random, double seconds) {
        return lognormal(random, seconds < 50 ? 50 : 200, 0.7);
      }
    },
    STEP_DOWN {
      @Override
      double millis(RandomGenerator random, double seconds) {
        return lognormal(random, seconds < 50 ? 200 : 50, 0.7);
      }
    };

    abstract double millis(RandomGenerator random, double seconds);

    @Override
    public long nanos(RandomGenerator random, long nowNanos) {
      return (long) (millis(random, nowNanos / (double) SECOND) * MILLI);
    }
  }

  private static double lognormal(RandomGenerator random, double median, double sigma) {
    return median * Math.exp(sigma * random.nextGaussian());
  }

  private static Service lognormal(double median) {
    return (random, now) -> (long) (lognormal(random, median, 0.7) * MILLI);
  }

  private static LoadedEndpoint endpoint(Concurrency concurrency, long seed, Service service) {
    return new LoadedEndpoint(concurrency, SeededRandom.of(seed), service);
  }

  @Property(tries = 10 * TRIES)
  void anEndpointThatDoesNotFailIsServedAtItsSpeed(
      @ForAll long seed, @ForAll Times times, @ForAll @IntRange(min = 1, max = 100) int places) {
    LoadedEndpoint endpoint = endpoint(new Concurrency(places), seed, times);
    // Where an attempt takes a second, a hundred places are found in half a minute.
    endpoint.run(30);
    endpoint.run(120);
    assertThat(endpoint.used(places, 120)).isGreaterThanOrEqualTo(AT_ITS_SPEED);
  }

  @Property(tries = 2 * TRIES)
  void anOverloadedEndpointIsFoundWithinAMinute(
      @ForAll long seed,
      @ForAll @IntRange(min = 4, max = 32) int servers,
      @ForAll @IntRange(min = 5, max = 60) int median) {
    Concurrency concurrency = new Concurrency(64);
    LoadedEndpoint endpoint =
        endpoint(concurrency, seed, lognormal(median)).servers(now -> servers);
    endpoint.run(60);
    assertServedNearTheKnee(endpoint, servers);
  }

  @Property(tries = 2 * TRIES)
  void anEndpointThatBearsLessThanBeforeIsFoundWithinAMinute(
      @ForAll long seed,
      @ForAll @IntRange(min = 4, max = 16) int servers,
      @ForAll @IntRange(min = 20, max = 60) int median) {
    LoadedEndpoint endpoint =
        endpoint(new Concurrency(64), seed, lognormal(median))
            .servers(now -> now < 20 * SECOND ? 64 : servers);
    endpoint.run(80);
    assertServedNearTheKnee(endpoint, servers);
  }

  private static void assertServedNearTheKnee(LoadedEndpoint endpoint, int servers) {
    endpoint.run(60);
    assertThat(endpoint.meanPlaces(60)).isLessThanOrEqualTo(4 * servers);
    assertThat(endpoint.used(servers, 60)).isGreaterThanOrEqualTo(0.75);
  }

  @Property(tries = TRIES)
  void whatServesOneAfterTheOtherGetsAFewAtATime(@ForAll long seed) {
    LoadedEndpoint endpoint = endpoint(new Concurrency(64), seed, Times.CONSTANT).servers(now -> 1);
    endpoint.run(60);
    endpoint.run(60);
    assertThat(endpoint.meanPlaces(60)).isLessThanOrEqualTo(6);
    assertThat(endpoint.used(1, 60)).isGreaterThanOrEqualTo(0.99);
  }

  @Property(tries = TRIES)
  void anEndpointThatBearsMoreThanBeforeGetsAllPlacesAgain(
      @ForAll long seed, @ForAll @IntRange(min = 2, max = 16) int servers) {
    Concurrency concurrency = new Concurrency(64);
    LoadedEndpoint endpoint =
        endpoint(concurrency, seed, Times.LOGNORMAL)
            .servers(now -> now < 60 * SECOND ? servers : LoadedEndpoint.UNLIMITED);
    // After half a minute, 3 of 4,000 seeds had less than 0.8; after a minute, none below 0.98.
    endpoint.run(120);
    endpoint.run(60);
    assertThat(endpoint.used(64, 60)).isGreaterThanOrEqualTo(AT_ITS_SPEED);
  }

  @Property(tries = TRIES)
  void trafficThatDoesNotFillThePlacesChangesNothing(@ForAll long seed, @ForAll Times times) {
    Concurrency concurrency = new Concurrency(64);
    LoadedEndpoint endpoint = endpoint(concurrency, seed, times);
    endpoint.run(30);
    int places = concurrency.limit();
    // Far less than a second's worth of places, whatever an endpoint takes.
    endpoint.traffic(10, 1).run(60);
    assertThat(endpoint.waiting()).isZero();
    endpoint.run(60);
    assertThat(endpoint.fewest()).isEqualTo(endpoint.most()).isGreaterThanOrEqualTo(places / 2);
  }

  @Property(tries = 2 * TRIES)
  void burstsAreServedByAllPlaces(
      @ForAll long seed, @ForAll @IntRange(min = 50, max = 1000) int burst) {
    Concurrency concurrency = new Concurrency(64);
    LoadedEndpoint endpoint = endpoint(concurrency, seed, Times.LOGNORMAL).traffic(300, burst);
    endpoint.run(60);
    endpoint.run(60);
    assertThat(endpoint.meanPlaces(60)).isGreaterThanOrEqualTo(AT_ITS_SPEED * 64);
  }

  @Property(tries = 2 * TRIES)
  void anOverloadIsFoundInBurstsToo(
      @ForAll long seed, @ForAll @IntRange(min = 70, max = 1000) int burst) {
    LoadedEndpoint endpoint =
        endpoint(new Concurrency(64), seed, Times.LOGNORMAL).servers(now -> 4).traffic(50, burst);
    endpoint.run(120);
    endpoint.run(60);
    assertThat(endpoint.meanPlaces(60)).isLessThanOrEqualTo(16);
  }

  @Property(tries = TRIES)
  void oneFailureInAHundredLeavesMostPlaces(@ForAll long seed) {
    LoadedEndpoint endpoint =
        endpoint(new Concurrency(64), seed, Times.LOGNORMAL).failing(now -> 0.01);
    endpoint.run(60);
    endpoint.run(60);
    assertThat(endpoint.meanPlaces(60)).isGreaterThanOrEqualTo(AT_ITS_SPEED * 64);
    assertThat(endpoint.used(64, 60)).isGreaterThanOrEqualTo(AT_ITS_SPEED);
  }

  @Property(tries = TRIES)
  void oneThatFailsMostlyGetsOneOrTwoAtATimeAndGrowsBack(@ForAll long seed) {
    LoadedEndpoint endpoint =
        endpoint(new Concurrency(64), seed, Times.LOGNORMAL)
            .failing(now -> now >= 30 * SECOND && now < 60 * SECOND ? 0.9 : 0);
    endpoint.run(40);
    endpoint.run(20);
    assertThat(endpoint.meanPlaces(20)).isLessThan(2);
    endpoint.run(2);
    assertThat(endpoint.most()).isLessThan(64);
    endpoint.run(20);
    endpoint.run(10);
    assertThat(endpoint.used(64, 10)).isGreaterThanOrEqualTo(AT_ITS_SPEED);
  }
}
