package dev.reprise.endpoints.sms;

import static java.nio.charset.StandardCharsets.ISO_8859_1;
import static java.nio.charset.StandardCharsets.US_ASCII;
import static org.assertj.core.api.Assertions.assertThat;

import com.cloudhopper.smpp.SmppConstants;
import com.cloudhopper.smpp.pdu.DataSm;
import com.cloudhopper.smpp.pdu.DataSmResp;
import com.cloudhopper.smpp.pdu.EnquireLink;
import com.cloudhopper.smpp.pdu.SubmitSm;
import com.cloudhopper.smpp.tlv.Tlv;
import com.cloudhopper.smpp.type.Address;
import dev.reprise.delivery.AttemptOutcome;
import dev.reprise.delivery.carrier.Carrier;
import dev.reprise.delivery.carrier.Receipt;
import dev.reprise.endpoints.fixtures.CarrierCalls;
import dev.reprise.fixtures.Await;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class SmppReceiptsTest {
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

  private static String text(String id, String state, String error) {
    return "id:"
        + id
        + " sub:001 dlvrd:001 submit date:2611211200 done date:2611211201 stat:"
        + state
        + " err:"
        + error
        + " text:hello";
  }

  @ParameterizedTest
  @CsvSource({
    "DELIVRD, 000, true, 2, DELIVRD",
    "EXPIRED, 027, false, 3, 'EXPIRED, error 027'",
    "DELETED, 0, false, 4, DELETED",
    "UNDELIV, 011, false, 5, 'UNDELIV, error 011'",
    "REJECTD, 00A, false, 8, 'REJECTD, error 00A'"
  })
  void aFinalStateIsTold(String state, String error, boolean delivered, int status, String summary)
      throws Exception {
    try (SmppSetting setting = SmppSetting.bound(centre.address(), 10, "")) {
      String id = setting.send("hello").receiptIds().get(0);
      assertThat(centre.awaitSession().receipt(text(id, state, error))).isZero();

      assertThat(setting.context.awaitReceipt())
          .isEqualTo(new Receipt(id, delivered, status, summary));
    }
  }

  @Test
  void statesThatAreNotFinalAreNotTold() throws Exception {
    try (SmppSetting setting = SmppSetting.bound(centre.address(), 10, "")) {
      String id = setting.send("hello").receiptIds().get(0);
      CentreSession session = centre.awaitSession();
      for (String state : List.of("ENROUTE", "ACCEPTD", "UNKNOWN", "SOMETHING")) {
        assertThat(session.receipt(text(id, state, "000"))).isZero();
      }
      // Someone has sent an SMS to us, and an intermediate notification.
      String sms = "my bill says id:" + id + " sub:001 stat:UNDELIV err:1";
      assertThat(session.deliver(0, sms.getBytes(US_ASCII))).isZero();
      assertThat(session.deliver(0x20, text(id, "UNDELIV", "1").getBytes(US_ASCII))).isZero();
      assertThat(session.receipt(text(id, "DELIVRD", "000"))).isZero();

      assertThat(setting.context.awaitReceipt().summary()).isEqualTo("DELIVRD");
      assertThat(setting.context.receiptsLeft()).isZero();
    }
  }

  /** Many SMS centres forget esm_class, or write blanks behind the colons. */
  @ParameterizedTest
  @ValueSource(
      strings = {
        "id:%s sub:001 dlvrd:001 submit date:2611211200 done date:2611211201 stat:EXPIRED err:027"
            + " text:hi",
        "id:  %s  sub: 001  dlvrd: 000  submit date: 2611211200  done date: 2611211201"
            + "  stat: EXPIRED  err: 027  text: hi",
        "id:%s stat:EXPIRED err:027"
      })
  void aReceiptThatIsNotMarkedAsOneIsTold(String form) throws Exception {
    try (SmppSetting setting = SmppSetting.bound(centre.address(), 10, "")) {
      String id = setting.send("hello").receiptIds().get(0);
      CentreSession session = centre.awaitSession();
      byte[] text = form.formatted(id).getBytes(US_ASCII);
      assertThat(session.deliver(0, text)).isZero();
      assertThat(session.deliver(4, text)).isZero();

      Receipt expected = new Receipt(id, false, 3, "EXPIRED, error 027");
      assertThat(setting.context.awaitReceipt()).isEqualTo(expected);
      assertThat(setting.context.awaitReceipt()).isEqualTo(expected);
    }
  }

  @ParameterizedTest
  @ValueSource(ints = {0, 4})
  void aReceiptMayComeAsDataSm(int esmClass) throws Exception {
    try (SmppSetting setting = SmppSetting.bound(centre.address(), 10, "")) {
      String id = setting.send("hello").receiptIds().get(0);
      CentreSession session = centre.awaitSession();
      byte[] text = text(id, "UNDELIV", "11").getBytes(ISO_8859_1);
      DataSm ofParameters =
          dataSm(
              esmClass,
              new Tlv(SmppConstants.TAG_RECEIPTED_MSG_ID, (id + "\0").getBytes(ISO_8859_1)),
              new Tlv(SmppConstants.TAG_MSG_STATE, new byte[] {2}));

      assertThat(session.ask(ofParameters)).isInstanceOf(DataSmResp.class);
      assertThat(setting.context.awaitReceipt()).isEqualTo(new Receipt(id, true, 2, "DELIVRD"));
      assertThat(
              session
                  .ask(dataSm(esmClass, new Tlv(SmppConstants.TAG_MESSAGE_PAYLOAD, text)))
                  .getCommandStatus())
          .isZero();
      assertThat(setting.context.awaitReceipt())
          .isEqualTo(new Receipt(id, false, 5, "UNDELIV, error 11"));
    }
  }

  private static DataSm dataSm(int esmClass, Tlv... tlvs) {
    DataSm data = new DataSm();
    data.setSourceAddress(new Address((byte) 1, (byte) 1, "4915112345678"));
    data.setDestAddress(new Address((byte) 5, (byte) 0, "Reprise"));
    data.setEsmClass((byte) esmClass);
    for (Tlv tlv : tlvs) {
      data.addOptionalParameter(tlv);
    }
    return data;
  }

  @Test
  void optionalParametersGoBeforeTheText() throws Exception {
    try (SmppSetting setting = SmppSetting.bound(centre.address(), 10, "")) {
      String id = setting.send("hello").receiptIds().get(0);
      Tlv receipted = new Tlv(SmppConstants.TAG_RECEIPTED_MSG_ID, (id + "\0").getBytes(ISO_8859_1));
      Tlv state = new Tlv(SmppConstants.TAG_MSG_STATE, new byte[] {5});
      CentreSession session = centre.awaitSession();
      session.receipt(text("0", "DELIVRD", "005"), receipted, state);
      session.receipt("", receipted, state);

      assertThat(setting.context.awaitReceipt())
          .isEqualTo(new Receipt(id, false, 5, "UNDELIV, error 005"));
      assertThat(setting.context.awaitReceipt()).isEqualTo(new Receipt(id, false, 5, "UNDELIV"));
    }
  }

  @Test
  void aTextInThePayloadIsRead() throws Exception {
    try (SmppSetting setting = SmppSetting.bound(centre.address(), 10, "")) {
      String id = setting.send("hello").receiptIds().get(0);
      byte[] payload = text(id, "DELIVRD", "000").getBytes(US_ASCII);
      centre.awaitSession().receipt("", new Tlv(SmppConstants.TAG_MESSAGE_PAYLOAD, payload));

      assertThat(setting.context.awaitReceipt().id()).isEqualTo(id);
    }
  }

  @ParameterizedTest
  @CsvSource({
    "as-sent, 0A1B, 0A1B, 0A1B",
    "decimal, 0A1B, 2587, 2587",
    "decimal, a1b, 0000002587, 2587",
    "hex, 2587, A1B, 2587",
    "hex, 0002587, 0000a1b, 2587",
    "decimal, not-a-number, not-a-number, not-a-number"
  })
  void idsAreKnownInEitherNotation(String notation, String answer, String receipt, String id)
      throws Exception {
    centre.onSubmit((session, submit) -> session.answer(submit, 0, answer));
    String setting = "\"receiptIds\": \"" + notation + "\"";
    try (SmppSetting carrier = SmppSetting.bound(centre.address(), 10, setting)) {
      assertThat(carrier.send("hello").receiptIds()).containsExactly(id);
      CentreSession session = centre.awaitSession();
      session.receipt(text(receipt, "DELIVRD", "000"));
      // As it was given it is known as well.
      session.receipt(text(answer, "UNDELIV", "000"));

      Set<String> ids = new TreeSet<>();
      ids.add(carrier.context.awaitReceipt().id());
      ids.add(carrier.context.awaitReceipt().id());
      assertThat(ids).containsExactly(id);
    }
  }

  @Test
  void aReceiptBeforeTheAnswerWaitsForIt() throws Exception {
    centre.onSubmit((session, submit) -> {});
    try (SmppSetting setting = SmppSetting.bound(centre.address(), 10, "")) {
      CentreSession session = centre.awaitSession();
      CompletableFuture<AttemptOutcome> started = setting.start("hello");
      SubmitSm submit = session.awaitSubmit();
      assertThat(session.receipt(text("early", "DELIVRD", "000"))).isZero();
      assertThat(setting.context.receiptsLeft()).isZero();
      session.answer(submit, 0, "early");

      assertThat(CarrierCalls.await(started).receiptIds()).containsExactly("early");
      assertThat(setting.context.awaitReceipt().id()).isEqualTo("early");
    }
  }

  @Test
  void aReceiptOfAPartWaitsForTheOthers() throws Exception {
    centre.onSubmit((session, submit) -> {});
    try (SmppSetting setting = SmppSetting.bound(centre.address(), 10, "")) {
      CentreSession session = centre.awaitSession();
      CompletableFuture<AttemptOutcome> started = setting.start("a".repeat(200));
      session.answer(session.awaitSubmit(), 0, "one");
      SubmitSm second = session.awaitSubmit();
      assertThat(session.receipt(text("one", "DELIVRD", "000"))).isZero();
      assertThat(setting.context.receiptsLeft()).isZero();
      session.answer(second, 0, "two");

      assertThat(CarrierCalls.await(started).receiptIds()).containsExactly("one", "two");
      assertThat(setting.context.awaitReceipt().id()).isEqualTo("one");
    }
  }

  @Test
  void receiptsComeInAnyOrderOverAnyBind() throws Exception {
    try (SmppSetting setting = new SmppSetting(centre.address(), 10, "\"binds\": 2")) {
      setting.awaitConnections(2);
      List<String> ids = new ArrayList<>();
      for (int i = 0; i < 20; i++) {
        ids.add(setting.send("message " + i).receiptIds().get(0));
      }
      for (int i = 19; i >= 0; i--) {
        centre.sessions.get(i % 2).receipt(text(ids.get(i), "DELIVRD", "000"));
      }
      Set<String> told = new TreeSet<>();
      for (int i = 0; i < 20; i++) {
        told.add(setting.context.awaitReceipt().id());
      }
      assertThat(told).containsExactlyInAnyOrderElementsOf(ids);
    }
  }

  @Test
  void aReceiptThatNobodyKnowsIsPassedOn() throws Exception {
    try (SmppSetting setting = SmppSetting.bound(centre.address(), 10, "")) {
      // Such as one of a message that was sent before a restart.
      centre.awaitSession().receipt(text("of yesterday", "DELIVRD", "000"));
      assertThat(setting.context.awaitReceipt().id()).isEqualTo("of");
    }
  }

  @ParameterizedTest
  @ValueSource(strings = {"", "id:", "id: stat:DELIVRD", "stat:DELIVRD", "id:1", "\u0000\u0001"})
  void aReceiptThatSaysNothingIsDropped(String text) throws Exception {
    try (SmppSetting setting = SmppSetting.bound(centre.address(), 10, "")) {
      CentreSession session = centre.awaitSession();
      assertThat(session.receipt(text)).isZero();
      assertThat(session.receipt(text("1", "DELIVRD", "000"))).isZero();

      assertThat(setting.context.awaitReceipt().id()).isEqualTo("1");
      assertThat(setting.context.receiptsLeft()).isZero();
    }
  }

  @Test
  void anEngineThatWritesSlowlyDoesNotStopTheLink() throws Exception {
    BlockedContext context = new BlockedContext();
    String settings = "{\"addresses\": \"" + centre.address() + "\", \"systemId\": \"reprise\"}";
    SmppCarrierType type = new SmppCarrierType();
    Carrier carrier = type.open(CarrierCalls.settings(type, settings), context);
    try {
      CentreSession session = centre.awaitSession();
      for (int i = 0; i < 50; i++) {
        session.deliverWithoutWaiting(text("id" + i, "DELIVRD", "000"));
      }
      context.begun.await();

      assertThat(session.ask(new EnquireLink()).getCommandStatus()).isZero();
      context.goOn.countDown();
      Await.until("fifty receipts", () -> context.received.get() == 50);
    } finally {
      carrier.close();
    }
  }
}
