package dev.reprise.endpoints.sms;

import com.cloudhopper.smpp.SmppServerSession;
import com.cloudhopper.smpp.impl.DefaultSmppSession;
import com.cloudhopper.smpp.impl.DefaultSmppSessionHandler;
import com.cloudhopper.smpp.pdu.DeliverSm;
import com.cloudhopper.smpp.pdu.EnquireLink;
import com.cloudhopper.smpp.pdu.PduRequest;
import com.cloudhopper.smpp.pdu.PduResponse;
import com.cloudhopper.smpp.pdu.SubmitSm;
import com.cloudhopper.smpp.tlv.Tlv;
import com.cloudhopper.smpp.type.Address;
import com.cloudhopper.smpp.type.RecoverablePduException;
import com.cloudhopper.smpp.type.UnrecoverablePduException;
import java.nio.charset.StandardCharsets;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import org.jboss.netty.buffer.ChannelBuffers;
import org.slf4j.Logger;
import org.slf4j.helpers.NOPLogger;

/** A session as the SMS centre has it. */
final class CentreSession extends DefaultSmppSessionHandler {
  private static final Logger SILENT = NOPLogger.NOP_LOGGER;
  private static final int RECEIPT = 0x04;

  private final SmsCentre centre;
  private final SmppServerSession session;

  final BlockingQueue<SubmitSm> submits = new LinkedBlockingQueue<>();
  final BlockingQueue<PduRequest<?>> requests = new LinkedBlockingQueue<>();
  final CountDownLatch ready = new CountDownLatch(1);
  final CountDownLatch closed = new CountDownLatch(1);
  volatile boolean answersEnquireLink = true;

  private final Deque<SubmitSm> unanswered = new ArrayDeque<>();
  private int mostUnanswered;

  CentreSession(SmsCentre centre, SmppServerSession session) {
    super(SILENT);
    this.centre = centre;
    this.session = session;
  }

  boolean is(SmppServerSession other) {
    return session == other;
  }

  @Override
  @SuppressWarnings("rawtypes") // As the method that is overridden has it.
  public PduResponse firePduRequestReceived(PduRequest request) {
    if (request instanceof SubmitSm submit) {
      synchronized (this) {
        unanswered.add(submit);
        mostUnanswered = Math.max(mostUnanswered, unanswered.size());
      }
      submits.add(submit);
      centre.submitted(this, submit);
      return null;
    }
    requests.add(request);
    return request instanceof EnquireLink && !answersEnquireLink ? null : request.createResponse();
  }

  synchronized int unanswered() {
    return unanswered.size();
  }

  synchronized int mostUnanswered() {
    return mostUnanswered;
  }

  void answer(SubmitSm submit, int status, String id) {
    synchronized (this) {
      unanswered.remove(submit);
    }
    respond(SmsCentre.response(submit, status, id));
  }

  void respond(PduResponse response) {
    try {
      session.sendResponsePdu(response);
    } catch (RecoverablePduException | UnrecoverablePduException | RuntimeException e) {
      throw new AssertionError(e);
    } catch (com.cloudhopper.smpp.type.SmppChannelException e) {
      // The other side has gone.
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }

  /** Waits for the next submit_sm. */
  SubmitSm awaitSubmit() throws InterruptedException {
    return SmsCentre.await(submits, "no submit_sm came");
  }

  /** Waits for a request of a kind, and passes over others. */
  <T extends PduRequest<?>> T awaitRequest(Class<T> kind) throws InterruptedException {
    while (true) {
      PduRequest<?> request = SmsCentre.await(requests, "no " + kind.getSimpleName() + " came");
      if (kind.isInstance(request)) {
        return kind.cast(request);
      }
    }
  }

  void awaitClosed() throws InterruptedException {
    if (!closed.await(1, TimeUnit.MINUTES)) {
      throw new AssertionError("the session was not closed in a minute");
    }
  }

  /** Sends a request, and waits for its answer. */
  PduResponse ask(PduRequest<?> request) throws Exception {
    var future = session.sendRequestPdu(request, 60_000, true);
    if (!future.await(60_000) || !future.isSuccess()) {
      throw new AssertionError("no answer to " + request);
    }
    return future.getResponse();
  }

  /** Sends a receipt with a text, and waits for the answer; returns its status. */
  int receipt(String text, Tlv... tlvs) throws Exception {
    return deliver(RECEIPT, text.getBytes(StandardCharsets.ISO_8859_1), tlvs);
  }

  int deliver(int esmClass, byte[] text, Tlv... tlvs) throws Exception {
    return ask(deliverSm(esmClass, text, tlvs)).getCommandStatus();
  }

  static DeliverSm deliverSm(int esmClass, byte[] text, Tlv... tlvs) throws Exception {
    DeliverSm deliver = new DeliverSm();
    deliver.setSourceAddress(new Address((byte) 1, (byte) 1, "4915112345678"));
    deliver.setDestAddress(new Address((byte) 5, (byte) 0, "Reprise"));
    deliver.setEsmClass((byte) esmClass);
    deliver.setShortMessage(text);
    for (Tlv tlv : tlvs) {
      deliver.addOptionalParameter(tlv);
    }
    return deliver;
  }

  void deliverWithoutWaiting(String receipt) throws Exception {
    var unused =
        session.sendRequestPdu(
            deliverSm(RECEIPT, receipt.getBytes(StandardCharsets.ISO_8859_1)), 60_000, false);
  }

  /** Sends bytes as they are. */
  void sendRaw(byte[] bytes) {
    channel().write(ChannelBuffers.wrappedBuffer(bytes));
  }

  /** Closes the connection without a word. */
  void hangUp() {
    channel().close();
  }

  private org.jboss.netty.channel.Channel channel() {
    return ((DefaultSmppSession) session).getChannel();
  }
}
