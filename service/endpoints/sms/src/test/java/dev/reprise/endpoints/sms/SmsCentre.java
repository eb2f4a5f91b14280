package dev.reprise.endpoints.sms;

import com.cloudhopper.smpp.SmppConstants;
import com.cloudhopper.smpp.SmppServerConfiguration;
import com.cloudhopper.smpp.SmppServerHandler;
import com.cloudhopper.smpp.SmppServerSession;
import com.cloudhopper.smpp.SmppSessionConfiguration;
import com.cloudhopper.smpp.impl.DefaultSmppServer;
import com.cloudhopper.smpp.pdu.BaseBind;
import com.cloudhopper.smpp.pdu.BaseBindResp;
import com.cloudhopper.smpp.pdu.SubmitSm;
import com.cloudhopper.smpp.pdu.SubmitSmResp;
import com.cloudhopper.smpp.ssl.SslConfiguration;
import com.cloudhopper.smpp.type.SmppChannelException;
import com.cloudhopper.smpp.type.SmppProcessingException;
import com.cloudhopper.smpp.util.DaemonExecutors;
import java.net.InetSocketAddress;
import java.nio.file.Path;
import java.util.List;
import java.util.Queue;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.BiConsumer;
import org.jboss.netty.channel.Channel;

/** An SMS centre in this process: takes what it gets, unless it is told to do something else. */
final class SmsCentre implements SmppServerHandler, AutoCloseable {
  private final DefaultSmppServer server;
  private final int port;
  private final AtomicInteger ids = new AtomicInteger(1000);

  /** The statuses of the next binds. */
  final Queue<Integer> bindStatuses = new ConcurrentLinkedQueue<>();

  private volatile int standingBindStatus;

  final BlockingQueue<BaseBind<?>> binds = new LinkedBlockingQueue<>();
  final BlockingQueue<CentreSession> opened = new LinkedBlockingQueue<>();
  final List<CentreSession> sessions = new CopyOnWriteArrayList<>();
  private volatile BiConsumer<CentreSession, SubmitSm> script = this::take;

  SmsCentre() throws SmppChannelException, ReflectiveOperationException {
    this(0, null);
  }

  /**
   * An SMS centre that listens on a port.
   *
   * @param keyStore for TLS, with the password {@code changeit}; null for none
   */
  SmsCentre(int wantedPort, Path keyStore)
      throws SmppChannelException, ReflectiveOperationException {
    SmppServerConfiguration configuration = new SmppServerConfiguration();
    configuration.setHost("127.0.0.1");
    configuration.setPort(wantedPort);
    configuration.setSystemId("centre");
    configuration.setMaxConnectionSize(64);
    configuration.setNonBlockingSocketsEnabled(true);
    configuration.setReuseAddress(true);
    configuration.setDefaultWindowSize(1000);
    if (keyStore != null) {
      SslConfiguration tls = new SslConfiguration();
      tls.setKeyStorePath(keyStore.toString());
      tls.setKeyStorePassword("changeit");
      tls.setKeyManagerPassword("changeit");
      tls.setKeyStoreType("PKCS12");
      configuration.setUseSsl(true);
      configuration.setSslConfiguration(tls);
    }
    server =
        new DefaultSmppServer(configuration, this, DaemonExecutors.newCachedDaemonThreadPool());
    server.start();
    // The server has no method that tells its port.
    var field = DefaultSmppServer.class.getDeclaredField("serverChannel");
    field.setAccessible(true);
    port = ((InetSocketAddress) ((Channel) field.get(server)).getLocalAddress()).getPort();
  }

  int port() {
    return port;
  }

  String address() {
    return "127.0.0.1:" + port;
  }

  /** Forgets what was, and does as it did at first. */
  void reset() {
    bindStatuses.clear();
    standingBindStatus = 0;
    binds.clear();
    opened.clear();
    sessions.clear();
    script = this::take;
  }

  /** Answers all binds from now on with a status; 0 lets them in. */
  void answerBinds(int status) {
    standingBindStatus = status;
  }

  /** Sets what is done with each submit_sm; called on a thread that must not block. */
  void onSubmit(BiConsumer<CentreSession, SubmitSm> newScript) {
    script = newScript;
  }

  /** Takes a message under a new id. */
  void take(CentreSession session, SubmitSm submit) {
    session.answer(submit, 0, String.valueOf(ids.incrementAndGet()));
  }

  void submitted(CentreSession session, SubmitSm submit) {
    script.accept(session, submit);
  }

  static SubmitSmResp response(SubmitSm submit, int status, String id) {
    SubmitSmResp response = submit.createResponse();
    response.setCommandStatus(status);
    response.setMessageId(id);
    return response;
  }

  /** Waits for the next session that is bound. */
  CentreSession awaitSession() throws InterruptedException {
    CentreSession next = await(opened, "no session was bound");
    if (!next.ready.await(1, TimeUnit.MINUTES)) {
      throw new AssertionError("the session was not ready in a minute");
    }
    return next;
  }

  static <T> T await(BlockingQueue<T> queue, String otherwise) throws InterruptedException {
    T next = queue.poll(1, TimeUnit.MINUTES);
    if (next == null) {
      throw new AssertionError(otherwise + " in a minute");
    }
    return next;
  }

  @Override
  @SuppressWarnings("rawtypes") // As the method that is overridden has it.
  public void sessionBindRequested(
      Long sessionId, SmppSessionConfiguration configuration, BaseBind bind)
      throws SmppProcessingException {
    binds.add(bind);
    // Otherwise each PDU is logged.
    configuration.getLoggingOptions().setLogPdu(false);
    configuration.getLoggingOptions().setLogBytes(false);
    Integer next = bindStatuses.poll();
    int status = next == null ? standingBindStatus : next;
    if (status != SmppConstants.STATUS_OK) {
      throw new SmppProcessingException(status);
    }
  }

  @Override
  public void sessionCreated(
      Long sessionId, SmppServerSession session, BaseBindResp preparedBindResponse) {
    CentreSession created = new CentreSession(this, session);
    // Before the bind is answered: when the other side knows of the session, so do we.
    sessions.add(created);
    opened.add(created);
    session.serverReady(created);
    created.ready.countDown();
  }

  @Override
  public void sessionDestroyed(Long sessionId, SmppServerSession session) {
    for (CentreSession known : sessions) {
      if (known.is(session)) {
        known.closed.countDown();
      }
    }
    session.destroy();
  }

  @Override
  public void close() {
    server.destroy();
  }
}
