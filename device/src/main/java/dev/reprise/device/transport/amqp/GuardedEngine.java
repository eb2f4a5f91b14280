package dev.reprise.device.transport.amqp;

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
import org.apache.qpid.protonj2.types.transport.Open;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The engine that speaks the protocol, and its heartbeat. Its exceptions, and those of its
 * callbacks, are reported and not thrown: no input of a peer may keep a connection from ending.
 * Belongs to the loop.
 */
final class GuardedEngine {
  private static final Logger LOG = LoggerFactory.getLogger(GuardedEngine.class);

  // The engine sends a heartbeat when half of the peer's time is over, as it notices at a tick: so
  // three quarters of that time are the longest silence, and five quarters of ours are waited for.
  private static final int TICKS_PER_TIMEOUT = 4;

  private final EventLoop loop;
  private final Consumer<Throwable> onFailed;
  private final Engine engine = EngineFactory.PROTON.createEngine();
  private @Nullable Future<?> ticks;

  /**
   * Creates the engine.
   *
   * @param onFailed told why the engine, or what it calls, cannot go on; more than once if need be
   */
  GuardedEngine(EventLoop loop, Consumer<Throwable> onFailed) {
    this.loop = loop;
    this.onFailed = onFailed;
  }

  /** Starts to speak. */
  void start(Consumer<ProtonBuffer> output, SaslLogin login, Consumer<Connection> opening) {
    run(
        () -> {
          engine.outputConsumer(output);
          engine.errorHandler(failed -> onFailed.accept(failed.failureCause()));
          engine.saslDriver().client().setListener(login);
          readBeforeEngine(new LeastFrameSize());
          opening.accept(engine.start());
        });
  }

  /** Reads go from the last handler to the first, which is the engine's own. */
  private void readBeforeEngine(EngineHandler handler) {
    EnginePipeline pipeline = engine.pipeline();
    EngineHandler performatives = pipeline.first();
    pipeline
        .removeFirst()
        .addFirst("frame-size", handler)
        .addFirst(ProtonConstants.AMQP_PERFORMATIVE_HANDLER, performatives);
  }

  void read(ByteBuf bytes) {
    byte[] copy = new byte[bytes.readableBytes()];
    bytes.readBytes(copy);
    // The engine keeps what it has not decoded yet for as long as it likes: not a pooled buffer.
    run(() -> engine.ingest(ProtonBufferAllocator.defaultAllocator().copy(copy)));
  }

  /** Does something that may call the engine. */
  void run(Runnable task) {
    try {
      task.run();
    } catch (Throwable e) {
      onFailed.accept(e);
    }
  }

  /** Keeps the peer awake, and notices when it falls silent for as long as this. */
  void startTicking(long idleTimeoutMillis, long peersMillis) {
    long shortest = peersMillis > 0 ? Math.min(idleTimeoutMillis, peersMillis) : idleTimeoutMillis;
    long periodMillis = Math.max(1, shortest / TICKS_PER_TIMEOUT);
    ticks =
        loop.scheduleWithFixedDelay(
            () -> run(() -> engine.tick(TimeUnit.NANOSECONDS.toMillis(System.nanoTime()))),
            0,
            periodMillis,
            TimeUnit.MILLISECONDS);
  }

  /**
   * Closes the protocol if the peer is still there, and stops. Throws nothing, and reports nothing.
   */
  void end() {
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
   * Takes a peer for one that can read frames of 512 bytes, whatever it says: all must (AMQP 1.0
   * part 2, section 2.7.1), and some name 0 when they open a connection only to refuse it.
   */
  private static final class LeastFrameSize implements EngineHandler {
    @Override
    public void handleRead(EngineHandlerContext context, IncomingAMQPEnvelope envelope) {
      if (envelope.getBody() instanceof Open open
          && open.hasMaxFrameSize()
          && open.getMaxFrameSize() < ProtonConstants.MIN_MAX_AMQP_FRAME_SIZE) {
        open.setMaxFrameSize(ProtonConstants.MIN_MAX_AMQP_FRAME_SIZE);
      }
      context.fireRead(envelope);
    }
  }
}
