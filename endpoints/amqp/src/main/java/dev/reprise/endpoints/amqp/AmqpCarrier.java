package dev.reprise.endpoints.amqp;

import dev.reprise.delivery.AttemptOutcome;
import dev.reprise.delivery.AttemptOutcome.Block;
import dev.reprise.delivery.carrier.Carrier;
import dev.reprise.delivery.carrier.CarrierAttempt;
import dev.reprise.delivery.carrier.CarrierContext;
import dev.reprise.delivery.carrier.CarrierException;
import dev.reprise.delivery.carrier.CarrierFailure;
import dev.reprise.delivery.carrier.CarrierFault;
import dev.reprise.delivery.carrier.CarrierState;
import dev.reprise.delivery.carrier.Verdict;
import io.netty.channel.EventLoop;
import io.netty.channel.EventLoopGroup;
import io.netty.channel.MultiThreadIoEventLoopGroup;
import io.netty.channel.nio.NioIoHandler;
import io.netty.handler.ssl.SslContext;
import io.netty.util.concurrent.DefaultThreadFactory;
import java.security.SecureRandom;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.HashSet;
import java.util.List;
import java.util.Queue;
import java.util.Set;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Consumer;
import javax.net.ssl.SSLException;
import org.apache.qpid.protonj2.engine.Session;
import org.jspecify.annotations.Nullable;

/**
 * One connection to a broker, made when the first attempt needs it, and again when an attempt needs
 * it after it was lost. Everything that happens to the connection happens on one thread, the loop.
 * Thread-safe.
 */
final class AmqpCarrier implements Carrier {
  private static final String CLOSED = "the carrier is closed";
  private static final Duration WHILE_CLOSED = Duration.ofSeconds(1);
  private static final Duration UNTIL_ONE_IS_FREE = Duration.ofMillis(50);
  private static final Duration WHILE_CONNECTING = Duration.ofSeconds(1);

  /**
   * The time that {@link #close} waits for the outcomes of what was sent, and then for the thread.
   */
  private static final long DRAIN_MILLIS = 2_000;

  private static final long LOOP_STOP_MILLIS = 2_000;

  private final AmqpSettings settings;
  private final CarrierContext context;
  private final String containerId = "reprise-" + UUID.randomUUID();
  private final int maxLinks;
  private final EventLoopGroup group;
  private final EventLoop loop;
  private final CarrierFault fault = new CarrierFault(new SecureRandom());
  private final AtomicInteger inFlight = new AtomicInteger();
  private final Queue<Outgoing> handedOver = new ConcurrentLinkedQueue<>();
  private final AtomicBoolean scheduled = new AtomicBoolean();
  private final AtomicBoolean closing = new AtomicBoolean();
  private final CountDownLatch drained = new CountDownLatch(1);
  private final MessageEncoder encoder;

  /** Whether {@link #fault} knows one: asked for every attempt. */
  private volatile boolean faulty;

  private volatile boolean closed;
  private volatile boolean connected;

  // Of the loop.
  private final Deque<Outgoing> waiting = new ArrayDeque<>();
  private final Set<Runnable> tests = new HashSet<>();
  private @Nullable SslContext tls;
  private @Nullable Dialer dialer;
  private @Nullable AmqpConnection connection;
  private @Nullable Links links;

  /** Whether the fault is that the account may not do something, which no connection disproves. */
  private boolean unauthorized;

  AmqpCarrier(AmqpSettings settings, CarrierContext context) {
    this(settings, context, Links.MAX_LINKS);
  }

  AmqpCarrier(AmqpSettings settings, CarrierContext context, int maxLinks) {
    this.settings = settings;
    this.context = context;
    this.maxLinks = maxLinks;
    this.encoder = new MessageEncoder(settings.durable());
    this.group =
        new MultiThreadIoEventLoopGroup(
            1, new DefaultThreadFactory("amqp-" + context.name(), true), NioIoHandler.newFactory());
    this.loop = group.next();
  }

  @Override
  public void send(CarrierAttempt attempt, Consumer<AttemptOutcome> done) {
    if (closed) {
      done.accept(AttemptOutcome.givenBack(CLOSED, WHILE_CLOSED));
      return;
    }
    if (inFlight.incrementAndGet() > context.maxInFlight()) {
      inFlight.decrementAndGet();
      done.accept(
          AttemptOutcome.givenBack(
              context.maxInFlight() + " attempts are under way, the most there may be",
              UNTIL_ONE_IS_FREE));
      return;
    }
    boolean isTry = false;
    if (faulty) {
      AttemptOutcome refusal = fault.refusal();
      if (refusal != null) {
        inFlight.decrementAndGet();
        done.accept(refusal);
        return;
      }
      isTry = fault.reason() != null;
    }
    handedOver.add(new Outgoing(attempt, isTry, done, this::onEnd));
    if (!scheduled.get() && scheduled.compareAndSet(false, true)) {
      inLoop(this::takeHandedOver);
    }
    if (closed) {
      giveBackHandedOver();
    }
  }

  @Override
  public CarrierState state() {
    return new CarrierState(fault.reason(), fault.sinceMillis(), connected ? 1 : 0, inFlight.get());
  }

  @Override
  public CompletionStage<String> test() {
    CompletableFuture<String> result = new CompletableFuture<>();
    if (closed) {
      result.completeExceptionally(new CarrierException(CLOSED));
    } else {
      inLoop(() -> test(result));
    }
    return result;
  }

  @Override
  public void close() {
    if (!closing.compareAndSet(false, true)) {
      return;
    }
    closed = true;
    inLoop(this::startClosing);
    try {
      boolean unused = drained.await(DRAIN_MILLIS, TimeUnit.MILLISECONDS);
      inLoop(this::end);
      group
          .shutdownGracefully(0, LOOP_STOP_MILLIS, TimeUnit.MILLISECONDS)
          .await(LOOP_STOP_MILLIS, TimeUnit.MILLISECONDS);
    } catch (InterruptedException e) {
      inLoop(this::end);
      var unused = group.shutdownGracefully(0, LOOP_STOP_MILLIS, TimeUnit.MILLISECONDS);
      Thread.currentThread().interrupt();
    }
    giveBackHandedOver();
  }

  private void inLoop(Runnable task) {
    try {
      loop.execute(task);
    } catch (RejectedExecutionException e) {
      // The carrier is closed, and what was handed over is given back.
      closed = true;
    }
  }

  private void giveBackHandedOver() {
    for (Outgoing next = handedOver.poll(); next != null; next = handedOver.poll()) {
      next.givenBack(CLOSED, WHILE_CLOSED);
    }
  }

  private void takeHandedOver() {
    scheduled.set(false);
    AmqpConnection open = connection;
    if (open != null) {
      open.run(this::sendHandedOver);
    }
    // There was no connection, or it broke in the middle: the rest waits for the next one.
    sendHandedOver();
  }

  private void sendHandedOver() {
    for (Outgoing next = handedOver.poll(); next != null; next = handedOver.poll()) {
      send(next);
    }
  }

  private void send(Outgoing outgoing) {
    if (closed) {
      outgoing.givenBack(CLOSED, WHILE_CLOSED);
      return;
    }
    long passed = System.nanoTime() - outgoing.startNanos;
    outgoing.timer =
        loop.schedule(
            () -> timeOut(outgoing),
            outgoing.attempt.timeout().toNanos() - passed,
            TimeUnit.NANOSECONDS);
    Links attached = links;
    if (attached != null) {
      attached.send(outgoing);
      return;
    }
    waiting.add(outgoing);
    if (dialer == null) {
      connect();
    }
  }

  private void timeOut(Outgoing outgoing) {
    TargetLink link = outgoing.link;
    AmqpConnection open = connection;
    if (link != null && open != null) {
      open.run(() -> link.timeOut(outgoing));
      return;
    }
    waiting.remove(outgoing);
    outgoing.givenBack(
        "not connected within " + outgoing.attempt.timeout().toMillis() + " ms", WHILE_CONNECTING);
  }

  private void connect() {
    SslContext encryption;
    try {
      encryption = encryption();
    } catch (SSLException e) {
      giveBackWaiting(fail("TLS: " + AmqpConnection.text(e)));
      return;
    }
    Dialer dialing = new Dialer(loop, settings, encryption, containerId, new Dialed());
    dialer = dialing;
    dialing.start();
  }

  private @Nullable SslContext encryption() throws SSLException {
    if (settings.tls() && tls == null) {
      tls = Tls.context(settings.authority());
    }
    return tls;
  }

  private void giveBackWaiting(Block block) {
    for (Outgoing next = waiting.poll(); next != null; next = waiting.poll()) {
      next.givenBack(block.reason(), block.time());
    }
  }

  /** Notes a fault of the carrier. */
  private Block fail(String reason) {
    faulty = true;
    return fault.failed(reason);
  }

  private void recover() {
    if (!faulty) {
      return;
    }
    faulty = false;
    unauthorized = false;
    if (fault.recovered()) {
      context.recovered();
    }
  }

  private void onEnd(Outgoing outgoing) {
    inFlight.decrementAndGet();
    if (outgoing.isTry && faulty && connected && !closed) {
      // It has found out nothing on the carrier but that there is a connection.
      recover();
    }
    if (closed && inFlight.get() == 0) {
      drained.countDown();
    }
  }

  private void lost(String reason) {
    Links broken = links;
    links = null;
    connection = null;
    connected = false;
    List<Outgoing> unsettled = new ArrayList<>();
    List<Outgoing> unsent = new ArrayList<>();
    if (broken != null) {
      for (TargetLink link : broken.takeAll()) {
        unsettled.addAll(link.takeUnsettled());
        unsent.addAll(link.takeUnsent());
      }
    }
    // Without an attempt under way nothing has failed: brokers end idle connections.
    if (unsettled.isEmpty() && unsent.isEmpty()) {
      return;
    }
    Block block = fail("connection lost: " + reason);
    unsettled.forEach(
        sent ->
            sent.failed(
                CarrierFailure.CONNECTION_LOST, "connection lost before the outcome: " + reason));
    unsent.forEach(waited -> waited.givenBack(block.reason(), block.time()));
  }

  private void test(CompletableFuture<String> result) {
    SslContext encryption;
    try {
      encryption = encryption();
    } catch (SSLException e) {
      result.completeExceptionally(new CarrierException("TLS: " + AmqpConnection.text(e)));
      return;
    }
    if (closed) {
      result.completeExceptionally(new CarrierException(CLOSED));
      return;
    }
    // The broker may allow a container one connection at a time.
    Tested tested = new Tested(result);
    tests.add(tested);
    tested.dialing =
        new Dialer(loop, settings, encryption, "reprise-test-" + UUID.randomUUID(), tested);
    tested.dialing.start();
  }

  private void startClosing() {
    giveBackHandedOver();
    Dialer dialing = dialer;
    dialer = null;
    if (dialing != null) {
      dialing.close();
    }
    giveBackWaiting(new Block(WHILE_CLOSED, CLOSED));
    List.copyOf(tests).forEach(Runnable::run);
    Links attached = links;
    if (attached != null) {
      attached.giveBackUnsent(CLOSED, WHILE_CLOSED);
    }
    if (inFlight.get() == 0) {
      drained.countDown();
    }
  }

  private void end() {
    AmqpConnection open = connection;
    Links attached = links;
    connection = null;
    links = null;
    connected = false;
    if (attached != null) {
      for (TargetLink link : attached.takeAll()) {
        link.takeUnsettled()
            .forEach(
                sent ->
                    sent.failed(CarrierFailure.CONNECTION_LOST, CLOSED + " before the outcome"));
        link.takeUnsent().forEach(waited -> waited.givenBack(CLOSED, WHILE_CLOSED));
      }
    }
    if (open != null) {
      open.close();
    }
  }

  /** The connection that attempts wait for. */
  private final class Dialed implements Dialer.Listener {
    @Override
    public void ready(AmqpConnection made, Session first) {
      dialer = null;
      connection = made;
      connected = true;
      made.listener(
          new AmqpConnection.Listener() {
            @Override
            public void ready(AmqpConnection again, Session session) {}

            @Override
            public void lost(String reason, boolean login) {
              AmqpCarrier.this.lost(made.address() + ": " + reason);
            }
          });
      Links attached = new Links(made, first, encoder, maxLinks, new Reports());
      links = attached;
      if (!unauthorized || waiting.isEmpty()) {
        recover();
      }
      for (Outgoing next = waiting.poll(); next != null; next = waiting.poll()) {
        attached.send(next);
      }
    }

    @Override
    public void failed(String reason) {
      dialer = null;
      unauthorized = false;
      giveBackWaiting(fail(reason));
    }
  }

  /** A connection that is only tried. */
  private final class Tested implements Dialer.Listener, Runnable {
    private final CompletableFuture<String> result;
    private @Nullable Dialer dialing;

    Tested(CompletableFuture<String> result) {
      this.result = result;
    }

    @Override
    public void ready(AmqpConnection made, Session first) {
      tests.remove(this);
      String description = made.description();
      made.close();
      result.complete(description);
    }

    @Override
    public void failed(String reason) {
      tests.remove(this);
      result.completeExceptionally(new CarrierException(reason));
    }

    /** Gives up. */
    @Override
    public void run() {
      Dialer running = dialing;
      if (running != null) {
        running.close();
      }
      failed(CLOSED);
    }
  }

  /** The carrier, as links report to it. */
  private final class Reports implements LinkListener {
    @Override
    public void accepted(Outgoing outgoing) {
      if (fault.taken(outgoing.attempt.endpoint())) {
        faulty = false;
        unauthorized = false;
        context.recovered();
      }
    }

    @Override
    public void failed(Outgoing outgoing, Verdict verdict, String summary, boolean sent) {
      String endpoint = outgoing.attempt.endpoint();
      if (!fault.isAtFault(verdict, endpoint, verdict.name())) {
        outgoing.failed(verdict.failure(), summary);
        return;
      }
      unauthorized = true;
      outgoing.isTry = false;
      Block block = fail(endpoint + ": " + summary);
      if (sent) {
        outgoing.failed(CarrierFailure.TRANSIENT, summary);
      } else {
        outgoing.givenBack(block.reason(), block.time());
      }
    }

    @Override
    public void ended(TargetLink link) {
      Links attached = links;
      if (attached != null) {
        attached.remove(link);
      }
    }
  }
}
