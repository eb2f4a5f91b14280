package dev.reprise.common.amqp;

import io.netty.buffer.ByteBuf;
import io.netty.channel.EventLoop;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import org.apache.qpid.protonj2.buffer.ProtonBuffer;
import org.apache.qpid.protonj2.buffer.ProtonBufferAllocator;
import org.apache.qpid.protonj2.engine.Connection;
import org.apache.qpid.protonj2.engine.Engine;
import org.apache.qpid.protonj2.engine.EngineFactory;
import org.apache.qpid.protonj2.engine.EngineHandler;
import org.apache.qpid.protonj2.engine.EngineHandlerContext;
import org.apache.qpid.protonj2.engine.EnginePipeline;
import org.apache.qpid.protonj2.engine.IncomingAMQPEnvelope;
import org.apache.qpid.protonj2.engine.impl.ProtonConstants;
import org.apache.qpid.protonj2.engine.sasl.SaslClientListener;
import org.apache.qpid.protonj2.types.transport.Open;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The engine that speaks the protocol, and its heartbeat. Its exceptions, and those of its
 * callbacks, are reported and not thrown: no input of a peer may keep a connection from ending.
 * Belongs to the loop.
 */
public final class GuardedEngine {
  private static final Logger LOG = LoggerFactory.getLogger(GuardedEngine.class);

  // A heartbeat leaves when half of the peer's time is over, as is noticed at a tick: so three
  // quarters of that time are the longest silence, and five quarters of ours are waited for.
  private static final int TICKS_PER_TIMEOUT = 4;

  /** The frame that heartbeats are (AMQP 1.0 part 2, section 2.4.5): nothing but its header. */
  private static final byte[] EMPTY_FRAME = {0, 0, 0, 8, 2, 0, 0, 0};

  private final EventLoop loop;
  private final Consumer<Throwable> onFailed;
  private final Engine engine = EngineFactory.PROTON.createEngine();
  private final WholeFrames frames = new WholeFrames();
  private @Nullable Future<?> ticks;
  private boolean partHasCome;
  private int channelMax = ProtonConstants.CHANNEL_MAX;

  /**
   * Creates the engine.
   *
   * @param onFailed receives the reason why the engine, or what it calls, cannot go on; more than
   *     once if need be
   */
  public GuardedEngine(EventLoop loop, Consumer<Throwable> onFailed) {
    this.loop = loop;
    this.onFailed = onFailed;
  }

  /**
   * Starts to speak.
   *
   * @param output takes the bytes for the peer
   * @param login answers the peer's offer of mechanisms
   * @param opening prepares and opens the connection
   */
  public void start(
      Consumer<ProtonBuffer> output, SaslClientListener login, Consumer<Connection> opening) {
    run(
        () -> {
          engine.outputConsumer(output);
          engine.errorHandler(failed -> onFailed.accept(failed.failureCause()));
          engine.saslDriver().client().setListener(login);
          readBeforeEngine(new OpenReader());
          opening.accept(engine.start());
        });
  }

  /** Returns the highest number of a channel that the peer takes; sessions have one each. */
  public int channelMax() {
    return channelMax;
  }

  /** Reads go from the last handler to the first, which is the engine's own. */
  private void readBeforeEngine(EngineHandler handler) {
    EnginePipeline pipeline = engine.pipeline();
    EngineHandler performatives = pipeline.first();
    pipeline
        .removeFirst()
        .addFirst("open", handler)
        .addFirst(ProtonConstants.AMQP_PERFORMATIVE_HANDLER, performatives);
  }

  /** Reads bytes of the peer. */
  public void read(ByteBuf bytes) {
    byte[] whole = frames.with(bytes);
    if (whole.length == 0) {
      partHasCome = true;
    } else {
      run(() -> ingest(whole));
    }
  }

  private void ingest(byte[] frames) {
    // The engine keeps what it has not decoded yet for as long as it likes: not a pooled buffer.
    engine.ingest(ProtonBufferAllocator.defaultAllocator().copy(frames));
  }

  /** Does something that may call the engine. */
  public void run(Runnable task) {
    try {
      task.run();
    } catch (Throwable e) {
      onFailed.accept(e);
    }
  }

  /**
   * Keeps the peer awake, and notices when it falls silent.
   *
   * @param idleTimeoutMillis how long the peer may be silent
   * @param peersMillis how long it lets this end be silent; 0 or less: without a limit
   */
  public void startTicking(long idleTimeoutMillis, long peersMillis) {
    long shortest = peersMillis > 0 ? Math.min(idleTimeoutMillis, peersMillis) : idleTimeoutMillis;
    long periodMillis = Math.max(1, shortest / TICKS_PER_TIMEOUT);
    ticks =
        loop.scheduleWithFixedDelay(() -> run(this::tick), 0, periodMillis, TimeUnit.MILLISECONDS);
  }

  private void tick() {
    // A peer that sends a large frame over a slow link is not silent, as the engine would believe.
    if (partHasCome) {
      partHasCome = false;
      ingest(EMPTY_FRAME);
    }
    engine.tick(TimeUnit.NANOSECONDS.toMillis(loop.ticker().nanoTime()));
  }

  /** Closes the protocol if the peer is still there, and stops. Throws and reports nothing. */
  public void end() {
    Future<?> timer = ticks;
    if (timer != null) {
      timer.cancel(false);
    }
    try {
      if (engine.isRunning()) {
        engine.connection().close();
      }
    } catch (Throwable e) {
      LOG.debug("no good-bye to an AMQP peer", e);
    }
    try {
      engine.shutdown();
    } catch (Throwable e) {
      LOG.debug("the engine of an AMQP connection did not stop in an orderly way", e);
    }
  }

  /**
   * Notes how many sessions the peer takes, which the engine does not return, and takes a peer for
   * one that can read frames of 512 bytes, whatever it announces: all must (AMQP 1.0 part 2,
   * section 2.7.1), and some name 0 when they open a connection only to refuse it.
   */
  private final class OpenReader implements EngineHandler {
    @Override
    public void handleRead(EngineHandlerContext context, IncomingAMQPEnvelope envelope) {
      if (envelope.getBody() instanceof Open open) {
        if (open.hasMaxFrameSize()
            && open.getMaxFrameSize() < ProtonConstants.MIN_MAX_AMQP_FRAME_SIZE) {
          open.setMaxFrameSize(ProtonConstants.MIN_MAX_AMQP_FRAME_SIZE);
        }
        if (open.hasChannelMax()) {
          channelMax = open.getChannelMax();
        }
      }
      context.fireRead(envelope);
    }
  }
}
