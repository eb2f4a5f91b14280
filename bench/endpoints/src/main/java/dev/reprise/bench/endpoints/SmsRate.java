package dev.reprise.bench.endpoints;

import static java.nio.charset.StandardCharsets.US_ASCII;

import dev.reprise.bench.common.Effort;
import dev.reprise.delivery.Protocol;
import dev.reprise.delivery.carrier.Carrier;
import dev.reprise.endpoints.fixtures.SmsSink;
import dev.reprise.endpoints.fixtures.TestAttempts;
import dev.reprise.endpoints.fixtures.TestContext;
import dev.reprise.endpoints.sms.SmppCarrierType;
import java.io.PrintStream;
import java.time.Duration;
import java.util.Locale;
import org.jsmpp.bean.BindType;
import org.jsmpp.bean.ESMClass;
import org.jsmpp.bean.GeneralDataCoding;
import org.jsmpp.bean.NumberingPlanIndicator;
import org.jsmpp.bean.RegisteredDelivery;
import org.jsmpp.bean.SMSCDeliveryReceipt;
import org.jsmpp.bean.TypeOfNumber;
import org.jsmpp.session.BindParameter;
import org.jsmpp.session.SMPPSession;

/** SMS beside jSMPP's own session with as many threads as the window. */
final class SmsRate extends CarrierRate {
  private static final int WINDOW = 10;
  private static final String NUMBER = "+4915112345678";
  private static final String TEXT = "Your parcel arrives today between 12:00 and 14:00.";

  SmsRate() {
    super("sms", 50_000);
  }

  @Override
  public String run(Effort effort, PrintStream out) throws Exception {
    int port = Ports.free();
    try (SmsSink centre = new SmsSink(port, Duration.ZERO);
        Carrier carrier =
            open(
                new SmppCarrierType(),
                String.format(
                    Locale.ROOT,
                    """
                    {"addresses": "127.0.0.1:%d", "systemId": "ours", "password": "secret"}
                    """,
                    port),
                new TestContext(WINDOW));
        Threads threads = new Threads(WINDOW)) {
      SMPPSession session = new SMPPSession();
      session.setTransactionTimer(60_000);
      String unused =
          session.connectAndBind(
              "127.0.0.1",
              port,
              new BindParameter(
                  BindType.BIND_TRX,
                  "bare",
                  "secret",
                  "",
                  TypeOfNumber.UNKNOWN,
                  NumberingPlanIndicator.UNKNOWN,
                  ""));
      out.println(carrier.test().toCompletableFuture().get());
      String figures =
          compare(
              effort,
              out,
              sending(carrier, WINDOW, () -> TestAttempts.of(Protocol.SMS, NUMBER, TEXT)),
              messages -> threads.share(messages, thread -> submit(session)),
              () -> {});
      session.unbindAndClose();
      out.println(centre.taken() + " messages were taken");
      return figures;
    }
  }

  private static void submit(SMPPSession session) throws Exception {
    var unused =
        session.submitShortMessage(
            "",
            TypeOfNumber.UNKNOWN,
            NumberingPlanIndicator.UNKNOWN,
            "",
            TypeOfNumber.INTERNATIONAL,
            NumberingPlanIndicator.ISDN,
            NUMBER.substring(1),
            new ESMClass(),
            (byte) 0,
            (byte) 0,
            null,
            null,
            new RegisteredDelivery(SMSCDeliveryReceipt.SUCCESS_FAILURE),
            (byte) 0,
            new GeneralDataCoding(),
            (byte) 0,
            TEXT.getBytes(US_ASCII));
  }
}
