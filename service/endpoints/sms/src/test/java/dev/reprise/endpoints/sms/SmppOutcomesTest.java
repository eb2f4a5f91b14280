package dev.reprise.endpoints.sms;

import static java.nio.charset.StandardCharsets.US_ASCII;
import static org.assertj.core.api.Assertions.assertThat;

import dev.reprise.core.RetrySafety;
import dev.reprise.delivery.AttemptOutcome;
import dev.reprise.delivery.Protocol;
import dev.reprise.endpoints.fixtures.CarrierCalls;
import dev.reprise.endpoints.fixtures.TestAttempts;
import dev.reprise.fixtures.Await;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class SmppOutcomesTest {
  private static SmsCentre centre;
  private static SmppSetting setting;

  @BeforeAll
  static void open() throws Exception {
    centre = new SmsCentre();
    setting = SmppSetting.bound(centre.address(), 10, "");
  }

  @AfterAll
  static void close() {
    setting.close();
    centre.close();
  }

  @BeforeEach
  void takeAll() {
    centre.onSubmit(centre::take);
  }

  @Test
  void aMessageIsTaken() throws Exception {
    centre.onSubmit((session, submit) -> session.answer(submit, 0, "4711"));

    AttemptOutcome outcome = setting.send("hello");

    assertThat(outcome.succeeded()).isTrue();
    assertThat(outcome.summary()).isEqualTo("0x00000000 ESME_ROK, id 4711");
    assertThat(outcome.address()).isEqualTo(centre.address());
    assertThat(outcome.receiptIds()).containsExactly("4711");
    assertThat(outcome.durationNanos()).isPositive();
  }

  @Test
  void aMessageWithoutAnIdIsTakenWithoutReceipts() throws Exception {
    centre.onSubmit((session, submit) -> session.answer(submit, 0, null));

    AttemptOutcome outcome = setting.send("hello");

    assertThat(outcome.summary()).isEqualTo("0x00000000 ESME_ROK");
    assertThat(outcome.receiptIds()).isEmpty();
  }

  /**
   * Each alone says too little of the account: {@code SmppAccountFaultTest} has several in a row.
   */
  @ParameterizedTest
  @CsvSource({
    "0x02, ESME_RINVCMDLEN",
    "0x03, ESME_RINVCMDID",
    "0x05, ESME_RALYBND",
    "0x08, ESME_RSYSERR",
    "0x0C, ESME_RINVMSGID",
    "0x11, ESME_RCANCELFAIL",
    "0x13, ESME_RREPLACEFAIL",
    "0x33, ESME_RINVNUMDESTS",
    "0x34, ESME_RINVDLNAME",
    "0x40, ESME_RINVDESTFLAG",
    "0x43, ESME_RINVESMCLASS",
    "0x44, ESME_RCNTSUBDL",
    "0x45, ESME_RSUBMITFAIL",
    "0x50, ESME_RINVDSTTON",
    "0x51, ESME_RINVDSTNPI",
    "0x55, ESME_RINVNUMMSGS",
    "0x64, ESME_RX_T_APPN",
    "0x67, ESME_RQUERYFAIL",
    "0xC0, ESME_RINVOPTPARSTREAM",
    "0xC1, ESME_ROPTPARNOTALLWD",
    "0xC2, ESME_RINVPARLEN",
    "0xC3, ESME_RMISSINGOPTPARAM",
    "0xC4, ESME_RINVOPTPARAMVAL",
    "0xFE, ESME_RDELIVERYFAILURE",
    "0xFF, ESME_RUNKNOWNERR",
    "0x09, (not of SMPP 3.4)",
    "0x400, (not of SMPP 3.4)",
    "0x7FFFFFFF, (not of SMPP 3.4)"
  })
  void thisRefusalIsRetried(String code, String name) throws Exception {
    AttemptOutcome outcome = refusedWith(code, name);

    assertThat(outcome.failure().isRetrySafe()).isEqualTo(RetrySafety.YES);
    assertThat(outcome.failure().isThrottle()).isFalse();
    assertThat(outcome.block()).isNull();
  }

  @ParameterizedTest
  @CsvSource({
    "0x01, ESME_RINVMSGLEN",
    "0x0B, ESME_RINVDSTADR",
    "0x65, ESME_RX_P_APPN",
    "0x66, ESME_RX_R_APPN"
  })
  void thisRefusalIsPermanent(String code, String name) throws Exception {
    AttemptOutcome outcome = refusedWith(code, name);

    assertThat(outcome.failure().isRetrySafe()).isEqualTo(RetrySafety.NO);
    assertThat(outcome.block()).isNull();
  }

  @Test
  void aFullQueuePausesTheCarrier() throws Exception {
    AttemptOutcome outcome = refusedWith("0x14", "ESME_RMSGQFUL");

    assertThat(outcome.failure().isRetrySafe()).isEqualTo(RetrySafety.YES);
    assertThat(outcome.failure().isThrottle()).isTrue();
    assertThat(outcome.block().time()).isPositive();
    assertThat(outcome.block().reason()).isEqualTo(outcome.summary());
    assertThat(setting.sendUntilMade("the next").succeeded()).isTrue();
  }

  /** Fields that are the same in every message are settings, and a throttle is the account's. */
  @ParameterizedTest
  @CsvSource({
    "0x06, ESME_RINVPRTFLG",
    "0x07, ESME_RINVREGDLVFLG",
    "0x0A, ESME_RINVSRCADR",
    "0x15, ESME_RINVSERTYP",
    "0x42, ESME_RINVSUBREP",
    "0x48, ESME_RINVSRCTON",
    "0x49, ESME_RINVSRCNPI",
    "0x54, ESME_RINVREPFLAG",
    "0x58, ESME_RTHROTTLED",
    "0x61, ESME_RINVSCHED",
    "0x62, ESME_RINVEXPIRY",
    "0x63, ESME_RINVDFTMSGID"
  })
  void thisRefusalCostsNoAttempt(String code, String name) throws Exception {
    int status = Integer.decode(code);
    centre.onSubmit((session, submit) -> session.answer(submit, status, null));
    AttemptOutcome outcome = setting.send("hello");
    String reason = String.format("0x%08X %s", status, name);

    assertThat(outcome.made()).isFalse();
    assertThat(outcome.block().reason()).isEqualTo(reason);
    assertThat(setting.carrier.state().fault()).isEqualTo(reason);
    assertThat(setting.carrier.state().faultSinceMillis()).isPositive();
    centre.onSubmit(centre::take);
    int recoveries = setting.context.recoveries();
    assertThat(setting.sendUntilMade("the next").succeeded()).isTrue();
    Await.until("a recovery", () -> setting.context.recoveries() == recoveries + 1);
    assertThat(setting.carrier.state().fault()).isNull();
  }

  @ParameterizedTest
  @CsvSource({
    "0x04, ESME_RINVBNDSTS",
    "0x0D, ESME_RBINDFAIL",
    "0x0E, ESME_RINVPASWD",
    "0x0F, ESME_RINVSYSID",
    "0x53, ESME_RINVSYSTYP"
  })
  void thisRefusalCostsNoAttemptAndBindsAnew(String code, String name) throws Exception {
    centre.opened.clear();
    int status = Integer.decode(code);
    centre.onSubmit((session, submit) -> session.answer(submit, status, null));
    AttemptOutcome outcome = setting.send("hello");

    assertThat(outcome.made()).isFalse();
    assertThat(outcome.block().time()).isPositive();
    assertThat(outcome.block().reason()).isEqualTo(String.format("0x%08X %s", status, name));
    centre.onSubmit(centre::take);
    CentreSession next = centre.awaitSession();
    assertThat(setting.sendUntilMade("over the next").succeeded()).isTrue();
    assertThat(next.awaitSubmit().getShortMessage()).isEqualTo("over the next".getBytes(US_ASCII));
  }

  private static AttemptOutcome refusedWith(String code, String name) throws Exception {
    int status = Integer.decode(code);
    centre.onSubmit((session, submit) -> session.answer(submit, status, null));

    AttemptOutcome outcome = setting.send("hello");

    assertThat(outcome.made()).isTrue();
    assertThat(outcome.succeeded()).isFalse();
    assertThat(outcome.status()).isEqualTo(status);
    assertThat(outcome.summary()).isEqualTo(String.format("0x%08X %s", status, name));
    assertThat(outcome.receiptIds()).isEmpty();
    centre.onSubmit(centre::take);
    return outcome;
  }

  @Test
  void oneRefusedNumberLeaves200OthersAlone() throws Exception {
    centre.onSubmit(
        (session, submit) -> {
          if (submit.getDestAddress().getAddress().equals("4999999")) {
            session.answer(submit, 0x0b, null);
          } else {
            centre.take(session, submit);
          }
        });
    List<CompletableFuture<AttemptOutcome>> good = new ArrayList<>();
    CompletableFuture<AttemptOutcome> refused = null;
    for (int i = 0; i < 200; i++) {
      Await.until("room in flight", () -> setting.carrier.state().inFlight() < 8);
      good.add(setting.start("good " + i));
      if (i == 100) {
        refused =
            CarrierCalls.start(
                setting.carrier, TestAttempts.of(Protocol.SMS, "+4999999", "refused"));
      }
    }

    for (CompletableFuture<AttemptOutcome> each : good) {
      assertThat(CarrierCalls.await(each).succeeded()).isTrue();
    }
    assertThat(CarrierCalls.await(refused).failure().isRetrySafe()).isEqualTo(RetrySafety.NO);
  }

  @Test
  void aTextThatIsTooLongIsRefusedHere() throws Exception {
    AttemptOutcome outcome = setting.send("a".repeat(2001));

    assertThat(outcome.failure().isRetrySafe()).isEqualTo(RetrySafety.NO);
    assertThat(outcome.summary()).startsWith("the text has 2001 characters, 14 parts of SMS: must");
  }

  @Test
  void aNumberThatIsNoneIsRefusedHere() throws Exception {
    AttemptOutcome outcome =
        CarrierCalls.send(setting.carrier, TestAttempts.of(Protocol.SMS, "0151", "hello"));

    assertThat(outcome.failure().isRetrySafe()).isEqualTo(RetrySafety.NO);
    assertThat(outcome.summary()).startsWith("endpoint is 0151: must be a phone number");
  }
}
