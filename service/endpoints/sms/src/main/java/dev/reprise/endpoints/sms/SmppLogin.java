package dev.reprise.endpoints.sms;

import static java.nio.charset.StandardCharsets.US_ASCII;

import dev.reprise.delivery.carrier.CarrierWindow;
import dev.reprise.delivery.carrier.Secret;
import dev.reprise.delivery.carrier.SettingCodecs.Address;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.net.UnknownHostException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Predicate;
import javax.net.ssl.SSLParameters;
import javax.net.ssl.SSLSocket;
import javax.net.ssl.SSLSocketFactory;
import org.jsmpp.SMPPConstant;
import org.jspecify.annotations.Nullable;

/** Connects to an SMS centre and binds. Used by one thread; {@link #cancel} by any. */
final class SmppLogin {
  /** For the connection, for TLS and for the answer to the bind, each. */
  private static final Duration MAX_STEP = Duration.ofSeconds(10);

  private static final byte VERSION_3_4 = 0x34;

  private final SmppSettings settings;
  private final SSLSocketFactory tls;
  private final String threadName;

  private @Nullable Socket connecting;
  private boolean cancelled;

  SmppLogin(SmppSettings settings, SSLSocketFactory tls, String threadName) {
    this.settings = settings;
    this.tls = tls;
    this.threadName = threadName;
  }

  /** A session is for both, or for messages or receipts alone. */
  private enum Role {
    TRANSCEIVER(SMPPConstant.CID_BIND_TRANSCEIVER),
    TRANSMITTER(SMPPConstant.CID_BIND_TRANSMITTER),
    RECEIVER(SMPPConstant.CID_BIND_RECEIVER);

    private final int command;

    Role(int command) {
      this.command = command;
    }
  }

  /**
   * Binds over the first address that lets us in.
   *
   * @param adopt takes the sessions, in the order in which they were bound; returns false, and has
   *     not taken them, if one has ended already
   * @throws IOException if no address does; its message has the reasons, for people
   */
  void open(SmppSession.Owner owner, Predicate<List<SmppSession>> adopt)
      throws IOException, InterruptedException {
    List<String> reasons = new ArrayList<>();
    for (Address address : settings.addresses()) {
      List<SmppSession> opened = new ArrayList<>();
      boolean adopted = false;
      try {
        for (Role role : roles()) {
          opened.add(bind(address, role, owner));
        }
        adopted = adopt.test(List.copyOf(opened));
        if (adopted) {
          return;
        }
        reasons.add(address + ": the connection was lost after the bind");
      } catch (IOException e) {
        reasons.add(address + ": " + e.getMessage());
      } finally {
        if (!adopted) {
          opened.forEach(session -> session.end("not bound"));
        }
      }
    }
    throw new IOException(String.join("; ", reasons));
  }

  private List<Role> roles() {
    return settings.bindType() == BindType.TRANSCEIVER
        ? List.of(Role.TRANSCEIVER)
        : List.of(Role.TRANSMITTER, Role.RECEIVER);
  }

  /**
   * Returns a session that is bound.
   *
   * @throws IOException if there is none; its message says why, for people
   */
  private SmppSession bind(Address address, Role role, SmppSession.Owner owner)
      throws IOException, InterruptedException {
    Secret password = settings.password();
    String revealed = password == null ? "" : password.reveal();
    SmppSession session = connect(address, owner);
    session.start();
    boolean bound = false;
    try {
      PendingAnswer answer = new PendingAnswer("bind");
      session.send(answer.with(sequence -> pdu(role.command, sequence, revealed)));
      int status = answer.await(MAX_STEP);
      if (status != 0) {
        throw new IOException("bind refused: " + CommandStatus.text(status));
      }
      bound = true;
      return session;
    } finally {
      if (!bound) {
        session.end("not bound");
      }
    }
  }

  /** By hand: jSMPP refuses a password of more than 8 characters, which providers give out. */
  private byte[] pdu(int command, int sequence, String password) {
    NumberType addresses = settings.addressType();
    ByteArrayOutputStream body = new ByteArrayOutputStream();
    for (String text : new String[] {settings.systemId(), password, settings.systemType()}) {
      body.writeBytes(text.getBytes(US_ASCII));
      body.write(0);
    }
    body.write(VERSION_3_4);
    body.write(addresses.tonOr(0));
    body.write(addresses.npiOr(0));
    body.writeBytes(settings.addressRange().getBytes(US_ASCII));
    body.write(0);
    return Pdu.of(command, 0, sequence, body.toByteArray());
  }

  private SmppSession connect(Address address, SmppSession.Owner owner) throws IOException {
    Socket raw = new Socket();
    boolean open = false;
    try {
      begin(raw);
      InetSocketAddress target = new InetSocketAddress(address.host(), address.port());
      if (target.isUnresolved()) {
        throw new UnknownHostException("no address is known for " + address.host());
      }
      raw.setTcpNoDelay(true);
      raw.connect(target, Math.toIntExact(MAX_STEP.toMillis()));
      Socket socket = settings.tls() ? encrypted(raw, address) : raw;
      String where = new Address(raw.getInetAddress().getHostAddress(), raw.getPort()).toString();
      SmppSession session =
          new SmppSession(raw, socket, where, settings.enquireLinkInterval(), threadName, owner);
      open = true;
      return session;
    } finally {
      end();
      if (!open) {
        raw.close();
      }
    }
  }

  private Socket encrypted(Socket raw, Address address) throws IOException {
    raw.setSoTimeout(Math.toIntExact(MAX_STEP.toMillis()));
    SSLSocket socket = (SSLSocket) tls.createSocket(raw, address.host(), address.port(), true);
    SSLParameters parameters = socket.getSSLParameters();
    parameters.setEndpointIdentificationAlgorithm("HTTPS");
    socket.setSSLParameters(parameters);
    socket.startHandshake();
    return socket;
  }

  private synchronized void begin(Socket socket) throws IOException {
    if (cancelled) {
      throw new IOException(CarrierWindow.CLOSED.reason());
    }
    connecting = socket;
  }

  private synchronized void end() {
    connecting = null;
  }

  /** Ends the attempt that is under way, and all that would follow. */
  synchronized void cancel() {
    cancelled = true;
    Socket socket = connecting;
    if (socket != null) {
      try {
        socket.close();
      } catch (IOException e) {
        // It is of no use any more, closed or not.
      }
    }
  }
}
