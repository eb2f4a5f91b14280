package dev.reprise.endpoints.sms;

import dev.reprise.common.order.InOrder;
import dev.reprise.common.text.HarmlessText;
import dev.reprise.core.backoff.Backoff;
import dev.reprise.delivery.AttemptOutcome;
import dev.reprise.delivery.AttemptOutcome.Block;
import dev.reprise.delivery.body.SmsText;
import dev.reprise.delivery.carrier.Carrier;
import dev.reprise.delivery.carrier.CarrierAttempt;
import dev.reprise.delivery.carrier.CarrierContext;
import dev.reprise.delivery.carrier.CarrierFailure;
import dev.reprise.delivery.carrier.CarrierFault;
import dev.reprise.delivery.carrier.CarrierState;
import dev.reprise.delivery.carrier.CarrierVerdict;
import dev.reprise.delivery.carrier.CarrierWindow;
import dev.reprise.delivery.carrier.Consequence;
import dev.reprise.delivery.carrier.Receipt;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.List;
import java.util.SplittableRandom;
import java.util.concurrent.CompletionStage;
import java.util.function.Consumer;
import javax.net.ssl.SSLSocketFactory;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * An account at an SMS centre. Attempts go over the bind with most room in its window, or wait for
 * one. {@link SmppBinds} keeps the binds up in the background, because receipts come over them even
 * while nothing is sent.
 *
 * <p>All state, of the attempts, the binds and the receipts, belongs to one queue of events and has
 * no lock. Whatever happens becomes an event, on any thread: an attempt is asked for, its answer is
 * there or will not come, its time is over, a receipt has come, a bind was made or lost, the
 * carrier is closed. They are handled one after the other, on whichever thread brings the first
 * while none is handled. Nothing in them blocks: other threads connect, write, read and pass
 * receipts on. An outcome is given within an event, so an attempt that its receiver begins is a
 * later event.
 */
final class SmppCarrier implements Carrier {
  private static final Logger LOG = LoggerFactory.getLogger(SmppCarrier.class);
  private static final int MAX_SUMMARY = 200;
  private static final Duration WITHOUT_ROOM = Duration.ofMillis(100);

  /** Of the 5 s that {@link #close} has, the time for answers to what is under way. */
  private static final Duration MAX_DRAIN = Duration.ofSeconds(2);

  private final SmppSettings settings;
  private final CarrierContext context;
  private final SubmitForm form;
  private final InOrder events;
  private final SmppBinds binds;
  private final ReceiptDesk desk;

  /** The fault that answers report, of the account or the SMS centre, while binds are up. */
  private final CarrierFault fault;

  private final CarrierWindow<Submission> window;
  private final Deque<Submission> waiting = new ArrayDeque<>();

  /** A carrier that does nothing before {@link #start}. */
  SmppCarrier(
      SmppSettings settings, CarrierContext context, SSLSocketFactory tls, Backoff backoff) {
    this.settings = settings;
    this.context = context;
    String threadName = "smpp-" + context.name();
    events =
        new InOrder(
            Runnable::run, e -> LOG.error("carrier {}: an event failed", context.name(), e));
    form = new SubmitForm(settings);
    window = new CarrierWindow<>(context, late -> events.execute(() -> timedOut(late)));
    desk = new ReceiptDesk(context, threadName);
    SmppLogin login = new SmppLogin(settings, tls, threadName);
    binds = new SmppBinds(this, events, settings, context, login, backoff);
    fault =
        new CarrierFault(
            backoff, new SplittableRandom(), System::nanoTime, System::currentTimeMillis);
  }

  void start() {
    binds.start();
  }

  @Override
  public void send(CarrierAttempt attempt, Consumer<AttemptOutcome> done) {
    String text = attempt.content().text();
    SmsText.Coding coding = settings.alphabet().coding();
    String problem = problem(attempt.endpoint(), text, coding);
    if (problem != null) {
      done.accept(new AttemptOutcome(CarrierFailure.OF_RECIPIENT, 0, problem, "", new byte[0], 0));
      return;
    }
    Submission submission =
        new Submission(this, window, form, attempt, SmsText.of(text, coding), done);
    AttemptOutcome refusal = window.refusal(submission, () -> null);
    if (refusal == null) {
      events.execute(() -> begin(submission));
    } else {
      done.accept(refusal);
    }
  }

  /** Returns what is refused here already: settings and rules were others when it was accepted. */
  private static @Nullable String problem(String endpoint, String text, SmsText.Coding coding) {
    String ofEndpoint = PhoneNumber.problem(endpoint);
    if (ofEndpoint != null) {
      return cut("endpoint is " + endpoint + ": " + ofEndpoint);
    }
    String ofText = SmsText.problem(text, coding);
    return ofText == null ? null : "the text " + ofText;
  }

  private void begin(Submission submission) {
    if (submission.hasOutcome()) {
      return;
    }
    AttemptOutcome refusal = refusal();
    if (refusal == null) {
      submission.setNumber(desk.began());
      waiting.addLast(submission);
      dispatch();
    } else {
      submission.end(refusal);
    }
  }

  private @Nullable AttemptOutcome refusal() {
    if (window.isClosed()) {
      return AttemptOutcome.givenBack(CarrierWindow.CLOSED);
    }
    AttemptOutcome unbound = binds.refusal();
    // Last: an attempt that passes there has to find out whether it lasts.
    return unbound == null ? fault.refusal() : unbound;
  }

  /** Hands attempts that wait to binds that have room. */
  void dispatch() {
    while (!waiting.isEmpty()) {
      SmppBind bind = binds.mostRoom();
      if (bind == null) {
        return;
      }
      Submission next = waiting.removeFirst();
      if (!bind.begin(next)) {
        waiting.addFirst(next);
      }
    }
  }

  /** An event: the answer to a part is there. */
  void answered(Submission submission, int status, byte[] pdu) {
    events.execute(() -> take(submission, status, pdu));
  }

  private void take(Submission submission, int status, byte[] pdu) {
    if (submission.hasOutcome()) {
      return;
    }
    String text = CommandStatus.text(status);
    String number = submission.attempt().endpoint();
    if (status == 0) {
      taken(submission, Pdu.textAt(pdu, Pdu.HEADER_BYTES));
      return;
    }
    CarrierVerdict verdict =
        settings.accountStatuses().has(status)
            ? CarrierVerdict.ACCOUNT
            : CommandStatus.verdict(status);
    if (CommandStatus.isNotBound(status)) {
      SmppBind bind = submission.bind();
      if (bind != null) {
        bind.retire(text);
      }
    }
    if (fault.isAtFault(verdict, number, text)) {
      Block pause = failed(text);
      // Parts that were taken are billed: given back, it would send them again without end.
      end(
          submission,
          submission.isPartlyTaken()
              ? outcome(submission, verdict.failure(), status, text).withBlock(pause)
              : AttemptOutcome.givenBack(text, pause.time()));
      return;
    }
    AttemptOutcome outcome = outcome(submission, verdict.failure(), status, text);
    if (verdict.consequence() == Consequence.RETRY_AND_PAUSE) {
      end(submission, outcome.withBlock(failed(text)));
    } else {
      // The SMS centre has judged the message or its number, so the account works.
      recovered(fault.recovered());
      end(submission, outcome);
    }
  }

  private Block failed(String reason) {
    if (fault.reason() == null) {
      LOG.warn("carrier {} cannot be used: {}", context.name(), reason);
    }
    return fault.failed(reason);
  }

  private void recovered(boolean wasAtFault) {
    if (wasAtFault) {
      LOG.info("carrier {} works again", context.name());
      events.execute(context::recovered);
    }
  }

  private void taken(Submission submission, String sentId) {
    String id = HarmlessText.oneLine(sentId, DeliveryReceipt.MAX_ID);
    if (submission.isFollowedAfter(settings.receiptIds().ofAnswer(id))) {
      SmppSession session = submission.session();
      if (session != null && !session.send(submission)) {
        fail(submission, CarrierFailure.CONNECTION_LOST, 0, "the connection was lost");
      }
      return;
    }
    // Not with the first part: an account that takes no more than that does not work.
    recovered(fault.taken(submission.attempt().endpoint()));
    String summary = CommandStatus.text(0);
    if (submission.partCount() > 1) {
      summary += ", " + submission.partCount() + " parts";
    }
    if (!submission.ids().isEmpty()) {
      summary += ", id " + String.join(", ", submission.ids());
    }
    AttemptOutcome outcome = submission.outcome(null, 0, cut(summary));
    end(submission, settings.receipts() ? outcome.withReceiptIds(submission.ids()) : outcome);
  }

  /** An event: no answer will come. */
  void lost(Submission submission, boolean written, String reason) {
    events.execute(() -> lose(submission, written, reason));
  }

  private void lose(Submission submission, boolean written, String reason) {
    if (submission.hasOutcome()) {
      return;
    }
    if (written || submission.isPartlyTaken()) {
      String summary = "no answer to submit_sm: " + reason;
      fail(submission, CarrierFailure.CONNECTION_LOST, 0, summary);
    } else if (window.isClosed()) {
      end(submission, AttemptOutcome.givenBack(CarrierWindow.CLOSED));
    } else {
      // Another bind sends it; without one, it is given back when the end of this one is reported.
      submission.leavesBind();
      waiting.addFirst(submission);
      dispatch();
    }
  }

  /** An event: an attempt has no PDU. */
  void notComposed(Submission submission, Exception cause) {
    String name = cause.getClass().getSimpleName();
    events.execute(
        () -> fail(submission, CarrierFailure.OF_RECIPIENT, 0, "it is no submit_sm: " + name));
  }

  /** An event: an attempt has lost its claim before it was sent. */
  void mayNotBegin(Submission submission) {
    events.execute(() -> end(submission, AttemptOutcome.MAY_NOT_BEGIN));
  }

  private void timedOut(Submission submission) {
    if (submission.hasOutcome()) {
      return;
    }
    String time = submission.attempt().timeout().toMillis() + " ms";
    if (submission.isPerhapsSentWhenTakenBack()) {
      fail(submission, CarrierFailure.TIMEOUT, 0, "no answer to submit_sm in " + time);
    } else {
      String reason = "no place in the window for " + time;
      end(submission, AttemptOutcome.givenBack(reason, WITHOUT_ROOM));
    }
  }

  /** Gives back the attempts that wait while there is no bind. */
  void giveBackWaiting(Block block) {
    for (Submission submission : List.copyOf(waiting)) {
      end(submission, AttemptOutcome.givenBack(block));
    }
  }

  private void fail(Submission submission, CarrierFailure failure, int status, String summary) {
    end(submission, outcome(submission, failure, status, summary));
  }

  private static AttemptOutcome outcome(
      Submission submission, CarrierFailure failure, int status, String summary) {
    return submission.outcome(failure, status, cut(submission.ofPart(summary)));
  }

  private static String cut(String summary) {
    return HarmlessText.oneLine(summary, MAX_SUMMARY);
  }

  private void end(Submission submission, AttemptOutcome outcome) {
    if (!submission.claimOutcome()) {
      return;
    }
    // If it was to find out whether a fault lasts, and was not answered, another one is.
    fault.undecided();
    if (!submission.leavesBind()) {
      waiting.remove(submission);
    }
    dispatch();
    submission.tell(outcome);
    desk.ended(submission.number(), outcome.receiptIds());
  }

  /** Takes a deliver_sm or a data_sm, on a reading thread; a receipt becomes an event. */
  void delivered(SmppSession session, byte[] pdu) {
    IncomingMessage message = IncomingMessage.read(pdu);
    if (message == null) {
      LOG.debug("{}: a message that cannot be read", context.name());
      session.answerDelivery(pdu, CommandStatus.ESME_RX_P_APPN);
      return;
    }
    DeliveryReceipt receipt =
        message.isReceipt()
            ? DeliveryReceipt.read(message.text(), message.receiptedId(), message.messageState())
            : null;
    if (receipt == null || !receipt.state().isFinal()) {
      LOG.debug(
          "{}: a message that is {} is dropped",
          context.name(),
          receipt == null ? "no receipt" : "a receipt of " + receipt.state().word());
      session.answerDelivery(pdu, CommandStatus.ESME_ROK);
      return;
    }
    Receipt taken =
        new Receipt(
            settings.receiptIds().ofReceipt(receipt.id()),
            receipt.state() == MessageState.DELIVERED,
            receipt.state().code(),
            receipt.summary());
    String alternative = settings.receiptIds().ofAnswer(receipt.id());
    ReceiptDesk.Answer answer =
        isTaken ->
            session.answerDelivery(
                pdu, isTaken ? CommandStatus.ESME_ROK : CommandStatus.ESME_RX_T_APPN);
    events.execute(() -> desk.take(taken, alternative, answer));
  }

  /** An event: a session has ended. */
  void ended(SmppBind bind, SmppSession session, String reason) {
    events.execute(() -> binds.ended(bind, session, reason));
  }

  boolean isClosed() {
    return window.isClosed();
  }

  @Override
  public CarrierState state() {
    CarrierState ofBinds = binds.state(window.count());
    String reason = fault.reason();
    return ofBinds.fault() != null || reason == null
        ? ofBinds
        : new CarrierState(reason, fault.sinceMillis(), ofBinds.connections(), ofBinds.inFlight());
  }

  @Override
  public CompletionStage<String> test() {
    return binds.test();
  }

  @Override
  public void close() {
    window.close();
    events.execute(() -> giveBackWaiting(CarrierWindow.CLOSED));
    try {
      boolean unused = window.awaitEmpty(MAX_DRAIN);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
    binds.close(CarrierWindow.CLOSED.reason());
    desk.close();
  }
}
