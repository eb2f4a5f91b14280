package dev.reprise.endpoints.email;

import dev.reprise.core.timer.DaemonTimer;
import dev.reprise.core.timer.Timeout;
import dev.reprise.delivery.AttemptOutcome;
import dev.reprise.delivery.AttemptOutcome.Block;
import dev.reprise.delivery.carrier.Carrier;
import dev.reprise.delivery.carrier.CarrierAttempt;
import dev.reprise.delivery.carrier.CarrierContext;
import dev.reprise.delivery.carrier.CarrierException;
import dev.reprise.delivery.carrier.CarrierFailure;
import dev.reprise.delivery.carrier.CarrierFault;
import dev.reprise.delivery.carrier.CarrierState;
import dev.reprise.delivery.carrier.CarrierVerdict;
import dev.reprise.delivery.carrier.CarrierWindow;
import dev.reprise.delivery.carrier.Consequence;
import dev.reprise.delivery.carrier.Receipt;
import dev.reprise.endpoints.email.SmtpConnection.Ending;
import jakarta.mail.MessagingException;
import java.time.Duration;
import java.util.Set;
import java.util.SplittableRandom;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * A mail relay, or several of which the first that works is used. Each attempt is made by a thread
 * of its own, over the connection that the thread has kept.
 *
 * <p>Up to the reply to MAIL FROM an attempt has named nothing but settings of the carrier: a
 * failure until then is the carrier's fault, and the claim is given back. From RCPT TO on the reply
 * shows what it is about ({@link SmtpVerdicts}); without one it is a failure of the attempt,
 * whatever its cause: a mailbox at which a relay hangs up must not hold back all others. A
 * connection that was used before may have died unnoticed; as long as no content was sent, the
 * attempt goes on over a fresh one, once.
 */
final class SmtpCarrier implements Carrier {
  private static final Logger LOG = LoggerFactory.getLogger(SmtpCarrier.class);

  private static final Duration NO_THREAD = Duration.ofSeconds(1);

  private final SmtpSettings settings;
  private final CarrierContext context;
  private final Limits limits;
  private final Relays relays;
  private final SmtpWorkers workers;
  private final CarrierWindow<SmtpRun> window;
  private final CarrierFault fault = new CarrierFault(new SplittableRandom());

  private final AtomicInteger tests = new AtomicInteger();
  private final Set<Opening> testing = ConcurrentHashMap.newKeySet();

  /** One at a time connects as long as none has: a wrong password is tried once, not by all. */
  private final Semaphore firstLogin = new Semaphore(1, true);

  private final AtomicLong faults = new AtomicLong();
  private volatile boolean proven;

  /**
   * The times that are waited.
   *
   * @param idle how long a connection is kept without a message
   * @param messages how many messages one connection takes
   * @param silence the longest wait for a sign of life of a connection that was used before
   * @param goodbye the longest wait for the reply to a command that no attempt waits for
   * @param closing how long attempts under way go on when the carrier is closed
   * @param test the longest time of a test
   */
  record Limits(
      Duration idle,
      int messages,
      Duration silence,
      Duration goodbye,
      Duration closing,
      Duration test) {
    /** Relays close idle connections after minutes; some take 100 messages over each. */
    static final Limits STANDARD =
        new Limits(
            Duration.ofSeconds(60),
            100,
            Duration.ofSeconds(10),
            Duration.ofMillis(500),
            Duration.ofSeconds(2),
            Duration.ofSeconds(30));
  }

  SmtpCarrier(SmtpSettings settings, CarrierContext context, Limits limits) {
    this.settings = settings;
    this.context = context;
    this.limits = limits;
    relays = new Relays(settings);
    String name = "smtp-" + context.name();
    workers = new SmtpWorkers(name, context.maxInFlight(), limits.idle(), new Work());
    window = new CarrierWindow<>(context, this::expire);
  }

  private static Thread daemon(Runnable task, String name) {
    Thread thread = new Thread(task, name);
    thread.setDaemon(true);
    thread.setContextClassLoader(SmtpCarrier.class.getClassLoader());
    return thread;
  }

  /** Reads a mail that a mail server has sent back. */
  @Override
  public @Nullable Receipt read(byte[] report) {
    return BounceReport.read(report).flatMap(BounceReport::toReceipt).orElse(null);
  }

  @Override
  public void send(CarrierAttempt attempt, Consumer<AttemptOutcome> done) {
    SmtpRun run = new SmtpRun(window, attempt, done);
    AttemptOutcome refusal = window.refusal(run, () -> refusal(attempt));
    if (refusal != null) {
      done.accept(refusal);
    } else if (!workers.execute(run)) {
      run.giveBack(CarrierWindow.CLOSED);
    }
  }

  /** Returns the outcome of an attempt that is not made; null for one that is. */
  private @Nullable AttemptOutcome refusal(CarrierAttempt attempt) {
    // Before the fault is asked: an attempt that passes there has to find out whether it
    // lasts.
    if (MailboxAddress.ascii(attempt.endpoint()) == null) {
      return new AttemptOutcome(
          CarrierFailure.OF_RECIPIENT,
          0,
          "the endpoint " + MailboxAddress.RULE,
          "",
          new byte[0],
          0);
    }
    return fault.refusal();
  }

  /** The work of the threads. */
  private final class Work implements SmtpWorkers.Work {
    @Override
    public void make(SmtpRun run, ConnectionSlot slot) {
      if (run.hasOutcome()) {
        return;
      }
      run.begin();
      try {
        SmtpCarrier.this.make(run, slot);
      } catch (MessagingException e) {
        failInternally(run, new IllegalStateException(e));
      } catch (RuntimeException e) {
        failInternally(run, e);
      }
      SmtpConnection used = slot.connection();
      if (used != null && (!used.reset(limits.silence()) || used.isBroken())) {
        close(slot);
      }
    }

    @Override
    public void close(ConnectionSlot slot) {
      SmtpConnection kept = slot.release();
      if (kept != null) {
        kept.quit(limits.goodbye());
      }
    }
  }

  private void make(SmtpRun run, ConnectionSlot slot) throws MessagingException {
    OutgoingMessage message = new OutgoingMessage(settings, relays.session(), run.attempt());
    SmtpConnection kept = slot.connection();
    if (!mayBegin(run)) {
      return;
    }
    if (kept != null && slot.count() <= limits.messages()) {
      Ending ending = send(run, kept, message, silence(run));
      if (!isStale(ending)) {
        finish(run, ending, message);
        return;
      }
    }
    if (kept != null) {
      slot.release();
      kept.quit(limits.goodbye());
    }
    SmtpConnection fresh = run.hasOutcome() ? null : connect(run);
    if (fresh != null) {
      slot.keep(fresh);
      slot.count();
      if (mayBegin(run)) {
        finish(run, send(run, fresh, message, Duration.ZERO), message);
      }
    }
  }

  /** Returns whether a message may be begun now; if not, the attempt is given back. */
  private boolean mayBegin(SmtpRun run) {
    boolean begins = run.attempt().mayBegin().getAsBoolean();
    if (!begins && run.claimOutcome()) {
      fault.undecided();
      run.tell(AttemptOutcome.MAY_NOT_BEGIN);
    }
    return begins;
  }

  private static Ending send(
      SmtpRun run, SmtpConnection connection, OutgoingMessage message, Duration silence) {
    connection.beginMessage();
    run.use(connection);
    return connection.send(message, silence);
  }

  /** Leaves time for a fresh connection. */
  private Duration silence(SmtpRun run) {
    Duration half = run.opening().left().dividedBy(2).plusMillis(1);
    return half.compareTo(limits.silence()) < 0 ? half : limits.silence();
  }

  /** Nothing was sent, and perhaps only since the connection is old. */
  private static boolean isStale(Ending ending) {
    SmtpReply reply = ending.reply();
    return reply == null
        ? !ending.step().hasContent()
        : ending.step() == SmtpStep.MAIL && reply.code() == 421;
  }

  /** Returns a new connection; null if the attempt has got its outcome instead. */
  private @Nullable SmtpConnection connect(SmtpRun run) {
    if (proven) {
      return connectNow(run);
    }
    long before = faults.get();
    try {
      if (!firstLogin.tryAcquire(run.opening().left().toNanos(), TimeUnit.NANOSECONDS)) {
        // Its time is over, and the timer gives the outcome.
        return null;
      }
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      return null;
    }
    try {
      AttemptOutcome refusal = faults.get() == before ? null : fault.refusal();
      if (refusal == null) {
        return connectNow(run);
      }
      run.end(refusal);
      return null;
    } finally {
      firstLogin.release();
    }
  }

  private @Nullable SmtpConnection connectNow(SmtpRun run) {
    try {
      SmtpConnection connection = relays.open(run.opening());
      proven = true;
      return connection;
    } catch (RelayException e) {
      if (run.claimOutcome()) {
        run.tell(givenBack(e.reason()));
      }
      return null;
    }
  }

  private void finish(SmtpRun run, Ending ending, OutgoingMessage message) {
    if (!run.claimOutcome()) {
      return;
    }
    SmtpReply reply = ending.reply();
    if (reply == null) {
      run.tell(
          ending.step().isBeforeMessage()
              ? givenBack(run.address() + ": " + ending.lost())
              : working(SmtpOutcomes.lost(run, ending)));
      return;
    }
    SmtpStep step = ending.step();
    run.tell(
        step == SmtpStep.END && reply.isDone()
            ? taken(run, SmtpOutcomes.taken(run, reply, message.messageId()))
            : refused(run, step, reply));
  }

  private AttemptOutcome refused(SmtpRun run, SmtpStep step, SmtpReply reply) {
    String mailbox = run.attempt().endpoint();
    CarrierVerdict verdict = SmtpVerdicts.of(step, reply, mailbox);
    if (fault.isAtFault(verdict, mailbox, SmtpVerdicts.alike(reply))) {
      return givenBack(run.address() + ": " + SmtpOutcomes.inReplyTo(step, reply));
    }
    AttemptOutcome refused = SmtpOutcomes.refused(run, step, reply, verdict.failure());
    return verdict.consequence() == Consequence.RETRY_AND_PAUSE
        ? refused.withBlock(failed(SmtpOutcomes.inReplyTo(step, reply)))
        : working(refused);
  }

  /** Its time is over. */
  private void expire(SmtpRun run) {
    if (!run.claimOutcome()) {
      return;
    }
    SmtpStep step = run.step();
    AttemptOutcome outcome;
    if (!run.hasBegun()) {
      outcome = AttemptOutcome.givenBack("no thread was free", NO_THREAD);
      keepFault();
    } else if (step.isBeforeMessage()) {
      long seconds = run.attempt().timeout().toSeconds();
      outcome = givenBack("no answer to " + step.command() + " in " + seconds + " s");
    } else {
      outcome = working(SmtpOutcomes.timedOut(run, step));
    }
    // First, since the thread may go on to another message as soon as this one has its outcome.
    run.opening().breakOff();
    run.tell(outcome);
  }

  private void failInternally(SmtpRun run, RuntimeException error) {
    LOG.error("an attempt through carrier {} failed", context.name(), error);
    if (run.claimOutcome()) {
      keepFault();
      run.tell(AttemptOutcome.internalError(error));
    }
  }

  private AttemptOutcome givenBack(String reason) {
    return AttemptOutcome.givenBack(failed(reason));
  }

  private Block failed(String reason) {
    proven = false;
    if (fault.reason() == null) {
      LOG.warn("carrier {} cannot be used: {}", context.name(), reason);
    }
    Block block = fault.failed(SmtpReply.line(reason));
    faults.incrementAndGet();
    return block;
  }

  /** An attempt that was to find out whether a fault lasts has not found out. */
  private void keepFault() {
    String reason = fault.reason();
    if (reason != null) {
      failed(reason);
    }
  }

  private AttemptOutcome taken(SmtpRun run, AttemptOutcome outcome) {
    return recovered(fault.taken(run.attempt().endpoint()), outcome);
  }

  /** The relay has judged the message or its mailbox, so it works. */
  private AttemptOutcome working(AttemptOutcome outcome) {
    return recovered(fault.recovered(), outcome);
  }

  private AttemptOutcome recovered(boolean wasAtFault, AttemptOutcome outcome) {
    if (wasAtFault) {
      LOG.info("carrier {} works again", context.name());
      context.recovered();
    }
    return outcome;
  }

  @Override
  public CarrierState state() {
    return new CarrierState(
        fault.reason(), fault.sinceMillis(), workers.connections(), window.count());
  }

  @Override
  public CompletionStage<String> test() {
    CompletableFuture<String> result = new CompletableFuture<>();
    Opening opening = new Opening(limits.test());
    testing.add(opening);
    if (window.isClosed()) {
      testing.remove(opening);
      result.completeExceptionally(new CarrierException(CarrierWindow.CLOSED.reason()));
      return result;
    }
    Timeout limit = DaemonTimer.shared().schedule(limits.test().toNanos(), opening::breakOff);
    Runnable test =
        () -> {
          try {
            SmtpConnection connection = relays.open(opening);
            connection.noop(limits.silence());
            String reached = connection.toString();
            connection.quit(limits.goodbye());
            result.complete(reached);
          } catch (RelayException e) {
            result.completeExceptionally(new CarrierException(e.reason()));
          } catch (RuntimeException e) {
            result.completeExceptionally(e);
          } finally {
            limit.cancel();
            testing.remove(opening);
          }
        };
    daemon(test, "smtp-" + context.name() + "-test-" + tests.incrementAndGet()).start();
    return result;
  }

  @Override
  public void close() {
    if (!window.close()) {
      return;
    }
    for (SmtpRun waiting : workers.close()) {
      waiting.giveBack(CarrierWindow.CLOSED);
    }
    testing.forEach(Opening::breakOff);
    if (!workers.awaitEnd(limits.closing())) {
      window.underWay().forEach(SmtpCarrier::breakOff);
      boolean ended = workers.awaitEnd(limits.closing());
      if (!ended) {
        LOG.warn("carrier {} was closed while a name was looked up", context.name());
      }
    }
  }

  private static void breakOff(SmtpRun run) {
    if (run.claimOutcome()) {
      SmtpStep step = run.step();
      run.tell(
          step.hasContent()
              ? SmtpOutcomes.closed(run, step)
              : AttemptOutcome.givenBack(CarrierWindow.CLOSED));
    }
    run.opening().breakOff();
  }
}
