package dev.reprise.endpoints.sms;

import dev.reprise.common.order.InOrder;
import dev.reprise.common.text.HarmlessText;
import dev.reprise.core.backoff.Backoff;
import dev.reprise.delivery.AttemptOutcome;
import dev.reprise.delivery.AttemptOutcome.Block;
import dev.reprise.delivery.carrier.CarrierContext;
import dev.reprise.delivery.carrier.CarrierException;
import dev.reprise.delivery.carrier.CarrierFault;
import dev.reprise.delivery.carrier.CarrierState;
import dev.reprise.delivery.carrier.CarrierWindow;
import java.io.IOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.SplittableRandom;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.ScheduledThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import java.util.random.RandomGenerator;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Keeps a carrier's binds up: one thread makes one after the other, and a round that fails ends, so
 * that a wrong password is tried once in a while and not once for each bind. That thread is the
 * only one that blocks; the state belongs to the carrier's events.
 */
final class SmppBinds {
  private static final Logger LOG = LoggerFactory.getLogger(SmppBinds.class);

  private static final Duration MAX_UNBIND = Duration.ofMillis(500);
  private static final Duration MAX_SIGN = Duration.ofSeconds(10);
  private static final Duration MAX_JOIN = Duration.ofSeconds(1);
  private static final Duration WHILE_BINDING = Duration.ofSeconds(1);
  private static final int MAX_REASON = 200;

  private final SmppCarrier carrier;
  private final InOrder events;
  private final CarrierContext context;
  private final SmppSettings settings;
  private final SmppLogin login;
  private final int window;
  private final List<SmppBind> all = new ArrayList<>();
  private final ScheduledThreadPoolExecutor thread;
  private final Set<CompletableFuture<String>> tests = ConcurrentHashMap.newKeySet();
  private final RandomGenerator random = new SplittableRandom();
  private final Backoff backoff;
  private final CarrierFault fault;

  /** Failed rounds, and sessions that ended before they did anything, one after the other. */
  private int failures;

  private boolean roundPlanned;
  private long nextRoundNanos;

  /** Whether attempts were given back while no bind was up, and are to be notified that one is. */
  private boolean somebodyWaits;

  SmppBinds(
      SmppCarrier carrier,
      InOrder events,
      SmppSettings settings,
      CarrierContext context,
      SmppLogin login,
      Backoff backoff) {
    this.carrier = carrier;
    this.events = events;
    this.settings = settings;
    this.context = context;
    this.login = login;
    this.backoff = backoff;
    fault =
        new CarrierFault(
            backoff, new SplittableRandom(), System::nanoTime, System::currentTimeMillis);
    window = Math.max(1, context.maxInFlight() / settings.binds());
    for (int i = 0; i < settings.binds(); i++) {
      all.add(new SmppBind(carrier));
    }
    thread =
        new ScheduledThreadPoolExecutor(
            1,
            work -> {
              Thread worker = new Thread(work, "smpp-" + context.name() + "-bind");
              worker.setDaemon(true);
              return worker;
            });
  }

  void start() {
    events.execute(() -> planRound(Duration.ZERO));
  }

  /** Returns the bind with most room in its window; null if none has any. */
  @Nullable SmppBind mostRoom() {
    SmppBind best = null;
    for (SmppBind bind : all) {
      if (bind.takes(window) && (best == null || bind.used() < best.used())) {
        best = bind;
      }
    }
    return best;
  }

  private boolean isAnyUp() {
    return all.stream().anyMatch(SmppBind::isUp);
  }

  /** Returns the outcome of an attempt that has no bind; null if there is one. */
  @Nullable AttemptOutcome refusal() {
    if (isAnyUp()) {
      return null;
    }
    somebodyWaits = true;
    String reason = fault.reason();
    Duration left = Duration.ofNanos(nextRoundNanos - System.nanoTime());
    return AttemptOutcome.givenBack(
        reason == null ? "is not bound yet" : reason,
        roundPlanned && left.compareTo(WHILE_BINDING) > 0 ? left : WHILE_BINDING);
  }

  CarrierState state(int inFlight) {
    return new CarrierState(fault.reason(), fault.sinceMillis(), sessions().size(), inFlight);
  }

  void ended(SmppBind bind, SmppSession session, String reason) {
    List<SmppSession> dropped = bind.drop(session);
    dropped.forEach(each -> each.end("the other session ended: " + reason));
    if (dropped.isEmpty() || carrier.isClosed()) {
      return;
    }
    boolean proven = dropped.stream().anyMatch(SmppSession::isProven);
    failures = proven ? 1 : failures + 1;
    down(session.address() + ": " + reason);
  }

  /** Follows a bind that was lost or not made. */
  private void down(String detail) {
    String reason = HarmlessText.oneLine(detail, MAX_REASON);
    Duration delay = Duration.ofNanos(Math.max(1, backoff.delayNanos(failures, random)));
    boolean anyUp = isAnyUp();
    if (!anyUp) {
      boolean isNew = fault.reason() == null;
      fault.failed(reason);
      somebodyWaits = true;
      carrier.giveBackWaiting(new Block(delay, reason));
      if (isNew) {
        LOG.warn("carrier {}: {}", context.name(), reason);
      }
    } else if (failures == 1) {
      LOG.warn("carrier {} has lost one of its binds: {}", context.name(), reason);
    }
    planRound(delay);
  }

  private void planRound(Duration delay) {
    if (roundPlanned) {
      return;
    }
    try {
      var unused = thread.schedule(this::round, delay.toNanos(), TimeUnit.NANOSECONDS);
      roundPlanned = true;
      nextRoundNanos = System.nanoTime() + delay.toNanos();
    } catch (RejectedExecutionException e) {
      LOG.debug("carrier {} is closed", context.name());
    }
  }

  /** Makes the binds that are down, until one fails. */
  private void round() {
    events.execute(() -> roundPlanned = false);
    for (SmppBind bind : all) {
      if (!bind.isUp() && !isOpened(bind)) {
        return;
      }
    }
  }

  private boolean isOpened(SmppBind bind) {
    try {
      open(bind);
      return true;
    } catch (CarrierException e) {
      return false;
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      return false;
    }
  }

  private void open(SmppBind bind) throws InterruptedException {
    String problem;
    try {
      login.open(
          bind,
          opened -> CompletableFuture.supplyAsync(() -> isAdopted(bind, opened), events).join());
      return;
    } catch (IOException e) {
      problem = String.valueOf(e.getMessage());
    } catch (RuntimeException e) {
      LOG.error("carrier {}: binding failed", context.name(), e);
      problem = "internal error: " + e;
    }
    if (thread.isShutdown()) {
      throw new CarrierException(CarrierWindow.CLOSED.reason());
    }
    String reason = HarmlessText.oneLine(problem, MAX_REASON);
    events.execute(() -> failed(reason));
    throw new CarrierException(reason);
  }

  private boolean isAdopted(SmppBind bind, List<SmppSession> opened) {
    // The end of a session that no bind has is of no consequence.
    if (thread.isShutdown() || opened.stream().anyMatch(SmppSession::hasEnded)) {
      return false;
    }
    if (fault.recovered()) {
      LOG.info("carrier {} is bound again", context.name());
    }
    bind.adopt(opened);
    carrier.dispatch();
    if (somebodyWaits) {
      somebodyWaits = false;
      events.execute(context::recovered);
    }
    return true;
  }

  private void failed(String reason) {
    failures++;
    down(reason);
  }

  /** Asks a session that is bound for a sign, or binds. */
  @SuppressWarnings("CollectionUndefinedEquality") // Each is itself.
  CompletionStage<String> test() {
    CompletableFuture<String> result = new CompletableFuture<>();
    tests.add(result);
    try {
      thread.execute(
          () -> {
            try {
              result.complete(reached());
            } catch (InterruptedException e) {
              Thread.currentThread().interrupt();
              result.completeExceptionally(new CarrierException(CarrierWindow.CLOSED.reason()));
            } catch (RuntimeException e) {
              result.completeExceptionally(e);
            }
            tests.remove(result);
          });
    } catch (RejectedExecutionException e) {
      tests.remove(result);
      result.completeExceptionally(new CarrierException(CarrierWindow.CLOSED.reason()));
    }
    return result;
  }

  private String reached() throws InterruptedException {
    if (sessions().isEmpty()) {
      open(all.get(0));
    }
    SmppSession session = sessions().stream().findFirst().orElse(null);
    if (session == null) {
      throw new CarrierException("the connection was lost after the bind");
    }
    PendingAnswer sign = new PendingAnswer("enquire_link");
    session.enquire(sign);
    try {
      sign.await(MAX_SIGN);
    } catch (IOException e) {
      throw new CarrierException(session.address() + ": " + e.getMessage());
    }
    return "bound as " + settings.systemId() + " to " + session.address();
  }

  private List<SmppSession> sessions() {
    return all.stream().flatMap(bind -> bind.sessions().stream()).toList();
  }

  /** Unbinds, closes all connections and waits for the threads, and for their events. */
  void close(String reason) {
    login.cancel();
    thread.shutdownNow();
    boolean interrupted = false;
    try {
      thread.awaitTermination(MAX_JOIN.toNanos(), TimeUnit.NANOSECONDS);
      unbind(sessions());
    } catch (InterruptedException e) {
      interrupted = true;
    }
    // Those that had no turn.
    tests.forEach(test -> test.completeExceptionally(new CarrierException(reason)));
    List<SmppSession> sessions = sessions();
    sessions.forEach(session -> session.end(reason));
    long deadline = System.nanoTime() + MAX_JOIN.toNanos();
    try {
      for (SmppSession session : sessions) {
        session.join(Duration.ofNanos(deadline - System.nanoTime()));
      }
    } catch (InterruptedException e) {
      interrupted = true;
    }
    CompletableFuture.runAsync(() -> {}, events)
        .completeOnTimeout(null, deadline - System.nanoTime(), TimeUnit.NANOSECONDS)
        .join();
    if (interrupted) {
      Thread.currentThread().interrupt();
    }
  }

  private static void unbind(List<SmppSession> sessions) throws InterruptedException {
    List<PendingAnswer> answers = new ArrayList<>();
    for (SmppSession session : sessions) {
      PendingAnswer answer = new PendingAnswer("unbind");
      if (session.unbind(answer)) {
        answers.add(answer);
      }
    }
    long deadline = System.nanoTime() + MAX_UNBIND.toNanos();
    for (PendingAnswer answer : answers) {
      try {
        answer.await(Duration.ofNanos(deadline - System.nanoTime()));
      } catch (IOException e) {
        LOG.debug("{}", e.getMessage());
      }
    }
  }
}
