package dev.reprise.endpoints.sms;

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
import dev.reprise.delivery.carrier.CarrierWindow;
import dev.reprise.delivery.carrier.Consequence;
import dev.reprise.delivery.carrier.Receipt;
import dev.reprise.delivery.carrier.Verdict;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.ArrayList;
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
 * <p>The monitor guards all state, of the binds and of the attempts as well. Nothing is called
 * under it that is not ours: that is put on a list and done afterwards.
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
  private final SmppBinds binds;
  private final ReceiptDesk desk;

  /** The fault that answers tell of, of the account or the SMS centre, while binds are up. */
  private final CarrierFault fault;

  private final CarrierWindow<Submission> window;
  private final Deque<Submission> waiting = new ArrayDeque<>();

  /** A carrier that does nothing before {@link #start}. */
  SmppCarrier(
      SmppSettings settings, CarrierContext context, SSLSocketFactory tls, Backoff backoff) {
    this.settings = settings;
    this.context = context;
    String threadName = "smpp-" + context.name();
    form = new SubmitForm(settings);
    window = new CarrierWindow<>(context, this::timedOut);
    desk = new ReceiptDesk(context, threadName);
    SmppLogin login = new SmppLogin(settings, tls, threadName);
    binds = new SmppBinds(this, settings, context, login, backoff);
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
    AttemptOutcome refusal;
    synchronized (this) {
      refusal = window.refusal(submission, this::refusal);
      if (refusal == null) {
        submission.setNumber(desk.began());
        waiting.addLast(submission);
        dispatch();
      }
    }
    if (refusal != null) {
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

  private @Nullable AttemptOutcome refusal() {
    AttemptOutcome unbound = binds.refusal();
    // Last: who passes there has to find out whether it lasts.
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

  void answered(Submission submission, int status, byte[] pdu) {
    List<Runnable> after = new ArrayList<>(1);
    synchronized (this) {
      if (!submission.hasOutcome()) {
        take(submission, status, pdu, after);
      }
    }
    after.forEach(Runnable::run);
  }

  private void take(Submission submission, int status, byte[] pdu, List<Runnable> after) {
    String text = CommandStatus.text(status);
    String number = submission.attempt().endpoint();
    if (status == 0) {
      taken(submission, Pdu.textAt(pdu, Pdu.HEADER_BYTES), after);
      return;
    }
    Verdict verdict =
        settings.accountStatuses().has(status) ? Verdict.ACCOUNT : CommandStatus.verdict(status);
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
              : AttemptOutcome.givenBack(text, pause.time()),
          after);
      return;
    }
    AttemptOutcome outcome = outcome(submission, verdict.failure(), status, text);
    if (verdict.consequence() == Consequence.RETRY_AND_PAUSE) {
      end(submission, outcome.withBlock(failed(text)), after);
    } else {
      // The SMS centre has judged the message or its number, so the account works.
      recovered(fault.recovered(), after);
      end(submission, outcome, after);
    }
  }

  private Block failed(String reason) {
    if (fault.reason() == null) {
      LOG.warn("carrier {} cannot be used: {}", context.name(), reason);
    }
    return fault.failed(reason);
  }

  private void recovered(boolean wasAtFault, List<Runnable> after) {
    if (wasAtFault) {
      LOG.info("carrier {} works again", context.name());
      after.add(context::recovered);
    }
  }

  private void taken(Submission submission, String sentId, List<Runnable> after) {
    String id = HarmlessText.oneLine(sentId, DeliveryReceipt.MAX_ID);
    if (submission.isFollowedAfter(settings.receiptIds().ofAnswer(id))) {
      SmppSession session = submission.session();
      if (session != null && !session.send(submission)) {
        fail(submission, CarrierFailure.CONNECTION_LOST, 0, "the connection was lost", after);
      }
      return;
    }
    // Not with the first part: an account that takes no more than that does not work.
    recovered(fault.taken(submission.attempt().endpoint()), after);
    String summary = CommandStatus.text(0);
    if (submission.partCount() > 1) {
      summary += ", " + submission.partCount() + " parts";
    }
    if (!submission.ids().isEmpty()) {
      summary += ", id " + String.join(", ", submission.ids());
    }
    AttemptOutcome outcome = submission.outcome(null, 0, cut(summary));
    end(
        submission,
        settings.receipts() ? outcome.withReceiptIds(submission.ids()) : outcome,
        after);
  }

  /** Hears that no answer will come. */
  void lost(Submission submission, boolean written, String reason) {
    List<Runnable> after = new ArrayList<>(1);
    synchronized (this) {
      if (submission.hasOutcome()) {
        return;
      }
      SmppBind bind = submission.bind();
      SmppSession session = submission.session();
      if (written || submission.isPerhapsSent() || bind == null || session == null) {
        String summary = "no answer to submit_sm: " + reason;
        fail(submission, CarrierFailure.CONNECTION_LOST, 0, summary, after);
      } else if (window.isClosed()) {
        end(submission, AttemptOutcome.givenBack(CarrierWindow.CLOSED), after);
      } else {
        // Another bind sends it; without one, it is given back when the end is told.
        bind.release(session);
        submission.waits();
        waiting.addFirst(submission);
        dispatch();
      }
    }
    after.forEach(Runnable::run);
  }

  void notComposed(Submission submission, Exception cause) {
    List<Runnable> after = new ArrayList<>(1);
    String name = cause.getClass().getSimpleName();
    synchronized (this) {
      fail(submission, CarrierFailure.OF_RECIPIENT, 0, "it is no submit_sm: " + name, after);
    }
    after.forEach(Runnable::run);
  }

  void mayNotBegin(Submission submission) {
    List<Runnable> after = new ArrayList<>(1);
    synchronized (this) {
      end(submission, AttemptOutcome.MAY_NOT_BEGIN, after);
    }
    after.forEach(Runnable::run);
  }

  private void timedOut(Submission submission) {
    List<Runnable> after = new ArrayList<>(1);
    synchronized (this) {
      String time = submission.attempt().timeout().toMillis() + " ms";
      if (submission.isPerhapsSent()) {
        String summary = "no answer to submit_sm in " + time;
        fail(submission, CarrierFailure.TIMEOUT, 0, summary, after);
      } else {
        String reason = "no place in the window for " + time;
        end(submission, AttemptOutcome.givenBack(reason, WITHOUT_ROOM), after);
      }
    }
    after.forEach(Runnable::run);
  }

  /** Gives back the attempts that wait while there is no bind. */
  void giveBackWaiting(Block block, List<Runnable> after) {
    for (Submission submission : List.copyOf(waiting)) {
      end(submission, AttemptOutcome.givenBack(block), after);
    }
  }

  private void fail(
      Submission submission,
      CarrierFailure failure,
      int status,
      String summary,
      List<Runnable> after) {
    end(submission, outcome(submission, failure, status, summary), after);
  }

  private static AttemptOutcome outcome(
      Submission submission, CarrierFailure failure, int status, String summary) {
    return submission.outcome(failure, status, cut(submission.ofPart(summary)));
  }

  private static String cut(String summary) {
    return HarmlessText.oneLine(summary, MAX_SUMMARY);
  }

  private void end(Submission submission, AttemptOutcome outcome, List<Runnable> after) {
    if (!submission.claimOutcome()) {
      return;
    }
    submission.forgetAnswer();
    // If it was to find out whether a fault lasts, and was not answered, another one is.
    fault.undecided();
    SmppBind bind = submission.bind();
    SmppSession session = submission.session();
    if (bind == null || session == null) {
      waiting.remove(submission);
    } else {
      bind.release(session);
      String retirement = bind.dueRetirement();
      if (retirement != null) {
        after.add(() -> session.endAfterWriting(retirement));
      }
    }
    after.add(() -> tell(submission, outcome));
    dispatch();
  }

  private void tell(Submission submission, AttemptOutcome outcome) {
    submission.tell(outcome);
    desk.ended(submission.number(), outcome.receiptIds());
  }

  /** Takes a deliver_sm or a data_sm, on a reading thread. */
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
    desk.take(
        new Receipt(
            settings.receiptIds().ofReceipt(receipt.id()),
            receipt.state() == MessageState.DELIVERED,
            receipt.state().code(),
            receipt.summary()),
        settings.receiptIds().ofAnswer(receipt.id()),
        taken ->
            session.answerDelivery(
                pdu, taken ? CommandStatus.ESME_ROK : CommandStatus.ESME_RX_T_APPN));
  }

  /** Hears of the end of a session. */
  void ended(SmppBind bind, SmppSession session, String reason) {
    List<Runnable> after = new ArrayList<>();
    synchronized (this) {
      if (window.isClosed()) {
        bind.drop(session);
      } else {
        binds.ended(bind, session, reason, after);
      }
    }
    after.forEach(Runnable::run);
  }

  @Override
  public CarrierState state() {
    synchronized (this) {
      CarrierState ofBinds = binds.state(window.count());
      String reason = fault.reason();
      return ofBinds.fault() != null || reason == null
          ? ofBinds
          : new CarrierState(
              reason, fault.sinceMillis(), ofBinds.connections(), ofBinds.inFlight());
    }
  }

  @Override
  public CompletionStage<String> test() {
    return binds.test();
  }

  @Override
  public void close() {
    List<Runnable> after = new ArrayList<>();
    synchronized (this) {
      window.close();
      giveBackWaiting(CarrierWindow.CLOSED, after);
    }
    after.forEach(Runnable::run);
    try {
      boolean unused = window.awaitEmpty(MAX_DRAIN);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
    binds.close(CarrierWindow.CLOSED.reason());
    desk.close();
  }
}
