package dev.reprise.device;

import dev.reprise.device.error.TransportException;
import dev.reprise.device.message.Message;
import dev.reprise.device.message.MessageOutcome.Kind;
import dev.reprise.device.queue.MessageQueue;
import dev.reprise.device.queue.QueuedMessage;
import dev.reprise.device.queue.UnreadableMessageException;
import dev.reprise.device.transport.SendCallback;
import dev.reprise.device.transport.TransportConnection;
import java.io.IOException;
import java.time.Duration;
import java.util.HashMap;
import java.util.Iterator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.LongSupplier;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Sends the messages of a queue, oldest first, and sees each of them to its end. Used in the loop
 * only.
 *
 * <p>A message that was handed out by the queue is either under way ({@code inFlight}) or waits to
 * be sent again ({@code delayed}). When the connection is lost, what was under way goes back to its
 * old place in the queue, so that it is sent first, and in order.
 */
final class Outbox {
  private static final Logger LOG = LoggerFactory.getLogger(Outbox.class);

  private static final long DISK_PAUSE_NANOS = TimeUnit.SECONDS.toNanos(1);
  private static final long FIRST_PAUSE_NANOS = TimeUnit.SECONDS.toNanos(1);
  private static final int MAX_PAUSE_DOUBLINGS = 6;

  private static final int MAX_EXPIRED_AT_ONCE = 256;

  /**
   * Number of times that it is asked whether bytes move, within the time for an acknowledgement.
   */
  private static final int ACK_CHECKS = 4;

  /** Receives what the outcome of a message tells about the connection. */
  interface Health {
    /** The other side wants less. */
    void onThrottled(TransportException cause);

    /** The other side refuses whatever is sent, as the device may not send. */
    void onForbidden(TransportException cause);

    /** The other side takes messages again. */
    void onFlowing();

    /** The connection is of no use any more. */
    void onDead(TransportException cause);
  }

  private final ClientSettings settings;
  private final Loop loop;
  private final Intake intake;
  private final MessageQueue queue;
  private final Health health;
  private final CongestionWindow congestion;
  private final LongSupplier clock;
  private final Refusals refusals;
  private final ActiveClock activeClock = new ActiveClock();
  private final AckWatch ackWatch;
  private final long ackTimeoutNanos;
  private final long ackCheckNanos;
  private final Map<Long, SendAttempt> inFlight = new LinkedHashMap<>();

  /** Those that are in the queue again, or were; most messages are sent once and never here. */
  private final Map<Long, Sending> sendings = new HashMap<>();

  private final Delayed delayed;
  private final RightsPause rights;

  /** The outcomes that were told and not looked at yet. */
  private final AtomicInteger told = new AtomicInteger();

  private final Loop.Timer wakeTimer;
  private final Loop.Timer ackTimer;
  private final Loop.Timer stallTimer;
  private final Loop.Timer expiryTimer;

  private @Nullable TransportConnection connection;
  private boolean draining;
  private boolean closed;
  private boolean diskFails;
  private long ackDueNanos;
  private long attempts;

  private long inFlightBytes;

  /** A message that was polled and is not under way yet, or 0: an error may leave one. */
  private long inHand;

  /** The message whose outcome is looked at, or null: an error may leave one. */
  private @Nullable Sending answered;

  /** A message that has ended and is not told yet, or null: an error may leave one. */
  private @Nullable Sending ended;

  /** Messages that have expired, from the next one to be told on: an error may leave some. */
  private List<QueuedMessage> expired = List.of();

  private int expiredTold;

  /** A message that was lost on disk and is not told yet, or null: an error may leave one. */
  private @Nullable UnreadableMessageException unread;

  /** The connection is to end for this when everything under way has got its answer. */
  private @Nullable TransportException outage;

  Outbox(ClientSettings settings, Loop loop, Intake intake, MessageQueue queue, Health health) {
    this.settings = settings;
    this.loop = loop;
    this.intake = intake;
    this.queue = queue;
    this.health = health;
    this.clock = loop::now;
    this.congestion = new CongestionWindow(settings.maxInFlight);
    this.refusals = new Refusals(settings);
    this.ackTimeoutNanos = settings.ackTimeout.toNanos();
    this.ackCheckNanos = Math.max(1, ackTimeoutNanos / ACK_CHECKS);
    this.ackWatch = new AckWatch(ackTimeoutNanos);
    this.delayed = new Delayed(settings.maxInFlightBytes);
    this.rights = new RightsPause(settings.random);
    this.wakeTimer = loop.new Timer(() -> {});
    this.ackTimer = loop.new Timer(this::onAckTimer);
    this.stallTimer = loop.new Timer(this::onStalled);
    this.expiryTimer = loop.new Timer(() -> {});
  }

  /** Sends on this connection from now on. */
  void connected(TransportConnection newConnection) {
    connection = newConnection;
    draining = false;
    ackWatch.connected(loop.now());
    runClock();
    TransportException forbidden = rights.cause();
    if (forbidden != null) {
      health.onForbidden(forbidden);
    }
  }

  /** Time counts against messages while they can be sent and it may be about them if they fail. */
  private void runClock() {
    activeClock.run(
        connection != null
            && !congestion.isThrottled()
            && !refusals.mayBeOutage()
            && !rights.isOn(),
        loop.now());
  }

  /** Waits for messages under way, and sends nothing more on this connection. */
  void drain() {
    draining = true;
  }

  boolean isIdle() {
    return inFlight.isEmpty();
  }

  /**
   * Takes back what was under way on a connection that is no more, and what waits to be sent again:
   * all of it in its old place.
   *
   * @param cause why the connection is no more, or null when that was planned
   */
  void disconnected(@Nullable TransportException cause) {
    if (connection == null) {
      return;
    }
    noteMoves(connection);
    connection = null;
    outage = null;
    runClock();
    ackTimer.cancel();
    stallTimer.cancel();
    try {
      if (cause != null) {
        blameOldest(cause);
      }
      putAllBack();
    } catch (Throwable e) {
      // Such as a lack of memory. A later turn does the rest; the next connection must not fail.
      LOG.error("not all messages under way could be put back; trying again", e);
    }
  }

  /** Puts everything back; each is where it can be found even if an error ends this in between. */
  private void putAllBack() {
    for (Iterator<SendAttempt> lost = inFlight.values().iterator(); lost.hasNext(); ) {
      SendAttempt attempt = lost.next();
      putBack(attempt.sending);
      countBuffered(attempt);
      inFlightBytes -= attempt.sending.sizeBytes;
      lost.remove();
    }
    putDelayedBack();
  }

  private void putDelayedBack() {
    Sending next;
    while ((next = delayed.first()) != null) {
      putBack(next);
      delayed.remove(next);
    }
  }

  private void blameOldest(TransportException cause) {
    Iterator<SendAttempt> lost = inFlight.values().iterator();
    if (!lost.hasNext()) {
      return;
    }
    Sending oldest = lost.next().sending;
    oldest.lastFailure = cause;
    PoisonDetector.blame(oldest, intake.acknowledged());
    if (PoisonDetector.isPoison(oldest)) {
      LOG.warn("message {} is given up: it costs every connection", oldest.messageId);
      end(oldest, Kind.REJECTED, cause);
      inFlightBytes -= oldest.sizeBytes;
      lost.remove();
    } else if (PoisonDetector.isSuspect(oldest)) {
      oldest.dueNanos = loop.now() + PoisonDetector.restNanos(oldest);
    }
  }

  /**
   * Slows the client down, because the other side asked for it or no other remedy is left. Each
   * pause in a row is twice as long, from a second to a minute, unless the other side asks for a
   * longer one.
   *
   * @return true when this is a new pause
   */
  boolean slowDown(TransportException cause, long leastNanos) {
    long now = loop.now();
    int doublings = Math.min(MAX_PAUSE_DOUBLINGS, congestion.throttlesInARow());
    long pause = Math.max(leastNanos, FIRST_PAUSE_NANOS << doublings);
    boolean another = congestion.throttled(now, Math.max(pause, Refusals.hintNanos(cause)));
    runClock();
    return another;
  }

  /**
   * Expires and sends the messages that are due. Called once at the end of each turn of the loop.
   */
  void pump() {
    if (closed) {
      return;
    }
    try {
      tellRest();
      putRestBack();
      putDueBack();
      expire();
      sendDue();
      diskFails = false;
    } catch (UnreadableMessageException e) {
      // Told first of all in the next turn, for which the next message may be sound.
      unread = e;
      loop.post(() -> {});
    } catch (IOException e) {
      if (!diskFails) {
        LOG.warn("the queue cannot be read; trying again every second", e);
      }
      diskFails = true;
      tryAgainSoon();
    }
  }

  /** Sees to another turn after an error: nothing else may happen that begins one. */
  void tryAgainSoon() {
    wakeTimer.set(DISK_PAUSE_NANOS);
  }

  /** Tells what an error has kept from being told. */
  private void tellRest() {
    tellEnded();
    tellExpired();
    UnreadableMessageException lost = unread;
    if (lost != null) {
      Sending sending = sendings.get(lost.sequence());
      intake.endedUnread(lost.sequence(), sending == null ? 0 : sending.attempts, lost);
      unread = null;
      sendings.remove(lost.sequence());
    }
  }

  /** Puts back what an error has left in the middle of its way. */
  private void putRestBack() {
    tellEnded();
    if (inHand != 0) {
      queue.putBack(inHand);
      inHand = 0;
    }
    Sending rest = answered;
    if (rest != null) {
      putBack(rest);
      answered = null;
    }
    if (connection == null && !(inFlight.isEmpty() && delayed.isEmpty())) {
      putAllBack();
    }
  }

  private void putBack(Sending sending) {
    if (sending.ending() != null) {
      return;
    }
    sendings.put(sending.sequence(), sending);
    queue.putBack(sending.sequence());
    // However many wait there, it is read again when its turn comes.
    sending.leaveToQueue();
  }

  /** Puts messages that may be sent again into their old places, or lets them expire there. */
  private void putDueBack() {
    // They are tried in turn, and stay where they are meanwhile.
    if (refusals.isOutage() || rights.isOn()) {
      return;
    }
    long now = loop.now();
    Sending due;
    while ((due = delayed.first()) != null && due.dueNanos - now <= 0) {
      putBack(due);
      delayed.remove(due);
    }
  }

  private void delay(Sending sending) {
    // A suspect rests on a live connection, which is there for the others.
    delayed.add(sending, PoisonDetector.isSuspect(sending) || refusals.isAside(sending));
  }

  private void expire() throws IOException {
    long now = loop.now();
    long next = queue.nextExpiryNanos(now);
    if (next == Long.MAX_VALUE) {
      expiryTimer.cancel();
      return;
    }
    if (next - now > 0) {
      if (!expiryTimer.isSetBy(next)) {
        expiryTimer.set(next - now);
      }
      return;
    }
    expired = queue.expire(now, MAX_EXPIRED_AT_ONCE);
    tellExpired();
    // There may be more, or the next one is yet to be found.
    loop.post(() -> {});
  }

  private void tellExpired() {
    while (expiredTold < expired.size()) {
      QueuedMessage message = expired.get(expiredTold);
      Sending sending = sendings.get(message.sequence());
      intake.ended(
          message.sequence(),
          message.message().id(),
          Kind.EXPIRED,
          sending == null ? 0 : sending.attempts,
          sending == null ? null : sending.lastFailure);
      expiredTold++;
      sendings.remove(message.sequence());
    }
    expired = List.of();
    expiredTold = 0;
  }

  private void sendDue() throws IOException {
    TransportConnection sendingOn = connection;
    if (sendingOn == null || draining) {
      return;
    }
    TransportException dead = outage;
    if (dead != null && inFlight.isEmpty()) {
      // An error has kept the last answer from ending the connection.
      health.onDead(dead);
      return;
    }
    long now = loop.now();
    if (congestion.isPaused(now)) {
      wakeAt(now + congestion.pauseNanos(now), now);
      return;
    }
    if (congestion.resumeIf(queue.waiting() == 0 && inFlight.isEmpty() && delayed.isEmpty())) {
      tellEndOfPause();
    }
    runClock();
    if (rights.isWaiting(now, attempts)) {
      wakeAt(rights.untilNanos(), now);
      return;
    }
    boolean wasAllTried = window() == 0;
    int expiredNow = 0;
    while (inFlight.size() < window() && hasCapacity(sendingOn)) {
      Sending next = isProbing() ? nextProbe(now) : next(now);
      if (next == null) {
        wasAllTried = true;
        break;
      }
      // Its time to live may have ended where it waited to be sent again.
      long lifeNanos = queue.remainingNanos(next.sequence(), now);
      if (lifeNanos > 0) {
        send(next, lifeNanos, sendingOn, now);
        continue;
      }
      end(next, Kind.EXPIRED, next.lastFailure);
      inHand = 0;
      expiredNow++;
      if (expiredNow == MAX_EXPIRED_AT_ONCE) {
        loop.post(() -> {});
        break;
      }
    }
    if (rights.isOn() && wasAllTried && inFlight.isEmpty() && wantsToSend()) {
      rights.waitOnceMore(now);
      // Meanwhile all wait in the queue, where their time to live ends.
      putDelayedBack();
      wakeAt(rights.untilNanos(), now);
    }
    Sending waiting = delayed.first();
    if (waiting != null && waiting.dueNanos - now > 0) {
      wakeAt(waiting.dueNanos, now);
    }
    watch(sendingOn);
  }

  private void tellEndOfPause() {
    TransportException forbidden = rights.cause();
    if (forbidden == null) {
      health.onFlowing();
    } else {
      health.onForbidden(forbidden);
    }
  }

  private boolean wantsToSend() {
    return queue.waiting() > 0 || !delayed.isEmpty();
  }

  private int window() {
    if (outage != null) {
      return 0;
    }
    if (rights.isOn()) {
      return attempts - rights.attemptsBefore() < settings.maxRejectedInARow ? 1 : 0;
    }
    return refusals.isOutage() ? 1 : congestion.window();
  }

  /** Returns whether messages are tried one at a time, other ones than before. */
  private boolean isProbing() {
    return refusals.isOutage()
        || rights.isOn()
        || (congestion.isThrottled()
            && congestion.window() == 1
            && refusals.triesAnother(congestion.throttlesInARow()));
  }

  /**
   * Returns whether the connection takes a message. A place that became free with an outcome counts
   * only when the outcome was looked at: it may be that nothing is to be sent for a while.
   */
  private boolean hasCapacity(TransportConnection sendingOn) {
    int capacity = sendingOn.capacity();
    return capacity - told.get() > 0;
  }

  /** Returns the message to send next, or null when there is none, or none may be sent now. */
  private @Nullable Sending next(long now) throws IOException {
    // A suspect travels alone.
    if (inFlight.size() == 1 && PoisonDetector.isSuspect(oldestInFlight())) {
      return null;
    }
    QueuedMessage queued;
    while ((queued = poll()) != null) {
      Sending before = sendings.isEmpty() ? null : sendings.get(queued.sequence());
      if (before == null) {
        return new Sending(queued, activeClock.nanos(now), now);
      }
      before.hold(queued.message());
      if (isOver(before, now)) {
        // Sent again and again, and never answered.
        end(before, Kind.EXPIRED, before.lastFailure);
      } else if (before.dueNanos - now > 0) {
        delay(before);
      } else if (PoisonDetector.isSuspect(before) && !inFlight.isEmpty()) {
        delay(before);
        inHand = 0;
        return null;
      } else {
        return before;
      }
      inHand = 0;
    }
    return null;
  }

  /**
   * Returns a message that was not refused yet, else the one whose latest attempt is the longest
   * ago, or null when none is to be tried now.
   */
  private @Nullable Sending nextProbe(long now) throws IOException {
    QueuedMessage queued;
    while ((queued = poll()) != null) {
      Sending before = sendings.get(queued.sequence());
      if (before == null) {
        return new Sending(queued, activeClock.nanos(now), now);
      }
      before.hold(queued.message());
      if (before.refusedAttempt == 0 && before.dueNanos - now <= 0) {
        return before;
      }
      if (before.dueNanos - now > 0) {
        delay(before);
      } else {
        // Passed over until the next turn only: it must not take the room of the one looked for.
        delayed.add(before, true);
      }
      inHand = 0;
    }
    Sending longestAgo =
        delayed.triedLongestAgo(now, rights.isOn() ? rights.attemptsBefore() : attempts);
    if (longestAgo != null) {
      // It takes its old place, from which it is sent.
      delayed.remove(longestAgo);
      inHand = longestAgo.sequence();
      if (!longestAgo.isHeld()) {
        longestAgo.hold(queue.read(longestAgo.sequence()));
      }
    }
    return longestAgo;
  }

  /** Polls, as long as there is room for one more in memory. */
  private @Nullable QueuedMessage poll() throws IOException {
    int messages = inFlight.size() + delayed.counted();
    if (messages >= settings.maxInFlight) {
      return null;
    }
    // One that is larger than all may be is sent alone.
    QueuedMessage queued =
        queue.poll(
            messages == 0
                ? Long.MAX_VALUE
                : settings.maxInFlightBytes - inFlightBytes - delayed.countedBytes());
    inHand = queued == null ? 0 : queued.sequence();
    return queued;
  }

  private Sending oldestInFlight() {
    return oldestAttempt().sending;
  }

  private SendAttempt oldestAttempt() {
    return inFlight.values().iterator().next();
  }

  private void send(Sending next, long lifeNanos, TransportConnection sendingOn, long now) {
    // Made before anything is changed: an error leaves the message in hand.
    Message remaining = withRemainingLife(next.message(), lifeNanos);
    SendAttempt attempt =
        new SendAttempt(next, new Departure(attempts + 1, now, activeClock.nanos(now)));
    inFlight.put(next.sequence(), attempt);
    inHand = 0;
    inFlightBytes += next.sizeBytes;
    next.attempts++;
    next.latestAttempt = ++attempts;
    next.sent(activeClock.nanos(now));
    sendingOn.send(remaining, next.attempts, attempt);
  }

  /** Returns the message as it is to be sent now: a part of its time to live may be over. */
  private static Message withRemainingLife(Message message, long lifeNanos) {
    return message.withTimeToLive(lifeNanos == Long.MAX_VALUE ? null : Duration.ofNanos(lifeNanos));
  }

  /** Sets the timers that notice a connection that looks alive and is not. */
  private void watch(TransportConnection sendingOn) {
    if (!inFlight.isEmpty() && !ackTimer.isSet()) {
      setAckTimer(ackCheckNanos);
    }
    boolean stalled = wantsToSend() && inFlight.isEmpty() && sendingOn.capacity() == 0;
    if (!stalled) {
      stallTimer.cancel();
    } else if (!stallTimer.isSet()) {
      stallTimer.set(ackTimeoutNanos);
    }
  }

  private void wakeAt(long atNanos, long now) {
    if (!wakeTimer.isSetBy(atNanos)) {
      wakeTimer.set(atNanos - now);
    }
  }

  private void setAckTimer(long delayNanos) {
    ackDueNanos = loop.now() + delayNanos;
    ackTimer.set(delayNanos);
  }

  private void onAckTimer() {
    if (inFlight.isEmpty()) {
      return;
    }
    long now = loop.now();
    noteMoves(connection);
    // The process stood still, and so did what it would have heard.
    if (now - ackDueNanos > ackCheckNanos) {
      setAckTimer(ackCheckNanos);
      return;
    }
    List<Departure> underWay =
        inFlight.values().stream().map(attempt -> attempt.departure).toList();
    long leftNanos = ackWatch.deadlineNanos(underWay) - now;
    if (leftNanos > 0) {
      setAckTimer(Math.min(leftNanos, ackCheckNanos));
      return;
    }
    SendAttempt oldest = oldestAttempt();
    TransportException silent = Failures.ackTimeout(oldest.sending.message(), settings.ackTimeout);
    oldest.sending.lastFailure = silent;
    health.onDead(silent);
  }

  private void noteMoves(@Nullable TransportConnection sendingOn) {
    if (sendingOn != null && sendingOn.hasMoved()) {
      ackWatch.moved(loop.now());
    }
  }

  /** Time in the buffer of a connection that moves is no time of an attempt. */
  private void countBuffered(SendAttempt attempt) {
    long activeNanos = activeClock.nanos(loop.now()) - attempt.departure.sentActiveNanos;
    attempt.sending.bufferedActiveNanos +=
        Math.min(activeNanos, ackWatch.bufferedNanos(attempt.departure));
  }

  private void onStalled() {
    health.onDead(Failures.stalled(settings.ackTimeout));
  }

  private void acknowledged(Sending sending) {
    boolean wasForbidden = rights.isOn();
    refusals.acknowledged(sending);
    outage = null;
    rights.end();
    end(sending, Kind.ACKNOWLEDGED, null);
    if (congestion.acknowledged(clock) || wasForbidden) {
      health.onFlowing();
    }
    runClock();
  }

  private void refused(Sending sending, TransportException cause) {
    sending.lastFailure = cause;
    Refusals.Verdict verdict = refusals.of(cause, sending);
    runClock();
    if (verdict.pauses()) {
      pause(cause, verdict.delayNanos());
    }
    switch (verdict.fate()) {
      case REJECTED -> end(sending, Kind.REJECTED, cause);
      case WAITS_FOR_PAUSE -> {
        sending.throttled(activeClock.nanos(loop.now()));
        putBack(sending);
      }
      // In the queue, where its time to live ends.
      case WAITS_FOR_RIGHTS -> putBack(sending);
      case WAITS_FOR_CONNECTION -> {
        delay(sending, verdict.delayNanos());
        outage = cause;
      }
      case WAITS_FOR_ALLOWANCE -> {
        sending.throttled(activeClock.nanos(loop.now()));
        delay(sending, verdict.delayNanos());
      }
      case SENT_AGAIN -> sendAgain(sending, verdict.delayNanos(), cause);
    }
    if (refusals.isOutageOfRights() && !rights.isOn()) {
      LOG.warn("the device may not send, and the rest waits: {}", cause.getMessage());
      rights.begin(cause, loop.now());
      putDelayedBack();
      health.onForbidden(cause);
    }
    // Others that are under way may be taken.
    TransportException dead = outage;
    if (dead != null && inFlight.isEmpty()) {
      health.onDead(dead);
    }
  }

  private void sendAgain(Sending sending, long delayNanos, TransportException cause) {
    // A retry that cannot start in time is not worth the wait.
    if (activeClock.isRunning() && delayNanos > remainingNanos(sending, loop.now())) {
      end(sending, Kind.EXPIRED, cause);
    } else {
      delay(sending, delayNanos);
    }
  }

  private void delay(Sending sending, long delayNanos) {
    sending.dueNanos = loop.now() + Math.min(delayNanos, Long.MAX_VALUE / 4);
    delay(sending);
  }

  /** Ends the wait for the right to send, if the client waits for it. */
  void tryNow() {
    rights.tryNow(loop.now());
  }

  private void pause(TransportException cause, long leastNanos) {
    if (slowDown(cause, leastNanos)) {
      health.onThrottled(cause);
    }
  }

  private long remainingNanos(Sending sending, long now) {
    long usedNanos = sending.usedNanos(activeClock.nanos(now));
    return settings.operationTimeoutNanos - (usedNanos - sending.bufferedActiveNanos);
  }

  private boolean isOver(Sending sending, long now) {
    return activeClock.isRunning() && remainingNanos(sending, now) <= 0;
  }

  private void end(Sending sending, Kind kind, @Nullable TransportException cause) {
    tellEnded();
    sending.end(kind, cause);
    ended = sending;
    tellEnded();
  }

  /** Tells the end of a message; if an error ends this, it is done once more. */
  private void tellEnded() {
    Sending sending = ended;
    Sending.Ending ending = sending == null ? null : sending.ending();
    if (sending == null || ending == null) {
      return;
    }
    if (!sendings.isEmpty()) {
      sendings.remove(sending.sequence());
    }
    queue.remove(sending.sequence());
    intake.ended(
        sending.sequence(), sending.messageId, ending.kind(), sending.attempts, ending.cause());
    ended = null;
  }

  /** Forgets a message that the queue let go. */
  int forget(long sequence) {
    Sending sending = sendings.remove(sequence);
    return sending == null ? 0 : sending.attempts;
  }

  /** Ends everything; messages on disk are sent when the queue is opened again. */
  void close() {
    disconnected(null);
    closed = true;
    wakeTimer.cancel();
    expiryTimer.cancel();
    // What an error has left in this very turn; it is cancelled or stored with all others.
    tellRest();
    putRestBack();
  }

  int inFlight() {
    return inFlight.size() + delayed.size();
  }

  int waiting() {
    return queue.waiting();
  }

  long attempts() {
    return attempts;
  }

  /**
   * One attempt to send a message. The connection passes it the outcome, and it then posts itself
   * to the loop.
   */
  private final class SendAttempt implements SendCallback, Runnable {
    private final Sending sending;
    private final Departure departure;
    private volatile @Nullable TransportException failure;

    SendAttempt(Sending sending, Departure departure) {
      this.sending = sending;
      this.departure = departure;
    }

    @Override
    public void onLeft() {
      departure.left(loop.now());
    }

    @Override
    public void onAcknowledged() {
      tell();
    }

    @Override
    public void onFailed(TransportException cause) {
      failure = cause;
      tell();
    }

    private void tell() {
      told.incrementAndGet();
      try {
        loop.post(this);
      } catch (Throwable e) {
        told.decrementAndGet();
        throw e;
      }
    }

    @Override
    public void run() {
      told.decrementAndGet();
      // Of a connection that was lost meanwhile, or told twice.
      if (inFlight.get(sending.sequence()) != this) {
        return;
      }
      putRestBack();
      inFlight.remove(sending.sequence());
      inFlightBytes -= sending.sizeBytes;
      answered = sending;
      if (departure.hasLeft() && !inFlight.isEmpty()) {
        ackWatch.answered(departure, oldestAttempt().departure, loop.now());
      }
      TransportException cause = failure;
      if (cause == null) {
        acknowledged(sending);
      } else {
        countBuffered(this);
        refused(sending, cause);
      }
      answered = null;
    }
  }
}
