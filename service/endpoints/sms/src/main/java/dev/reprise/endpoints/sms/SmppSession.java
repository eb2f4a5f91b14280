package dev.reprise.endpoints.sms;

import java.io.BufferedInputStream;
import java.io.BufferedOutputStream;
import java.io.DataInputStream;
import java.io.EOFException;
import java.io.IOException;
import java.io.OutputStream;
import java.net.Socket;
import java.net.SocketTimeoutException;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.atomic.AtomicReference;
import org.jsmpp.PDUStringException;
import org.jsmpp.SMPPConstant;
import org.jsmpp.util.DefaultComposer;
import org.jsmpp.util.PDUComposer;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * One connection to an SMS centre: writes requests, finds the answer of each, answers what the
 * other side asks, and keeps watch over the link. One thread reads and one writes; none waits for
 * an answer. Thread-safe.
 *
 * <p>The PDUs are composed by jSMPP, but the session is not jSMPP's: that leaves requests waiting
 * for their time-out after the connection is lost, makes room for a PDU of any length that the
 * other side names, and has threads that keep the process from ending.
 *
 * <p>The end of a session comes once, on the writing thread: every request that was not answered is
 * notified, and last the {@link Owner}.
 */
final class SmppSession {
  private static final Logger LOG = LoggerFactory.getLogger(SmppSession.class);

  /** A message of 64 KB in a TLV fits; what claims more is no PDU. */
  private static final int MAX_PDU_BYTES = 128 * 1024;

  /** Answers that wait to be written while the other side asks on and reads nothing. */
  private static final int MAX_UNWRITTEN = 10_000;

  /** A text that ends at once. */
  private static final byte[] NO_ID = {0};

  /** PDUs that do not show that a session is of any use: a bind was answered, or undone. */
  private static final Set<Integer> SAYS_NOTHING =
      Set.of(
          SMPPConstant.CID_BIND_TRANSCEIVER_RESP,
          SMPPConstant.CID_BIND_TRANSMITTER_RESP,
          SMPPConstant.CID_BIND_RECEIVER_RESP,
          SMPPConstant.CID_GENERIC_NACK,
          SMPPConstant.CID_UNBIND);

  private static final Outgoing END =
      new Outgoing() {
        @Override
        public byte @Nullable [] pdu(int sequence) {
          return null;
        }
      };

  private final PDUComposer composer = new DefaultComposer();
  private final Socket raw;
  private final DataInputStream in;
  private final OutputStream out;
  private final String address;
  private final Owner owner;
  private final Thread reader;
  private final Thread writer;

  private final BlockingQueue<Outgoing> unwritten = new LinkedBlockingQueue<>();
  private final Map<Integer, Written> unanswered = new ConcurrentHashMap<>();
  private final AtomicReference<@Nullable String> endReason = new AtomicReference<>();
  private volatile boolean finished;
  private volatile boolean proven;

  /** Of the writing thread. */
  private int lastSequence;

  /** Of the reading thread. */
  private boolean enquiring;

  /** Receives what the other side does of its own accord. */
  interface Owner {
    /**
     * Takes a deliver_sm or a data_sm, on the reading thread; does not block. {@link
     * #answerDelivery} follows at some time.
     */
    void delivered(SmppSession session, byte[] pdu);

    /** The session has ended. */
    void ended(SmppSession session, String reason);
  }

  /** A PDU to write. */
  interface Outgoing {
    /** Returns the PDU, or null to write nothing after all. Called once. */
    byte @Nullable [] pdu(int sequence) throws PDUStringException;
  }

  /**
   * A PDU that is answered. Unless {@link #pdu} has returned null, one of the other methods is
   * called, once.
   */
  interface Request extends Outgoing {
    /** Takes the answer, on the reading thread. */
    void answered(int status, byte[] pdu);

    /**
     * There will be no answer.
     *
     * @param written whether the request was perhaps written
     */
    void lost(boolean written, String reason);
  }

  /** A request that was written, under its command_id. */
  private record Written(int command, Request request) {}

  /**
   * A session over an open connection, which is not bound.
   *
   * @param raw the connection below TLS, which can be closed while another thread writes
   * @param socket the connection; {@code raw} itself without TLS
   * @param idle after how long without a PDU the other side is asked for a sign
   */
  SmppSession(
      Socket raw, Socket socket, String address, Duration idle, String threadName, Owner owner)
      throws IOException {
    this.raw = raw;
    this.address = address;
    this.owner = owner;
    socket.setSoTimeout(Math.toIntExact(idle.toMillis()));
    in = new DataInputStream(new BufferedInputStream(socket.getInputStream()));
    out = new BufferedOutputStream(socket.getOutputStream());
    reader = thread(this::read, threadName + "-read");
    writer = thread(this::write, threadName + "-write");
  }

  private static Thread thread(Runnable work, String name) {
    Thread thread = new Thread(work, name);
    thread.setDaemon(true);
    return thread;
  }

  void start() {
    reader.start();
    writer.start();
  }

  /** Returns where the connection goes to, for people. */
  String address() {
    return address;
  }

  /** Returns whether the session takes no more requests. */
  boolean hasEnded() {
    return finished;
  }

  /** Returns whether the other side has done more than let us in. */
  boolean isProven() {
    return proven;
  }

  /** Writes something soon; returns false, and does nothing, if the session has ended. */
  boolean send(Outgoing pdu) {
    unwritten.add(pdu);
    return !finished || !unwritten.remove(pdu);
  }

  /** Asks for a sign of the other side. */
  boolean enquire(PendingAnswer answer) {
    return send(answer.with(composer::enquireLink));
  }

  boolean unbind(PendingAnswer answer) {
    return send(answer.with(composer::unbind));
  }

  /**
   * Takes a request back: its answer, if it ever comes, is of no interest.
   *
   * @return whether nothing of it was written, and nothing will be
   */
  boolean takeBack(Request request) {
    if (unwritten.remove(request)) {
      return true;
    }
    unanswered.values().removeIf(written -> written.request == request);
    return false;
  }

  /** Answers a deliver_sm or a data_sm; both answers have one text, an id that is not used. */
  void answerDelivery(byte[] pdu, CommandStatus status) {
    int command = Pdu.responseTo(Pdu.commandId(pdu));
    reply(Pdu.of(command, status.code(), Pdu.sequence(pdu), NO_ID));
  }

  /** Ends the session at once. */
  void end(String reason) {
    endReason.compareAndSet(null, reason);
    closeSocket();
    unwritten.add(END);
  }

  /** Ends the session after what is still to be written. */
  void endAfterWriting(String reason) {
    endReason.compareAndSet(null, reason);
    unwritten.add(END);
  }

  /** Waits for the threads of a session that was ended. */
  void join(Duration longest) throws InterruptedException {
    long deadline = System.nanoTime() + longest.toNanos();
    for (Thread thread : new Thread[] {reader, writer}) {
      thread.join(Math.max(1, (deadline - System.nanoTime()) / 1_000_000));
    }
  }

  private void closeSocket() {
    try {
      raw.close();
    } catch (IOException e) {
      LOG.debug("closing the connection to {} failed: {}", address, e.toString());
    }
  }

  private void write() {
    try {
      writeUntilEnd();
    } catch (IOException e) {
      endReason.compareAndSet(null, "the connection was lost: " + e.getMessage());
    } catch (InterruptedException e) {
      endReason.compareAndSet(null, "the session was interrupted");
    } finally {
      closeSocket();
      finish();
    }
  }

  private void writeUntilEnd() throws IOException, InterruptedException {
    while (true) {
      Outgoing next = unwritten.poll();
      if (next == null) {
        out.flush();
        next = unwritten.take();
      }
      if (next == END) {
        out.flush();
        return;
      }
      write(next);
    }
  }

  private void write(Outgoing next) throws IOException {
    int sequence = lastSequence == Integer.MAX_VALUE ? 1 : lastSequence + 1;
    lastSequence = sequence;
    byte[] pdu;
    try {
      pdu = next.pdu(sequence);
    } catch (PDUStringException | RuntimeException e) {
      // Of this message alone: the others are none the worse for it.
      if (next instanceof Request request) {
        // Without the message of jSMPP's, which repeats the text that it complains of.
        request.lost(false, "it cannot be written: " + e.getClass().getSimpleName());
      }
      return;
    }
    if (pdu != null) {
      if (next instanceof Request request) {
        unanswered.put(sequence, new Written(Pdu.commandId(pdu), request));
      }
      out.write(pdu);
    }
  }

  private void finish() {
    finished = true;
    String reason = String.valueOf(endReason.get());
    for (Outgoing next = unwritten.poll(); next != null; next = unwritten.poll()) {
      if (next instanceof Request request) {
        request.lost(false, reason);
      }
    }
    for (Integer sequence : List.copyOf(unanswered.keySet())) {
      Written written = unanswered.remove(sequence);
      if (written != null) {
        written.request.lost(true, reason);
      }
    }
    owner.ended(this, reason);
  }

  private void read() {
    try {
      while (endReason.get() == null) {
        byte[] pdu = next();
        if (pdu == null) {
          idle();
        } else {
          enquiring = false;
          received(pdu);
        }
      }
    } catch (EOFException e) {
      end("the SMS centre closed the connection");
    } catch (IOException e) {
      end("the connection was lost: " + e.getMessage());
    } catch (RuntimeException e) {
      LOG.error("reading from {} failed", address, e);
      end("internal error: " + e);
    }
  }

  /** Returns the next PDU; null if nothing came for a time. */
  private byte @Nullable [] next() throws IOException {
    int first;
    try {
      first = in.read();
    } catch (SocketTimeoutException e) {
      return null;
    }
    if (first < 0) {
      throw new EOFException();
    }
    int length = first << 24 | in.readUnsignedByte() << 16 | in.readUnsignedShort();
    if (length < Pdu.HEADER_BYTES || length > MAX_PDU_BYTES) {
      // It is not known where the next PDU begins.
      reply(composer.genericNack(SMPPConstant.STAT_ESME_RINVCMDLEN, 0));
      endAfterWriting("the SMS centre sent a PDU of " + length + " bytes");
      return null;
    }
    byte[] pdu = new byte[length];
    pdu[0] = (byte) (length >>> 24);
    pdu[1] = (byte) (length >>> 16);
    pdu[2] = (byte) (length >>> 8);
    pdu[3] = (byte) length;
    in.readFully(pdu, 4, length - 4);
    return pdu;
  }

  private void idle() {
    if (enquiring) {
      end("the SMS centre does not answer enquire_link");
    } else if (endReason.get() == null) {
      enquiring = true;
      enquire(new PendingAnswer("enquire_link"));
    }
  }

  private void received(byte[] pdu) {
    int command = Pdu.commandId(pdu);
    int sequence = Pdu.sequence(pdu);
    if (!SAYS_NOTHING.contains(command)) {
      proven = true;
    }
    if (Pdu.isResponse(command)) {
      answered(command, sequence, pdu);
      return;
    }
    switch (command) {
      case SMPPConstant.CID_ENQUIRE_LINK -> reply(composer.enquireLinkResp(sequence));
      case SMPPConstant.CID_DELIVER_SM, SMPPConstant.CID_DATA_SM -> owner.delivered(this, pdu);
      case SMPPConstant.CID_ALERT_NOTIFICATION -> LOG.debug("{}: alert_notification", address);
      case SMPPConstant.CID_UNBIND -> {
        reply(composer.unbindResp(SMPPConstant.STAT_ESME_ROK, sequence));
        endAfterWriting("the SMS centre ended the session (unbind)");
      }
      default -> reply(composer.genericNack(SMPPConstant.STAT_ESME_RINVCMDID, sequence));
    }
  }

  private void answered(int command, int sequence, byte[] pdu) {
    boolean refused = command == SMPPConstant.CID_GENERIC_NACK;
    Written written = unanswered.get(sequence);
    boolean fits = written != null && (refused || command == Pdu.responseTo(written.command));
    if (written == null || !fits || !unanswered.remove(sequence, written)) {
      // Answered before, or given up: at least once is the contract.
      LOG.debug("{}: an answer to nothing that was asked: sequence {}", address, sequence);
      return;
    }
    int status = Pdu.status(pdu);
    written.request.answered(
        refused && status == 0 ? CommandStatus.ESME_RUNKNOWNERR.code() : status, pdu);
  }

  private void reply(byte[] pdu) {
    if (unwritten.size() >= MAX_UNWRITTEN) {
      end("the SMS centre does not read the answers to what it asks");
    } else {
      send(sequence -> pdu);
    }
  }
}
