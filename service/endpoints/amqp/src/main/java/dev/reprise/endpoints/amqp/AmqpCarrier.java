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
import dev.reprise.delivery.carrier.CarrierVerdict;
import dev.reprise.delivery.carrier.CarrierWindow;
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
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
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
  private static final Block CLOSED = CarrierWindow.CLOSED;
  private static final Duration WHILE_CONNECTING = Duration.ofSeconds(1);

  /**
   * The time that {@link #close} waits for the outcomes of what was sent, and then for the thread.
   */
  private static final Duration MAX_DRAIN = Duration.ofSeconds(2);

  private static final long LOOP_STOP_MILLIS = 2_000;

  private final AmqpCarrierSettings settings;
  private final CarrierContext context;
  private final String containerId = "reprise-" + UUID.randomUUID();
  private final int maxLinks;
  private final EventLoopGroup group;
  private final EventLoop loop;
  private final CarrierFault fault = new CarrierFault(new SecureRandom());
  private final CarrierWindow<Outgoing> window;
  private final Queue<Outgoing> handedOver = new ConcurrentLinkedQueue<>();
  private final AtomicBoolean scheduled = new AtomicBoolean();
  private final MessageEncoder encoder;

  private volatile boolean connected;

  // Of the loop.
  private final Deque<Outgoing> waiting = new ArrayDeque<>();
  private final Set<Runnable> tests = new HashSet<>();
  private @Nullable SslContext tls;
  private @Nullable Dialer dialer;
  private @Nullable BrokerConnection connection;
  private @Nullable CarrierLinks links;

  /** Whether the fault is that the account may not do something, which no connection disproves. */
  private boolean unauthorized;

  AmqpCarrier(AmqpCarrierSettings settings, CarrierContext context) {
    this(settings, context, CarrierLinks.MAX_LINKS);
  }

  AmqpCarrier(AmqpCarrierSettings settings, CarrierContext context, int maxLinks) {
    this.settings = settings;
    this.context = context;
    this.maxLinks = maxLinks;
    this.encoder = new MessageEncoder(settings.durable());
    this.group =
        new MultiThreadIoEventLoopGroup(
            1, new DefaultThreadFactory("amqp-" + context.name(), true), NioIoHandler.newFactory());
    this.loop = group.next();
    this.window = new CarrierWindow<>(context, outgoing -> inLoop(() -> timeOut(outgoing)));
  }

  @Override
  public void send(CarrierAttempt attempt, Consumer<AttemptOutcome> done) {
    Outgoing outgoing = new Outgoing(window, attempt, done, this::onTried);
    AttemptOutcome refusal = window.refusal(outgoing, fault::refusal);
    if (refusal != null) {
      done.accept(refusal);
      return;
    }
    outgoing.isTry = fault.reason() != null;
    handedOver.add(outgoing);
    if (!scheduled.get() && scheduled.compareAndSet(false, true)) {
      inLoop(this::takeHandedOver);
    }
  }

  @Override
  public CarrierState state() {
    return new CarrierState(fault.reason(), fault.sinceMillis(), connected ? 1 : 0, window.count());
  }

  @Override
  public CompletionStage<String> test() {
    CompletableFuture<String> result = new CompletableFuture<>();
    if (window.isClosed()) {
      result.completeExceptionally(new CarrierException(CLOSED.reason()));
    } else {
      inLoop(() -> test(result));
    }
    return result;
  }

  @Override
  public void close() {
    if (!window.close()) {
      return;
    }
    inLoop(this::startClosing);
    try {
      boolean unused = window.awaitEmpty(MAX_DRAIN);
      inLoop(this::end);
      group
          .shutdownGracefully(0, LOOP_STOP_MILLIS, TimeUnit.MILLISECONDS)
          .await(LOOP_STOP_MILLIS, TimeUnit.MILLISECONDS);
    } catch (InterruptedException e) {
      inLoop(this::end);
      var unused = group.shutdownGracefully(0, LOOP_STOP_MILLIS, TimeUnit.MILLISECONDS);
      Thread.currentThread().interrupt();
    }
    window.underWay().forEach(AmqpCarrier::endUnfinished);
  }

  private static void endUnfinished(Outgoing left) {
    if (left.delivery == null) {
      left.giveBack(CLOSED);
    } else {
      left.end(CarrierFailure.CONNECTION_LOST, CLOSED.reason() + " before the outcome");
    }
  }

  private void inLoop(Runnable task) {
    try {
      loop.execute(task);
    } catch (RejectedExecutionException e) {
      // The carrier is closed, and gives back what it still has.
    }
  }

  private void giveBackHandedOver() {
    for (Outgoing next = handedOver.poll(); next != null; next = handedOver.poll()) {
      next.giveBack(CLOSED);
    }
  }

  private void takeHandedOver() {
    scheduled.set(false);
    BrokerConnection open = connection;
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
    if (window.isClosed()) {
      outgoing.giveBack(CLOSED);
    }
    if (outgoing.hasOutcome()) {
      return;
    }
    CarrierLinks attached = links;
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
    if (outgoing.hasOutcome()) {
      return;
    }
    TargetLink link = outgoing.link;
    BrokerConnection open = connection;
    if (link != null && open != null) {
      open.run(() -> link.timeOut(outgoing));
      return;
    }
    waiting.remove(outgoing);
    outgoing.giveBack(
        new Block(
            WHILE_CONNECTING,
            "not connected within " + outgoing.attempt().timeout().toMillis() + " ms"));
  }

  private void connect() {
    SslContext encryption;
    try {
      encryption = encryption();
    } catch (SSLException e) {
      giveBackWaiting(fault.failed("TLS: " + BrokerConnection.text(e)));
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
      next.giveBack(block);
    }
  }

  private void recovered(boolean wasAtFault) {
    if (wasAtFault) {
      unauthorized = false;
      context.recovered();
    }
  }

  private void onTried() {
    if (connected && !window.isClosed()) {
      // It has found out nothing on the carrier but that there is a connection.
      recovered(fault.recovered());
    }
  }

  private void lost(String reason) {
    CarrierLinks broken = links;
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
    Block block = fault.failed("connection lost: " + reason);
    unsettled.forEach(
        sent ->
            sent.end(
                CarrierFailure.CONNECTION_LOST, "connection lost before the outcome: " + reason));
    unsent.forEach(waited -> waited.giveBack(block));
  }

  private void test(CompletableFuture<String> result) {
    SslContext encryption;
    try {
      encryption = encryption();
    } catch (SSLException e) {
      result.completeExceptionally(new CarrierException("TLS: " + BrokerConnection.text(e)));
      return;
    }
    if (window.isClosed()) {
      result.completeExceptionally(new CarrierException(CLOSED.reason()));
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
    giveBackWaiting(CLOSED);
    List.copyOf(tests).forEach(Runnable::run);
    CarrierLinks attached = links;
    if (attached != null) {
      attached.giveBackUnsent(CLOSED);
    }
  }

  private void end() {
    BrokerConnection open = connection;
    CarrierLinks attached = links;
    connection = null;
    links = null;
    connected = false;
    if (attached != null) {
      // They get no more events of the connection.
      attached.takeAll().forEach(TargetLink::takeUnsettled);
    }
    window.underWay().forEach(AmqpCarrier::endUnfinished);
    if (open != null) {
      open.close();
    }
  }

  /** The connection that attempts wait for. */
  private final class Dialed implements Dialer.Listener {
    @Override
    public void ready(BrokerConnection made, Session first) {
      dialer = null;
      connection = made;
      connected = true;
      made.listener(
          new BrokerConnection.Listener() {
            @Override
            public void ready(BrokerConnection again, Session session) {}

            @Override
            public void lost(String reason, boolean login) {
              AmqpCarrier.this.lost(made.address() + ": " + reason);
            }
          });
      CarrierLinks attached = new CarrierLinks(made, first, encoder, maxLinks, new Reports());
      links = attached;
      if (!unauthorized || waiting.isEmpty()) {
        recovered(fault.recovered());
      }
      for (Outgoing next = waiting.poll(); next != null; next = waiting.poll()) {
        attached.send(next);
      }
    }

    @Override
    public void failed(String reason) {
      dialer = null;
      unauthorized = false;
      giveBackWaiting(fault.failed(reason));
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
    public void ready(BrokerConnection made, Session first) {
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
      failed(CLOSED.reason());
    }
  }

  /** The carrier, as links report to it. */
  private final class Reports implements LinkListener {
    @Override
    public void accepted(Outgoing outgoing) {
      recovered(fault.taken(outgoing.attempt().endpoint()));
    }

    @Override
    public void failed(Outgoing outgoing, CarrierVerdict verdict, String summary, boolean sent) {
      String endpoint = outgoing.attempt().endpoint();
      if (!fault.isAtFault(verdict, endpoint, verdict.name())) {
        outgoing.end(verdict.failure(), summary);
        return;
      }
      unauthorized = true;
      outgoing.isTry = false;
      Block block = fault.failed(endpoint + ": " + summary);
      if (sent) {
        outgoing.end(CarrierFailure.TRANSIENT, summary);
      } else {
        outgoing.giveBack(block);
      }
    }

    @Override
    public void ended(TargetLink link) {
      CarrierLinks attached = links;
      if (attached != null) {
        attached.remove(link);
      }
    }
  }
}
