package dev.reprise.endpoints.sms;

import static org.assertj.core.api.Assertions.assertThat;

import dev.reprise.delivery.AttemptOutcome;
import dev.reprise.delivery.Protocol;
import dev.reprise.delivery.carrier.CarrierFailure;
import dev.reprise.delivery.carrier.CarrierFault;
import dev.reprise.endpoints.fixtures.CarrierCalls;
import dev.reprise.endpoints.fixtures.TestAttempts;
import dev.reprise.fixtures.Await;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** A backlog behind an account that is empty, against an SMS centre that says so to all. */
class SmppAccountFaultTest {
  private static final int BACKLOG = 100;

  private SmsCentre centre;

  @BeforeEach
  void open() throws Exception {
    centre = new SmsCentre();
  }

  @AfterEach
  void close() {
    centre.close();
  }

  private static AttemptOutcome send(SmppSetting setting, int number) throws Exception {
    return CarrierCalls.send(
        setting.carrier, TestAttempts.of(Protocol.SMS, "+49151" + (1_000_000 + number), "hello"));
  }

  private void answerAll(int status) {
    centre.onSubmit((session, submit) -> session.answer(submit, status, null));
  }

  @ParameterizedTest
  @ValueSource(ints = {0x45, 0x400, 0x401, 0x40b, 0xff, 0x67, 0x08})
  void statusThatSeveralNumbersHaveIsTheAccounts(int status) throws Exception {
    answerAll(status);
    try (SmppSetting setting = SmppSetting.bound(centre.address(), 10, "")) {
      int charged = 0;
      for (int i = 0; i < BACKLOG; i++) {
        charged += send(setting, i).made() ? 1 : 0;
      }

      assertThat(charged).isEqualTo(CarrierFault.MIN_ALIKE - 1);
      assertThat(setting.carrier.state().fault()).isEqualTo(CommandStatus.text(status));
      centre.onSubmit(centre::take);
      assertThat(setting.sendUntilMade("paid").succeeded()).isTrue();
      assertThat(setting.carrier.state().fault()).isNull();
    }
  }

  @Test
  void statusThatIsSetToBeTheAccountsChargesNobody() throws Exception {
    answerAll(0x40b);
    try (SmppSetting setting =
        SmppSetting.bound(centre.address(), 10, "\"accountStatuses\": \"0x401, 0x40B\"")) {
      for (int i = 0; i < BACKLOG; i++) {
        assertThat(send(setting, i).made()).isFalse();
      }
    }
  }

  /** The first part is billed, so an attempt that sends it again is charged. */
  @ParameterizedTest
  @ValueSource(ints = {0x58, 0x40b})
  void accountThatTakesTheFirstPartAloneIsCharged(int status) throws Exception {
    AtomicInteger submits = new AtomicInteger();
    centre.onSubmit(
        (session, submit) -> {
          if (submits.incrementAndGet() % 2 == 0) {
            session.answer(submit, status, null);
          } else {
            centre.take(session, submit);
          }
        });
    String longText = "a".repeat(200);
    try (SmppSetting setting =
        SmppSetting.bound(centre.address(), 10, "\"accountStatuses\": \"0x40B\"")) {
      AttemptOutcome outcome = setting.send(longText);

      assertThat(outcome.made()).isTrue();
      assertThat(outcome.failure()).isEqualTo(CarrierFailure.TRANSIENT);
      assertThat(outcome.status()).isEqualTo(status);
      assertThat(outcome.summary()).isEqualTo("part 2 of 2: " + CommandStatus.text(status));
      assertThat(outcome.block()).isNotNull();
      assertThat(outcome.receiptIds()).isEmpty();
      assertThat(setting.carrier.state().fault()).isEqualTo(CommandStatus.text(status));

      // The first part of the next one is no sign that the account works.
      assertThat(setting.sendUntilMade(longText).succeeded()).isFalse();
      assertThat(submits).hasValue(4);
      assertThat(setting.context.recoveries()).isZero();
      assertThat(setting.carrier.state().fault()).isEqualTo(CommandStatus.text(status));

      centre.onSubmit(centre::take);
      assertThat(setting.sendUntilMade(longText).succeeded()).isTrue();
      assertThat(setting.carrier.state().fault()).isNull();
      Await.until("a recovery", () -> setting.context.recoveries() == 1);
    }
  }

  @Test
  void oneNumberThatIsRefusedForEverHoldsUpNobody() throws Exception {
    centre.onSubmit(
        (session, submit) -> {
          if (submit.getDestAddress().getAddress().endsWith("1000000")) {
            session.answer(submit, 0x45, null);
          } else {
            centre.take(session, submit);
          }
        });
    try (SmppSetting setting = SmppSetting.bound(centre.address(), 10, "")) {
      for (int i = 0; i < 3 * CarrierFault.MIN_ALIKE; i++) {
        assertThat(send(setting, 0).made()).isTrue();
      }
      for (int i = 1; i < 10; i++) {
        assertThat(send(setting, i).succeeded()).isTrue();
        assertThat(send(setting, 0).made()).isTrue();
      }
    }
  }
}
