package dev.reprise.device.transport.mqtt;

import com.hivemq.client.internal.mqtt.codec.encoder.MqttEncoder;
import com.hivemq.client.internal.mqtt.handler.ping.MqttPingHandler;
import com.hivemq.client.mqtt.lifecycle.MqttDisconnectSource;
import dev.reprise.device.error.ErrorScope;
import dev.reprise.device.error.NetworkErrors;
import dev.reprise.device.error.TransportException;
import dev.reprise.device.message.Command;
import dev.reprise.device.message.Message;
import dev.reprise.device.transport.CommandReply;
import dev.reprise.device.transport.ConnectRequest;
import dev.reprise.device.transport.ConnectionListener;
import dev.reprise.device.transport.SendBuffer;
import dev.reprise.device.transport.SendCallback;
import dev.reprise.device.transport.TlsSettings;
import dev.reprise.device.transport.TransportConnection;
import io.netty.channel.Channel;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelOption;
import io.netty.channel.ChannelPipeline;
import java.net.InetSocketAddress;
import java.net.UnknownHostException;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Executor;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import org.jspecify.annotations.Nullable;

/**
 * A connection of an {@link MqttTransport}. The listener is called by the event loop of the
 * channel, or by the thread that looks up the server's name, before there is a channel.
 *
 * <p>{@link #ended} is set once, by the thread that ends the connection; after that the listener is
 * not called.
 */
final class MqttConnection implements TransportConnection {
  /**
   * The time that the server has to hang up after a DISCONNECT before the channel is closed anyway.
   */
  private static final long FAREWELL_MILLIS = 500;

  private final MqttTransport transport;
  private final VersionChoice versions;
  private volatile MqttSettings settings;
  private final ConnectRequest request;
  private final ConnectionListener listener;
  private final AtomicBoolean ended = new AtomicBoolean();
  private final AtomicInteger inFlight = new AtomicInteger();
  private final SendBuffer buffer = new SendBuffer();

  private volatile @Nullable ConnectAttempt attempt;

  /** The number of messages that the server allows under way; 0 before the connection is ready. */
  private volatile int maxInFlight;

  MqttConnection(MqttTransport transport, ConnectRequest request, ConnectionListener listener) {
    this.transport = transport;
    this.settings = transport.settings();
    this.versions = transport.versions();
    this.request = request;
    this.listener = listener;
  }

  /** Connects. Blocks while the name of the server is looked up. */
  void start() {
    if (ended.get()) {
      return;
    }
    try {
      TlsSettings tls = settings.tls();
      if (tls != null) {
        settings = settings.withTls(tls.latest());
      }
      open(new ConnectAttempt(transport.address(request.server()), versions.next()));
    } catch (UnknownHostException | RuntimeException e) {
      lost(NetworkErrors.of(e));
    }
  }

  private void open(ConnectAttempt opened) {
    attempt = opened;
    // The attempt may have failed, and the next one be open, before this returns.
    MqttEventLoops.open(() -> opened.link.connect(request.credential()), opened::opens);

    // It may have been closed before there was something to close.
    if (ended.get()) {
      release(opened);
    }
  }

  @Override
  public int capacity() {
    int free = ended.get() ? 0 : Math.max(0, maxInFlight - inFlight.get());
    return free > 0 && buffer.hasRoom() ? free : 0;
  }

  @Override
  public boolean hasMoved() {
    return buffer.hasMoved();
  }

  @Override
  public void send(Message message, int attemptNumber, SendCallback callback) {
    ConnectAttempt current = attempt;
    if (current == null || ended.get()) {
      return;
    }
    inFlight.incrementAndGet();
    SendBuffer.Entry entry = buffer.add(callback, message.sizeBytes());
    try {
      var unused =
          current
              .link
              .publish(message)
              .whenComplete(
                  (result, failure) -> {
                    // One that could not be encoded was never written.
                    if (failure != null && buffer.remove(entry) && !ended.get()) {
                      listener.onWritable();
                    }
                    sent(callback, failure);
                  });
    } catch (RuntimeException e) {
      boolean unused = buffer.remove(entry);
      inFlight.decrementAndGet();
      callback.onFailed(MqttErrors.ofUnsendable(e));
    }
  }

  private void sent(SendCallback callback, @Nullable Throwable failure) {
    if (ended.get()) {
      return;
    }
    inFlight.decrementAndGet();
    if (failure == null) {
      callback.onAcknowledged();
      return;
    }
    TransportException cause = MqttErrors.ofPublish(failure);
    if (cause == null) {
      return;
    }
    if (cause.scope() == ErrorScope.CONNECTION) {
      lost(cause);
    } else {
      callback.onFailed(cause);
    }
  }

  @Override
  public void subscribe() {
    ConnectAttempt current = attempt;
    if (current != null) {
      subscribe(current, listener::onSubscribed);
    }
  }

  /** Subscribes, and tells the refusal, or null. */
  private void subscribe(ConnectAttempt current, Answer answer) {
    // There is nothing that could be granted.
    if (settings.commandTopics().isEmpty()) {
      answer.accept(MqttErrors.noCommandTopics());
      return;
    }
    var unused =
        current
            .link
            .subscribe()
            .whenComplete(
                (granted, failure) -> {
                  TransportException refusal =
                      failure == null ? null : MqttErrors.ofSubscribe(failure);
                  boolean isDown = failure != null && refusal == null;
                  if (!isDown && !ended.get()) {
                    answer.accept(refusal);
                  }
                });
  }

  @Override
  public @Nullable Executor executor() {
    ConnectAttempt current = attempt;
    Channel opened = current == null ? null : current.channel;
    return opened == null ? null : opened.eventLoop();
  }

  @Override
  public void close() {
    if (ended.compareAndSet(false, true)) {
      release(attempt);
    }
  }

  private void lost(TransportException cause) {
    if (ended.compareAndSet(false, true)) {
      release(attempt);
      listener.onLost(cause);
    }
  }

  /** Returns whether there is a channel that takes up room. */
  boolean isChannelOpen() {
    ConnectAttempt current = attempt;
    Channel opened = current == null ? null : current.channel;
    return opened != null && opened.isOpen();
  }

  /** Frees the channel: now, or within a moment if a DISCONNECT can be sent to the server. */
  private static void release(@Nullable ConnectAttempt attempt) {
    Channel opened = attempt == null ? null : attempt.channel;
    if (attempt == null || opened == null || !opened.isOpen()) {
      return;
    }
    if (!attempt.up) {
      closeNow(opened);
      return;
    }
    attempt.link.disconnect();
    // On a half-open link the server gets no DISCONNECT and does not close the connection.
    Future<?> forced =
        opened.eventLoop().schedule(() -> closeNow(opened), FAREWELL_MILLIS, TimeUnit.MILLISECONDS);
    opened.closeFuture().addListener(closed -> forced.cancel(false));
  }

  private static void closeNow(Channel opened) {
    // TLS is the first in the pipeline, and would wait for its own good-bye to be taken.
    ChannelHandlerContext first = opened.pipeline().firstContext();
    var unused = first == null ? opened.close() : first.close();
  }

  /** Takes a refusal, or null. */
  private interface Answer {
    void accept(@Nullable TransportException refusal);
  }

  /**
   * One attempt to connect in one version, and the link that it makes. All of it runs on its event
   * loop.
   */
  private final class ConnectAttempt implements MqttLink.Events {
    private final InetSocketAddress address;
    private final MqttVersion version;

    private final MqttLink link;
    private volatile @Nullable Channel channel;

    /** Whether the server has accepted. */
    private volatile boolean up;

    /** The packets that arrived before the connection was ready; null once it is. */
    private @Nullable List<Runnable> early = new ArrayList<>();

    ConnectAttempt(InetSocketAddress address, MqttVersion version) {
      this.address = address;
      this.version = version;
      link =
          version == MqttVersion.MQTT_3_1_1
              ? new Mqtt3Link(settings, address, this)
              : new Mqtt5Link(settings, address, this);
    }

    /** Takes the channel, before it connects. */
    void opens(Channel opened) {
      // What the system holds cannot be told from what the server has.
      opened.config().setOption(ChannelOption.SO_SNDBUF, SendBuffer.SOCKET_BYTES);
      opened.pipeline().addFirst(new BeforeHandshake(settings));
      channel = opened;
    }

    private void watchWrites() {
      Channel opened = channel;
      if (opened == null) {
        return;
      }
      ChannelPipeline pipeline = opened.pipeline();
      pipeline.addBefore(
          MqttEncoder.NAME,
          PublishWrites.NAME,
          new PublishWrites(
              buffer,
              pipeline.get(MqttPingHandler.class),
              () -> {
                if (!ended.get()) {
                  listener.onWritable();
                }
              },
              System::nanoTime));
    }

    @Override
    public void onUseless(TransportException cause) {
      up = true;
      versions.accepted(version);
      lost(cause);
    }

    @Override
    public void onUp(int granted) {
      up = true;
      versions.accepted(version);
      watchWrites();
      if (ended.get()) {
        release(this);
        return;
      }
      if (!request.receivesCommands()) {
        ready(granted);
        return;
      }
      subscribe(
          this,
          refusal -> {
            listener.onSubscribed(refusal);
            if (!ended.get()) {
              ready(granted);
            }
          });
    }

    private void ready(int granted) {
      maxInFlight = granted;
      listener.onReady();
      List<Runnable> arrived = early;
      early = null;
      if (arrived != null) {
        arrived.forEach(Runnable::run);
      }
    }

    @Override
    public void onDown(Throwable cause, MqttDisconnectSource source) {
      if (!up && !ended.get() && isWorthAnotherVersion(cause)) {
        open(new ConnectAttempt(address, MqttVersion.MQTT_3_1_1));
        return;
      }
      lost(MqttErrors.ofLoss(cause, source));
    }

    /** Learns from the end of an attempt which version the server speaks. */
    private boolean isWorthAnotherVersion(Throwable cause) {
      if (MqttErrors.isVersionRefused(cause)) {
        versions.refused(version);
      } else if (MqttErrors.isHangUp(cause)) {
        return versions.hungUpOn(version);
      } else if (!MqttErrors.isVersionUnknown(cause)) {
        return false;
      }
      return versions.mayFallBackFrom(version);
    }

    @Override
    public void onCommand(Command command, CommandReply reply) {
      if (ended.get()) {
        return;
      }
      List<Runnable> waiting = early;
      if (waiting == null) {
        listener.onCommand(command, reply);
      } else {
        waiting.add(() -> onCommand(command, reply));
      }
    }
  }
}
