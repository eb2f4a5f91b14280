package dev.reprise.cluster.base;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.Set;
import java.util.concurrent.TimeUnit;
import org.apache.kafka.common.Node;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** Tells which clock is wrong, in a time that passes when the test says so. */
class BrokerClockTest {
  private static final long START = 1_800_000_000_000L;

  private long trueMillis = START;
  private long nodeAhead;
  private final BrokerClock clock =
      new BrokerClock(
          () -> trueMillis + nodeAhead,
          () -> TimeUnit.MILLISECONDS.toNanos(trueMillis - START) + 77);

  @BeforeEach
  void threeLead() {
    clock.leadBy(Set.of(1, 2, 3));
  }

  /** A broker takes an append: 20 ms after it was sent, and 30 ms before that is known. */
  private void append(int broker, long brokerAhead) {
    BrokerClock.Moment sent = clock.now();
    trueMillis += 20;
    long appended = trueMillis + brokerAhead;
    trueMillis += 30;
    clock.appended(new Node(broker, "b" + broker, 9092), sent, appended);
  }

  private void appendAll(long first, long second, long third) {
    append(1, first);
    append(2, second);
    append(3, third);
  }

  @Test
  void oneBrokerOfThreeThatDiffersIsNamedAndStopsNobody() {
    appendAll(0, 15_000, 0);

    assertThat(clock.isRight()).isTrue();
    assertThat(clock.offMillis()).isZero();
    assertThat(clock.wrongBrokers()).singleElement().satisfies(BrokerClockTest::isSecond);
    // It was appended at least 15 s ahead of when that was known, less the 30 ms between.
    assertThat(clock.furthestMillis()).isEqualTo(14_970);
  }

  private static void isSecond(BrokerClock.WrongBroker wrong) {
    assertThat(wrong.id()).isEqualTo(2);
    assertThat(wrong.problem())
        .isEqualTo(
            "the clock of broker 2 at b2:9092 differs from this node's and 2 other brokers' by"
                + " 14970 ms");
  }

  @Test
  void oneBrokerThatIsBehindIsNamedAsWell() {
    appendAll(0, 0, -15_000);

    assertThat(clock.isRight()).isTrue();
    assertThat(clock.wrongBrokers()).singleElement().extracting("id").isEqualTo(3);
    assertThat(clock.furthestMillis()).isEqualTo(-14_980);
  }

  @Test
  void mostBrokersAgainstThisNodeSayThatItsClockIsWrong() {
    appendAll(15_000, 15_000, 0);

    assertThat(clock.isRight()).isFalse();
    assertThat(clock.offMillis()).isEqualTo(-14_970);
    assertThat(clock.wrongBrokers()).singleElement().extracting("id").isEqualTo(3);
    assertThat(clock.wrongBrokers().get(0).problem())
        .contains("differs from 2 other brokers' by -");
  }

  @Test
  void ofTwoBrokersBothMustSayThatTheNodeIsWrong() {
    clock.leadBy(Set.of(1, 2));
    append(1, 15_000);
    assertThat(clock.brokerMillis()).as("half of them decide nothing").isZero();
    append(2, 0);

    assertThat(clock.isRight()).isTrue();
    assertThat(clock.wrongBrokers()).singleElement().extracting("id").isEqualTo(1);
    assertThat(clock.wrongBrokers().get(0).problem()).contains("this node's and 1 other broker's");

    append(2, 15_000);

    assertThat(clock.isRight()).isFalse();
    assertThat(clock.wrongBrokers()).isEmpty();
  }

  @Test
  void theOnlyBrokerDecides() {
    clock.leadBy(Set.of(1));
    append(1, -11_000);
    assertThat(clock.isRight()).isFalse();
    append(1, -9_000);
    assertThat(clock.isRight()).isTrue();
    assertThat(clock.offMillis()).isEqualTo(8_980);
    assertThat(clock.wrongBrokers()).isEmpty();
  }

  @Test
  void theLogsTimeIsMostBrokersAndNeverJumpsToOne() {
    appendAll(0, 0, 0);
    append(2, TimeUnit.DAYS.toMillis(3));
    assertThat(clock.brokerMillis()).isBetween(trueMillis - 50, trueMillis);
    append(2, -TimeUnit.DAYS.toMillis(3));
    assertThat(clock.brokerMillis()).isBetween(trueMillis - 50, trueMillis);

    nodeAhead = TimeUnit.DAYS.toMillis(1);
    appendAll(0, 0, 0);

    assertThat(clock.isRight()).isFalse();
    assertThat(clock.brokerMillis()).isBetween(trueMillis - 100, trueMillis);
  }

  @Test
  void whatWasReadBeforeTheClockWasSetDecidesNothing() {
    appendAll(0, 0, 0);
    nodeAhead = 20_000;

    append(1, 0);
    assertThat(clock.isRight()).as("one of three").isTrue();
    assertThat(clock.wrongBrokers()).isEmpty();
    append(2, 0);
    assertThat(clock.isRight()).as("two of three").isFalse();

    nodeAhead = 0;
    append(3, 0);
    append(2, 0);
    assertThat(clock.isRight()).isTrue();
  }

  @Test
  void anAppendDuringWhichTheClockWasSetTellsNothing() {
    clock.leadBy(Set.of(1));
    BrokerClock.Moment sent = clock.now();
    nodeAhead = 60_000;
    clock.appended(new Node(1, "b1", 9092), sent, trueMillis);

    assertThat(clock.brokerMillis()).isZero();
    assertThat(clock.isRight()).isTrue();
  }

  @Test
  void aBrokerThatIsNotHeardOfAnyMoreIsNotNamed() {
    appendAll(0, 15_000, 0);
    trueMillis += 31_000;
    append(1, 0);
    append(3, 0);

    assertThat(clock.wrongBrokers()).isEmpty();
    assertThat(clock.furthestMillis()).isZero();
  }

  @Test
  void aBrokerThatLeadsNothingIsNotNamed() {
    appendAll(0, 15_000, 0);
    clock.leadBy(Set.of(1, 3));
    append(1, 0);

    assertThat(clock.wrongBrokers()).isEmpty();
  }

  @Test
  void aSlowAnswerIsNoDifference() {
    clock.leadBy(Set.of(1));
    BrokerClock.Moment sent = clock.now();
    trueMillis += 25_000;
    clock.appended(new Node(1, "b1", 9092), sent, trueMillis - 24_000);

    assertThat(clock.offMillis()).isZero();
    assertThat(clock.isRight()).isTrue();
  }
}
