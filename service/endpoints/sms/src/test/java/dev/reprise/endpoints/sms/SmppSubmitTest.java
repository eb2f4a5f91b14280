package dev.reprise.endpoints.sms;

import static java.nio.charset.StandardCharsets.UTF_16BE;
import static org.assertj.core.api.Assertions.assertThat;

import com.cloudhopper.commons.charset.CharsetUtil;
import com.cloudhopper.smpp.pdu.GenericNack;
import com.cloudhopper.smpp.pdu.SubmitSm;
import dev.reprise.core.RetrySafety;
import dev.reprise.delivery.AttemptOutcome;
import dev.reprise.delivery.Protocol;
import dev.reprise.delivery.carrier.CarrierAttempt;
import dev.reprise.delivery.carrier.CarrierFailure;
import dev.reprise.endpoints.fixtures.CarrierCalls;
import dev.reprise.endpoints.fixtures.TestAttempts;
import dev.reprise.fixtures.Await;
import java.io.ByteArrayOutputStream;
import java.nio.ByteBuffer;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Executors;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class SmppSubmitTest {
  private static SmsCentre centre;

  @BeforeAll
  static void open() throws Exception {
    centre = new SmsCentre();
  }

  @AfterAll
  static void close() {
    centre.close();
  }

  @AfterEach
  void reset() {
    centre.reset();
  }

  @ParameterizedTest
  @CsvSource({
    "'', 0, 0, ''",
    "'\"source\": \"Reprise\"', 5, 0, Reprise",
    "'\"source\": \"12345\"', 3, 0, 12345",
    "'\"source\": \"+4930123456\"', 1, 1, 4930123456"
  })
  void aMessageHasItsSenderAndItsNumber(String source, int ton, int npi, String sender)
      throws Exception {
    try (SmppSetting setting = SmppSetting.bound(centre.address(), 10, source)) {
      setting.send("hello");
      SubmitSm submit = centre.awaitSession().awaitSubmit();

      assertThat(submit.getSourceAddress().getTon()).isEqualTo((byte) ton);
      assertThat(submit.getSourceAddress().getNpi()).isEqualTo((byte) npi);
      assertThat(submit.getSourceAddress().getAddress()).isIn(sender, null);
      assertThat(submit.getDestAddress().getTon()).isEqualTo((byte) 1);
      assertThat(submit.getDestAddress().getNpi()).isEqualTo((byte) 1);
      assertThat(submit.getDestAddress().getAddress()).isEqualTo("4915112345678");
      assertThat(submit.getRegisteredDelivery()).isEqualTo((byte) 1);
      assertThat(submit.getEsmClass()).isZero();
      assertThat(submit.getValidityPeriod()).isIn("", null);
    }
  }

  @Test
  void receiptsAndValidityFollowTheSettings() throws Exception {
    try (SmppSetting setting =
        SmppSetting.bound(centre.address(), 10, "\"receipts\": false, \"validity\": \"26h\"")) {
      AttemptOutcome outcome = setting.send("hello");
      SubmitSm submit = centre.awaitSession().awaitSubmit();

      assertThat(outcome.receiptIds()).isEmpty();
      assertThat(submit.getRegisteredDelivery()).isZero();
      assertThat(submit.getValidityPeriod()).isEqualTo("000001020000000R");
    }
  }

  @ParameterizedTest
  @ValueSource(strings = {"hello, wörld €{}", "привет, 😀", ""})
  void aShortMessageArrivesAsItWas(String text) throws Exception {
    try (SmppSetting setting = SmppSetting.bound(centre.address(), 10, "")) {
      setting.send(text);
      SubmitSm submit = centre.awaitSession().awaitSubmit();

      assertThat(submit.getEsmClass()).isZero();
      assertThat(decoded(submit, submit.getShortMessage())).isEqualTo(text);
    }
  }

  @ParameterizedTest
  @ValueSource(strings = {"0123456789 €", "Съешь ещё 😀 "})
  void aLongMessageIsPutTogetherAgain(String piece) throws Exception {
    String text = piece.repeat(40);
    List<byte[]> first = new ArrayList<>();
    List<byte[]> second = new ArrayList<>();
    try (SmppSetting setting = SmppSetting.bound(centre.address(), 10, "")) {
      CentreSession session = centre.awaitSession();
      CarrierAttempt attempt = SmppSetting.attempt(text);
      AttemptOutcome outcome = CarrierCalls.send(setting.carrier, attempt);
      assertThat(read(session, first)).isEqualTo(text);
      // A repeated attempt of the same message gives the same parts.
      CarrierCalls.send(setting.carrier, attempt);
      assertThat(read(session, second)).isEqualTo(text);

      assertThat(outcome.succeeded()).isTrue();
      assertThat(outcome.receiptIds()).hasSize(first.size()).doesNotHaveDuplicates();
      assertThat(outcome.summary()).startsWith("0x00000000 ESME_ROK, " + first.size() + " parts");
      assertThat(second).containsExactlyElementsOf(first);
      assertThat(session.mostUnanswered()).isEqualTo(1);
    }
  }

  /** Reads the parts of one message, in their order, as a handset would. */
  private static String read(CentreSession session, List<byte[]> parts) throws Exception {
    ByteArrayOutputStream whole = new ByteArrayOutputStream();
    SubmitSm submit;
    do {
      submit = session.awaitSubmit();
      byte[] part = submit.getShortMessage();
      parts.add(part);
      assertThat(submit.getEsmClass()).isEqualTo((byte) 0x40);
      assertThat(part).startsWith(5, 0, 3).hasSizeLessThanOrEqualTo(159);
      assertThat(part[3]).isEqualTo(parts.get(0)[3]);
      assertThat(part[5]).isEqualTo((byte) parts.size());
      whole.write(part, 6, part.length - 6);
    } while (parts.size() < submit.getShortMessage()[4]);
    return decoded(submit, whole.toByteArray());
  }

  private static String decoded(SubmitSm submit, byte[] bytes) {
    return submit.getDataCoding() == 8
        ? new String(bytes, UTF_16BE)
        : CharsetUtil.decode(bytes, CharsetUtil.CHARSET_GSM);
  }

  @Test
  void aPartThatIsRefusedEndsTheAttempt() throws Exception {
    AtomicInteger count = new AtomicInteger();
    centre.onSubmit(
        (session, submit) -> {
          if (count.incrementAndGet() == 2) {
            session.answer(submit, 0x45, null);
          } else {
            centre.take(session, submit);
          }
        });
    try (SmppSetting setting = SmppSetting.bound(centre.address(), 10, "")) {
      AttemptOutcome outcome = setting.send("a".repeat(400));

      assertThat(outcome.summary()).isEqualTo("part 2 of 3: 0x00000045 ESME_RSUBMITFAIL");
      assertThat(outcome.failure().isRetrySafe()).isEqualTo(RetrySafety.YES);
      assertThat(outcome.receiptIds()).isEmpty();
      assertThat(centre.awaitSession().submits).hasSize(2);
      assertThat(setting.send("a".repeat(400)).succeeded()).isTrue();
    }
  }

  @Test
  void theWindowIsNeverExceeded() throws Exception {
    ScheduledExecutorService later = Executors.newSingleThreadScheduledExecutor();
    centre.onSubmit(
        (session, submit) -> {
          var unused = later.schedule(() -> centre.take(session, submit), 1, TimeUnit.MILLISECONDS);
        });
    try (SmppSetting setting = new SmppSetting(centre.address(), 7, "\"binds\": 2")) {
      setting.awaitConnections(2);
      List<CompletableFuture<AttemptOutcome>> made = new ArrayList<>();
      while (made.size() < 300) {
        Await.until("room in flight", () -> setting.carrier.state().inFlight() < 7);
        CompletableFuture<AttemptOutcome> started = setting.start("a".repeat(170));
        if (!started.isDone() || CarrierCalls.await(started).made()) {
          made.add(started);
        }
      }
      for (CompletableFuture<AttemptOutcome> each : made) {
        assertThat(CarrierCalls.await(each).succeeded()).isTrue();
      }
      assertThat(centre.sessions).hasSize(2).allMatch(session -> session.mostUnanswered() <= 3);
      assertThat(setting.carrier.state().inFlight()).isZero();
    } finally {
      later.shutdownNow();
    }
  }

  @Test
  void aServerThatHangsUpLeavesNothingUndecided() throws Exception {
    centre.onSubmit((session, submit) -> {});
    try (SmppSetting setting = SmppSetting.bound(centre.address(), 10, "")) {
      CentreSession session = centre.awaitSession();
      List<CompletableFuture<AttemptOutcome>> started = new ArrayList<>();
      for (int i = 0; i < 10; i++) {
        started.add(setting.start("message " + i));
      }
      Await.until("ten are unanswered", () -> session.unanswered() == 10);
      session.hangUp();
      for (CompletableFuture<AttemptOutcome> each : started) {
        AttemptOutcome outcome = CarrierCalls.await(each);
        // Perhaps the messages were taken, so these are attempts.
        assertThat(outcome.made()).isTrue();
        assertThat(outcome.failure()).isEqualTo(CarrierFailure.CONNECTION_LOST);
        assertThat(outcome.summary())
            .isEqualTo("no answer to submit_sm: the SMS centre closed the connection");
      }
      centre.onSubmit(centre::take);
      assertThat(setting.sendUntilMade("after it").succeeded()).isTrue();
      assertThat(setting.context.recoveries()).isEqualTo(1);
    }
  }

  @Test
  void aMessageThatWaitsForAPlaceIsGivenBack() throws Exception {
    centre.onSubmit((session, submit) -> {});
    // Two binds share three: each has a window of one, and the third message waits.
    try (SmppSetting setting = new SmppSetting(centre.address(), 3, "\"binds\": 2")) {
      setting.awaitConnections(2);
      var first = setting.start("first");
      var second = setting.start("second");
      var third = setting.start("third");
      for (CentreSession session : centre.sessions) {
        Await.until("one is unanswered", () -> session.unanswered() == 1);
      }
      centre.answerBinds(0x0d);
      centre.sessions.forEach(CentreSession::hangUp);

      assertThat(CarrierCalls.await(first).made()).isTrue();
      assertThat(CarrierCalls.await(second).made()).isTrue();
      assertThat(CarrierCalls.await(third).made()).isFalse();
      assertThat(CarrierCalls.await(third).block().time()).isPositive();
    }
  }

  @Test
  void aServerThatNeverAnswersIsWaitedForAsLongAsSaid() throws Exception {
    centre.onSubmit((session, submit) -> {});
    try (SmppSetting setting = SmppSetting.bound(centre.address(), 1, "")) {
      CentreSession session = centre.awaitSession();
      CarrierAttempt attempt =
          TestAttempts.withTimeout(SmppSetting.attempt("hello"), Duration.ofMillis(200));
      // On a machine that stands still the time may be over before the message is written.
      AttemptOutcome outcome = CarrierCalls.send(setting.carrier, attempt);
      while (!outcome.made()) {
        outcome = CarrierCalls.send(setting.carrier, attempt);
      }

      assertThat(outcome.failure().isTimeout()).isTrue();
      assertThat(outcome.failure().isRetrySafe()).isEqualTo(RetrySafety.YES);
      assertThat(outcome.summary()).isEqualTo("no answer to submit_sm in 200 ms");
      // Its place is free again, and an answer that comes late is of no consequence.
      SubmitSm late = session.awaitSubmit();
      centre.onSubmit(centre::take);
      session.answer(late, 0, "late");
      assertThat(setting.send("the next").succeeded()).isTrue();
      assertThat(setting.carrier.state().connections()).isEqualTo(1);
    }
  }

  @Test
  void anAnswerThatComesTwiceCountsOnce() throws Exception {
    centre.onSubmit(
        (session, submit) -> {
          session.answer(submit, 0, "twice");
          session.answer(submit, 0x45, null);
        });
    try (SmppSetting setting = SmppSetting.bound(centre.address(), 10, "")) {
      for (int i = 0; i < 20; i++) {
        assertThat(setting.send("message " + i).succeeded()).isTrue();
      }
    }
  }

  @Test
  void aGenericNackIsAnAnswer() throws Exception {
    centre.onSubmit(
        (session, submit) -> {
          GenericNack nack = submit.createGenericNack(0x03);
          session.respond(nack);
        });
    try (SmppSetting setting = SmppSetting.bound(centre.address(), 10, "")) {
      AttemptOutcome outcome = setting.send("hello");

      assertThat(outcome.summary()).isEqualTo("0x00000003 ESME_RINVCMDID");
      assertThat(outcome.failure().isRetrySafe()).isEqualTo(RetrySafety.YES);
    }
  }

  @Test
  void answersToNothingDoNoHarm() throws Exception {
    try (SmppSetting setting = SmppSetting.bound(centre.address(), 10, "")) {
      CentreSession session = centre.awaitSession();
      session.sendRaw(header(16, 0x8000_0000, 0x02, 0));
      session.sendRaw(header(16, 0x8000_0000, 0x02, 99_999));
      session.sendRaw(header(16, 0x8000_0004, 0, 77_777));
      session.sendRaw(header(16, 0x0000_0102, 0, 3));
      session.sendRaw(header(16, 0x0000_0003, 0, 4));
      // A deliver_sm without anything in it.
      session.sendRaw(header(16, 0x0000_0005, 0, 5));

      assertThat(setting.send("hello").succeeded()).isTrue();
      assertThat(setting.carrier.state().connections()).isEqualTo(1);
      assertThat(setting.context.recoveries()).isZero();
    }
  }

  @ParameterizedTest
  @ValueSource(ints = {0, 3, 15, Integer.MAX_VALUE, -1})
  void aLengthThatIsNoneCostsTheConnectionOnly(int length) throws Exception {
    try (SmppSetting setting = SmppSetting.bound(centre.address(), 10, "")) {
      CentreSession session = centre.awaitSession();
      session.sendRaw(header(length, 0x0000_0005, 0, 5));
      session.awaitClosed();

      assertThat(centre.awaitSession()).isNotNull();
      assertThat(setting.sendUntilMade("hello").succeeded()).isTrue();
    }
  }

  private static byte[] header(int length, int command, int status, int sequence) {
    return ByteBuffer.allocate(16)
        .putInt(length)
        .putInt(command)
        .putInt(status)
        .putInt(sequence)
        .array();
  }

  @Test
  void aCarrierThatClosesWaitsForAnswersThatCome() throws Exception {
    centre.onSubmit((session, submit) -> {});
    SmppSetting setting = SmppSetting.bound(centre.address(), 10, "");
    CentreSession session = centre.awaitSession();
    var started = setting.start("hello");
    SubmitSm submit = session.awaitSubmit();
    Thread closing = new Thread(setting::close);
    closing.start();
    Await.until("the closing waits", () -> closing.getState() == Thread.State.TIMED_WAITING);
    centre.take(session, submit);

    assertThat(CarrierCalls.await(started).made()).isTrue();
    closing.join(60_000);
    assertThat(closing.isAlive()).isFalse();
  }

  @Test
  @Tag("slow")
  void aCarrierThatClosesEndsWhatIsUnderWay() throws Exception {
    centre.onSubmit((session, submit) -> {});
    SmppSetting setting = new SmppSetting(centre.address(), 3, "\"binds\": 2");
    setting.awaitConnections(2);
    var first = setting.start("first");
    var second = setting.start("second");
    var third = setting.start("third");
    for (CentreSession session : centre.sessions) {
      Await.until("one is unanswered", () -> session.unanswered() == 1);
    }
    setting.close();

    for (CompletableFuture<AttemptOutcome> written : List.of(first, second)) {
      assertThat(written).isDone();
      assertThat(CarrierCalls.await(written).made()).isTrue();
      assertThat(CarrierCalls.await(written).failure()).isEqualTo(CarrierFailure.CONNECTION_LOST);
    }
    assertThat(third).isDone();
    assertThat(CarrierCalls.await(third).made()).isFalse();
  }

  @Test
  void anAttemptBeforeTheFirstBindIsGivenBack() throws Exception {
    centre.answerBinds(0x0d);
    try (SmppSetting setting = new SmppSetting(centre.address(), 10, "")) {
      AttemptOutcome outcome = CarrierCalls.send(setting.carrier, SmppSetting.attempt("hello"));
      assertThat(outcome.made()).isFalse();
      centre.answerBinds(0);
      Await.until("a recovery", () -> setting.context.recoveries() == 1);
      assertThat(setting.send("hello").succeeded()).isTrue();
    }
  }

  @Test
  void anotherProtocolNeverComesHere() {
    assertThat(new SmppCarrierType().protocols()).containsExactly(Protocol.SMS);
  }

  @Test
  void whatMayNotBeginIsNotSubmitted() throws Exception {
    try (SmppSetting setting = SmppSetting.bound(centre.address(), 10, "")) {
      assertThat(
              CarrierCalls.send(
                  setting.carrier,
                  TestAttempts.withStart(SmppSetting.attempt("late"), () -> false)))
          .isEqualTo(AttemptOutcome.MAY_NOT_BEGIN);
      setting.send("hello");

      assertThat(centre.awaitSession().awaitSubmit().getShortMessage())
          .asString()
          .isEqualTo("hello");
    }
  }
}
