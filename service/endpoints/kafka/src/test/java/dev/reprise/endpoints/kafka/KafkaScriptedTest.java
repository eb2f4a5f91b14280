package dev.reprise.endpoints.kafka;

import static org.assertj.core.api.Assertions.assertThat;

import dev.reprise.delivery.AttemptOutcome;
import dev.reprise.delivery.Protocol;
import dev.reprise.delivery.carrier.Carrier;
import dev.reprise.delivery.carrier.CarrierAttempt;
import dev.reprise.delivery.carrier.CarrierFailure;
import dev.reprise.endpoints.fixtures.CarrierCalls;
import dev.reprise.endpoints.fixtures.TestAttempts;
import dev.reprise.endpoints.fixtures.TestContext;
import dev.reprise.fixtures.Await;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.Future;
import java.util.stream.IntStream;
import org.apache.kafka.clients.producer.BufferExhaustedException;
import org.apache.kafka.clients.producer.Callback;
import org.apache.kafka.clients.producer.MockProducer;
import org.apache.kafka.clients.producer.Producer;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.clients.producer.RecordMetadata;
import org.apache.kafka.clients.producer.RoundRobinPartitioner;
import org.apache.kafka.common.Cluster;
import org.apache.kafka.common.Node;
import org.apache.kafka.common.PartitionInfo;
import org.apache.kafka.common.protocol.Errors;
import org.apache.kafka.common.serialization.ByteArraySerializer;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** Answers that no broker gives at will, of a producer that does as it is told. */
final class KafkaScriptedTest {
  private static final int MOST = 3;

  /** A producer whose buffer can be full: then it holds up its caller, and takes no record. */
  private static final class FullProducer extends MockProducer<byte[], byte[]> {
    final CountDownLatch room = new CountDownLatch(1);
    volatile boolean full;

    FullProducer() {
      super(
          cluster(),
          false,
          new RoundRobinPartitioner(),
          new ByteArraySerializer(),
          new ByteArraySerializer());
    }

    // Callers wait for room without the lock, or they would hold up the others as well.
    @SuppressWarnings("UnsynchronizedOverridesSynchronized")
    @Override
    public Future<RecordMetadata> send(ProducerRecord<byte[], byte[]> record, Callback callback) {
      if (!full) {
        return super.send(record, callback);
      }
      try {
        room.await();
      } catch (InterruptedException e) {
        Thread.currentThread().interrupt();
      }
      BufferExhaustedException error = new BufferExhaustedException("the buffer is full");
      callback.onCompletion(null, error);
      return CompletableFuture.failedFuture(error);
    }
  }

  private final FullProducer producer = new FullProducer();
  private final TestContext context = new TestContext(MOST);
  private final Carrier carrier = open();

  private static Cluster cluster() {
    Node[] nodes = {new Node(0, "localhost", 9092)};
    return new Cluster(
        "test",
        List.of(nodes),
        List.of(new PartitionInfo("orders", 0, nodes[0], nodes, nodes)),
        Set.of(),
        Set.of());
  }

  private Carrier open() {
    // Port 1 is nobody's: whoever asks whether the cluster is there is told that it is not.
    KafkaSettings settings =
        CarrierCalls.settings(new KafkaCarrierType(), "{\"addresses\": \"127.0.0.1:1\"}");
    return new KafkaCarrier(
        settings,
        context,
        new Producers(settings, "test") {
          @Override
          Producer<byte[], byte[]> open() {
            return producer;
          }
        });
  }

  @AfterEach
  void close() {
    carrier.close();
  }

  private static CarrierAttempt attempt() {
    return TestAttempts.of(Protocol.QUEUE, "orders", "hello");
  }

  private CompletableFuture<AttemptOutcome> start() {
    return CarrierCalls.start(carrier, attempt());
  }

  private AttemptOutcome answered(RuntimeException error) throws InterruptedException {
    CompletableFuture<AttemptOutcome> outcome = start();
    awaitSent(1);
    assertThat(producer.errorNext(error)).isTrue();
    return CarrierCalls.await(outcome);
  }

  private void awaitSent(int records) {
    Await.value("records sent", producer::history, sent -> sent.size() >= records);
    assertThat(producer.history()).hasSize(records);
  }

  @ParameterizedTest
  @EnumSource(
      value = Errors.class,
      names = {
        "NOT_LEADER_OR_FOLLOWER",
        "NOT_ENOUGH_REPLICAS",
        "LEADER_NOT_AVAILABLE",
        "KAFKA_STORAGE_ERROR",
        "CORRUPT_MESSAGE",
        "UNKNOWN_TOPIC_OR_PARTITION",
        "UNKNOWN_SERVER_ERROR"
      })
  void passingErrorIsRetried(Errors error) throws Exception {
    assertThat(answered(error.exception()).failure()).isEqualTo(CarrierFailure.TRANSIENT);
    assertThat(carrier.state().fault()).isNull();
  }

  @ParameterizedTest
  @EnumSource(
      value = Errors.class,
      names = {"INVALID_RECORD", "POLICY_VIOLATION", "MESSAGE_TOO_LARGE"})
  void errorOfTheMessageIsPermanent(Errors error) throws Exception {
    AttemptOutcome outcome = answered(error.exception());

    assertThat(outcome.failure()).isEqualTo(CarrierFailure.PERMANENT);
    assertThat(outcome.status()).isEqualTo(error.code());
  }

  @Test
  void quotaIsAThrottle() throws Exception {
    assertThat(answered(Errors.THROTTLING_QUOTA_EXCEEDED.exception()).failure())
        .isEqualTo(CarrierFailure.THROTTLED);
  }

  @Test
  void clusterThatMayNotBeUsedIsTheCarriersFault() throws Exception {
    AttemptOutcome outcome = answered(Errors.CLUSTER_AUTHORIZATION_FAILED.exception());

    assertThat(outcome.made()).isFalse();
    assertThat(carrier.state().fault()).startsWith("31 CLUSTER_AUTHORIZATION_FAILED");
  }

  @Test
  void recordWithoutAcknowledgementIsATimeout() throws Exception {
    AttemptOutcome outcome =
        CarrierCalls.send(carrier, TestAttempts.withTimeout(attempt(), Duration.ofSeconds(2)));

    assertThat(outcome.failure()).isEqualTo(CarrierFailure.TIMEOUT);
    assertThat(outcome.summary()).isEqualTo("no acknowledgement within 2000 ms");
  }

  @Test
  void recordThatTheFullProducerDoesNotTakeIsGivenBack() throws Exception {
    producer.full = true;
    producer.room.countDown();
    AttemptOutcome outcome = CarrierCalls.await(start());

    assertThat(outcome.made()).isFalse();
    assertThat(outcome.summary()).endsWith("the buffer is full");
  }

  @Test
  void timeoutsAreKeptWhileTheProducerHoldsUpItsCaller() throws Exception {
    CarrierAttempt attempt = TestAttempts.withTimeout(attempt(), Duration.ofSeconds(1));
    producer.full = true;
    CompletableFuture<AttemptOutcome> first = CarrierCalls.start(carrier, attempt);
    CompletableFuture<AttemptOutcome> behind = CarrierCalls.start(carrier, attempt);

    assertThat(CarrierCalls.await(first).succeeded()).isFalse();
    assertThat(CarrierCalls.await(behind).succeeded()).isFalse();
    assertThat(carrier.state().inFlight()).isZero();
    assertThat(producer.room.getCount()).as("the producer still holds it up").isOne();
    producer.room.countDown();
  }

  @Test
  void faultIsNotedHoweverManyAttemptsComeMeanwhile() throws Exception {
    producer.full = true;
    producer.room.countDown();
    CompletableFuture<Void> noted = new CompletableFuture<>();
    new Object() {
      void send() {
        carrier.send(
            attempt(),
            outcome -> {
              if (carrier.state().fault() == null) {
                send();
              } else {
                noted.complete(null);
              }
            });
      }
    }.send();

    CarrierCalls.await(noted);
    assertThat(carrier.state().fault()).contains("answers");
  }

  @Test
  void moreThanTheMostInFlightIsGivenBack() throws Exception {
    List<CompletableFuture<AttemptOutcome>> under =
        new ArrayList<>(IntStream.range(0, MOST).mapToObj(i -> start()).toList());
    assertThat(carrier.state().inFlight()).isEqualTo(MOST);
    assertThat(CarrierCalls.await(start()).made()).isFalse();

    awaitSent(MOST);
    while (producer.completeNext()) {
      // All of them.
    }
    for (CompletableFuture<AttemptOutcome> each : under) {
      assertThat(CarrierCalls.await(each).succeeded()).isTrue();
    }
    assertThat(carrier.state().inFlight()).isZero();
  }

  @Test
  void closeEndsWhatIsUnderWay() throws Exception {
    CompletableFuture<AttemptOutcome> under = start();
    awaitSent(1);
    carrier.close();

    assertThat(CarrierCalls.await(under).failure()).isEqualTo(CarrierFailure.CONNECTION_LOST);
    assertThat(CarrierCalls.await(start()).made()).isFalse();
  }

  @Test
  void whatMayNotBeginIsNotHandedToTheProducer() throws Exception {
    assertThat(CarrierCalls.send(carrier, TestAttempts.withStart(attempt(), () -> false)))
        .isEqualTo(AttemptOutcome.MAY_NOT_BEGIN);

    assertThat(producer.history()).isEmpty();
    assertThat(carrier.state().inFlight()).isZero();
  }
}
