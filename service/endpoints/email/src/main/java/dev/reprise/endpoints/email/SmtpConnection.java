package dev.reprise.endpoints.email;

import static java.nio.charset.StandardCharsets.ISO_8859_1;

import dev.reprise.delivery.carrier.Secret;
import dev.reprise.delivery.carrier.SettingCodecs.Address;
import jakarta.mail.MessagingException;
import jakarta.mail.Session;
import java.io.IOException;
import java.io.OutputStream;
import java.net.Inet6Address;
import java.net.InetAddress;
import java.net.Socket;
import java.net.SocketTimeoutException;
import java.time.Duration;
import java.util.Locale;
import javax.net.ssl.SSLException;
import javax.net.ssl.SSLSocket;
import org.eclipse.angus.mail.smtp.SMTPTransport;
import org.jspecify.annotations.Nullable;

/**
 * One connection to a relay. The mail library keeps to the protocol; each command, and the reply to
 * it, goes through here, so that how far an attempt got is known and not guessed from an exception.
 *
 * <p>One thread uses it; {@link #abort}, {@link #step} and {@link #address} may be called by any.
 */
final class SmtpConnection extends SMTPTransport {
  private final SmtpSettings settings;
  private final Address relay;
  private final RelaySocket socket;
  private final String address;

  private volatile SmtpStep step = SmtpStep.GREETING;
  private volatile boolean aborted;
  private @Nullable SmtpReply reply;
  private boolean resetWanted;
  private boolean resetSkipped;
  private boolean resetNow;
  private String tls = "";

  /**
   * The end of an attempt on a connection.
   *
   * @param step how far it got
   * @param reply what decided; null if the connection was lost before a reply came
   * @param lost why, for people; empty if there is a reply
   */
  record Ending(SmtpStep step, @Nullable SmtpReply reply, String lost) {}

  private SmtpConnection(
      Session session, SmtpSettings settings, Address relay, RelaySocket socket) {
    super(session, null);
    this.settings = settings;
    this.relay = relay;
    this.socket = socket;
    InetAddress remote = socket.getInetAddress();
    String host = remote.getHostAddress();
    address = (remote instanceof Inet6Address ? "[" + host + "]" : host) + ":" + socket.getPort();
  }

  /** A connection over which nothing was said yet; {@link #open} is next. */
  static SmtpConnection over(
      RelaySocket connected, Session session, SmtpSettings settings, Address relay) {
    return new SmtpConnection(session, settings, relay, connected);
  }

  /**
   * Waits for the greeting, sends EHLO, protects the connection and logs in.
   *
   * @param longestWait for each reply
   */
  void open(RelayTls relayTls, Duration longestWait) throws RelayException {
    try {
      limitReplies(longestWait);
      Socket spoken = socket;
      if (settings.security() == SmtpSecurity.TLS) {
        step = SmtpStep.STARTTLS;
        SSLSocket protectedSocket = relayTls.over(socket, relay.host(), relay.port());
        tls = protectedSocket.getSession().getProtocol();
        spoken = protectedSocket;
        step = SmtpStep.GREETING;
      }
      connect(spoken);
      if (settings.username() != null && step != SmtpStep.AUTH) {
        throw new RelayException(relay + ": a username is set, but no AUTH is offered", false);
      }
      limitReplies(Duration.ZERO);
    } catch (RelayException e) {
      abort();
      throw e;
    } catch (MessagingException | IOException | RuntimeException e) {
      String reason = relay + ": " + reason(e);
      SmtpReply said = reply;
      abort();
      throw new RelayException(
          SmtpReply.line(reason), step == SmtpStep.AUTH && said != null && said.code() >= 500);
    }
  }

  /** The user and the password are of the settings, whatever the library has found elsewhere. */
  @Override
  protected synchronized boolean protocolConnect(
      @Nullable String host, int port, @Nullable String user, @Nullable String password)
      throws MessagingException {
    Secret secret = settings.password();
    return super.protocolConnect(
        host, port, settings.username(), secret == null ? null : secret.reveal());
  }

  @Override
  public synchronized String getLocalHost() {
    String name = settings.heloName();
    if (name != null) {
      return name;
    }
    InetAddress local = socket.getLocalAddress();
    String text = local.getHostAddress();
    int zone = text.indexOf('%');
    String bare = zone < 0 ? text : text.substring(0, zone);
    return (local instanceof Inet6Address ? "[IPv6:" : "[") + bare + "]";
  }

  /** Forgets how far the last message got. */
  void beginMessage() {
    step = SmtpStep.MAIL;
  }

  /**
   * Sends a message.
   *
   * @param longestSilence for the reply to the first command; zero for no limit. A connection that
   *     was silent for a while may be dead without a word
   */
  synchronized Ending send(OutgoingMessage message, Duration longestSilence) {
    beginMessage();
    try {
      if (socket.getInputStream().available() > 0) {
        return lost("the relay spoke unasked");
      }
      limitReplies(longestSilence);
      if (!accepted("MAIL FROM:<" + message.returnPath() + ">" + reports(message))) {
        return ended();
      }
      limitReplies(Duration.ZERO);
      if (!accepted("RCPT TO:<" + message.recipient() + ">")) {
        return ended();
      }
      return sendContent(message);
    } catch (MessagingException | IOException | RuntimeException e) {
      return lost(reason(e));
    }
  }

  private Ending sendContent(OutgoingMessage message) throws MessagingException, IOException {
    try {
      OutputStream content = data();
      step = SmtpStep.CONTENT;
      message.writeTo(content);
      finishData();
    } catch (MessagingException e) {
      // By a reply that is not the one of success, which is at hand, or by a lost connection.
      if (reply == null) {
        throw e;
      }
    } catch (IOException e) {
      return afterBrokenContent(e);
    }
    return ended();
  }

  /** A relay may refuse a message in the middle of it and hang up: then it has said why. */
  private Ending afterBrokenContent(IOException broken) {
    try {
      reply = null;
      limitReplies(Duration.ofSeconds(1));
      readServerResponse();
    } catch (MessagingException | IOException silent) {
      // The reason is the first exception.
    }
    SmtpReply last = reply;
    boolean refused = last != null && !last.isPositive();
    abort();
    return refused ? ended() : lost(reason(broken));
  }

  private boolean accepted(String command) throws MessagingException {
    simpleCommand(command);
    SmtpReply said = reply;
    return said != null && said.isDone();
  }

  /**
   * Asks for short reports of non-delivery that name the message, of relays that know such wishes
   * (RFC 3461).
   */
  private String reports(OutgoingMessage message) {
    String id = message.envelopeId();
    return supportsExtension("DSN") ? " RET=HDRS" + (id.isEmpty() ? "" : " ENVID=" + id) : "";
  }

  private Ending ended() {
    SmtpReply said = reply;
    if (said == null) {
      return lost("connection closed by the relay");
    }
    boolean taken = step == SmtpStep.END && said.isDone();
    if (said.isPositive() && !taken) {
      // An answer to another question: the next one would be as well.
      abort();
    }
    return new Ending(step, said, "");
  }

  private Ending lost(String reason) {
    abort();
    return new Ending(step, null, reason);
  }

  /**
   * Makes the connection fit for another message after one that was refused.
   *
   * @return whether it is
   */
  synchronized boolean reset(Duration longestWait) {
    if (!resetWanted) {
      return !aborted;
    }
    resetWanted = false;
    resetNow = true;
    try {
      limitReplies(longestWait);
      if (!aborted && simpleCommand("RSET") == 250) {
        limitReplies(Duration.ZERO);
        return true;
      }
    } catch (MessagingException | IOException | RuntimeException e) {
      // It cannot be used again, which is all that matters.
    } finally {
      resetNow = false;
    }
    abort();
    return false;
  }

  /** Asks for a sign of life. */
  synchronized void noop(Duration longestWait) throws RelayException {
    try {
      limitReplies(longestWait);
      if (simpleCommand("NOOP") != 250) {
        throw new RelayException(relay + ": " + reply + " (in reply to NOOP)", false);
      }
    } catch (MessagingException | IOException e) {
      throw new RelayException(relay + ": " + reason(e), false);
    }
  }

  /** Sends QUIT, and closes the connection whatever the answer. */
  synchronized void quit(Duration longestWait) {
    if (!aborted) {
      try {
        limitReplies(longestWait);
        simpleCommand("QUIT");
      } catch (MessagingException | IOException | RuntimeException e) {
        // It ends in any case.
      }
    }
    close();
  }

  /** The library closes when it cannot read a reply; then no good-bye can be sent. */
  @Override
  public synchronized void close() {
    abort();
    try {
      super.close();
    } catch (MessagingException e) {
      // There is no good-bye over a closed socket; the library has let go of it.
    }
  }

  /** Breaks the connection: a thread that waits for it goes on. Does not block. */
  void abort() {
    aborted = true;
    try {
      socket.close();
    } catch (IOException e) {
      // A socket that does not close is no use either.
    }
  }

  @Override
  protected void sendCommand(String command) throws MessagingException {
    int end = command.indexOf(' ');
    String verb = (end < 0 ? command : command.substring(0, end)).toUpperCase(Locale.ROOT);
    // The library resets as soon as a command was refused, and waits for the answer: the outcome
    // would wait as well. It is done later, when the outcome was given.
    if (verb.equals("RSET") && !resetNow) {
      resetSkipped = true;
      return;
    }
    switch (verb) {
      case "EHLO", "HELO" -> step = SmtpStep.EHLO;
      case "STARTTLS" -> step = SmtpStep.STARTTLS;
      case "AUTH" -> step = SmtpStep.AUTH;
      case "RCPT" -> step = SmtpStep.RCPT;
      case "DATA" -> step = SmtpStep.DATA;
      case "." -> step = SmtpStep.END;
      default -> {
        // MAIL is where a message begins; the others belong to none.
      }
    }
    super.sendCommand(command);
  }

  @Override
  protected int readServerResponse() throws MessagingException {
    if (resetSkipped) {
      resetSkipped = false;
      return 250;
    }
    reply = null;
    socket.expectReply();
    int code = super.readServerResponse();
    if (code > 0) {
      // The library makes a character of each byte.
      reply = SmtpReply.parse(getLastServerResponse().getBytes(ISO_8859_1));
    }
    SmtpReply said = reply;
    resetWanted |= said != null && !said.isPositive();
    return said == null ? -1 : code;
  }

  @Override
  protected void startTLS() throws MessagingException {
    super.startTLS();
    tls = "TLS";
  }

  private void limitReplies(Duration longest) throws IOException {
    socket.setSoTimeout((int) longest.toMillis());
  }

  private String reason(Exception exception) {
    SmtpReply said = reply;
    if (said != null && !said.isPositive()) {
      return said + " (in reply to " + step.command() + ")";
    }
    for (Throwable cause = exception; cause != null; cause = cause.getCause()) {
      if (cause instanceof SSLException) {
        return "TLS: " + cause.getMessage();
      }
      if (cause instanceof SocketTimeoutException) {
        return "no answer to " + step.command() + " in time";
      }
    }
    if (aborted) {
      return "the connection was closed while " + step.command() + " was waited for";
    }
    if (step == SmtpStep.EHLO
        && settings.security() == SmtpSecurity.STARTTLS
        && !supportsExtension("STARTTLS")) {
      return "STARTTLS is not offered";
    }
    if (step == SmtpStep.EHLO && settings.username() != null && supportsExtension("AUTH")) {
      return "AUTH is not offered as PLAIN or LOGIN";
    }
    Throwable cause = exception.getCause();
    return "connection lost after "
        + step.command()
        + (cause == null ? "" : ": " + cause.getMessage());
  }

  /** Returns how far the attempt under way, or else the last one, got. */
  SmtpStep step() {
    return step;
  }

  /** Returns the network address of the relay. */
  String address() {
    return address;
  }

  /** Returns whether it can be used no more. */
  boolean isBroken() {
    return aborted;
  }

  /** Returns the connection in words. */
  @Override
  public String toString() {
    return relay
        + " ("
        + address
        + ")"
        + (tls.isEmpty() ? "" : " over " + tls)
        + (settings.username() == null ? "" : ", logged in as " + settings.username());
  }
}
