package dev.reprise.endpoints.sms;

import dev.reprise.delivery.carrier.SettingCodecs.Address;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * One of a carrier's binds, while it is up and while it is not: one session, or two. Its state is
 * guarded by the carrier's monitor.
 */
final class SmppBind implements SmppSession.Owner {
  private final SmppCarrier carrier;
  private final SmppSettings settings;

  /** In the order in which they were bound: messages go over the first. Empty while down. */
  private List<SmppSession> sessions = List.of();

  private int used;
  private @Nullable String retirement;

  SmppBind(SmppCarrier carrier, SmppSettings settings) {
    this.carrier = carrier;
    this.settings = settings;
  }

  /**
   * Binds over the first address that lets us in.
   *
   * @throws IOException if none does; its message has the reasons, for people
   */
  void open(SmppLogin login) throws IOException, InterruptedException {
    List<String> reasons = new ArrayList<>();
    for (Address address : settings.addresses()) {
      List<SmppSession> opened = new ArrayList<>();
      try {
        for (SmppLogin.Role role : roles()) {
          opened.add(login.bind(address, role, this));
        }
        adopt(opened);
        return;
      } catch (IOException e) {
        reasons.add(address + ": " + e.getMessage());
      } finally {
        if (!opened.equals(current())) {
          opened.forEach(session -> session.end("not bound"));
        }
      }
    }
    throw new IOException(String.join("; ", reasons));
  }

  private List<SmppLogin.Role> roles() {
    return settings.bindType() == BindType.TRANSCEIVER
        ? List.of(SmppLogin.Role.TRANSCEIVER)
        : List.of(SmppLogin.Role.TRANSMITTER, SmppLogin.Role.RECEIVER);
  }

  private void adopt(List<SmppSession> opened) throws IOException {
    synchronized (carrier) {
      for (SmppSession session : opened) {
        // Its end was told when nobody knew it here.
        if (session.hasEnded()) {
          throw new IOException("the connection was lost after the bind");
        }
      }
      sessions = List.copyOf(opened);
      used = 0;
      retirement = null;
    }
  }

  private List<SmppSession> current() {
    synchronized (carrier) {
      return sessions;
    }
  }

  boolean isUp() {
    return !sessions.isEmpty();
  }

  List<SmppSession> sessions() {
    return sessions;
  }

  int used() {
    return used;
  }

  boolean takes(int window) {
    return isUp() && retirement == null && used < window;
  }

  /** Returns whether the message was handed to a session. */
  boolean begin(Submission submission) {
    used++;
    submission.begins(this, sessions.get(0));
    if (sessions.get(0).send(submission)) {
      return true;
    }
    used--;
    submission.waits();
    retire("the session has ended");
    return false;
  }

  /** Takes back the place of a message in the window of a session. */
  void release(SmppSession session) {
    // The window of a session that has ended went with it.
    if (sessions.contains(session)) {
      used--;
    }
  }

  /** Takes no more messages, so that the bind ends with the last one that is under way. */
  void retire(String reason) {
    if (retirement == null) {
      retirement = reason;
    }
  }

  /** Returns why the bind is to end now; null if it is not to. */
  @Nullable String dueRetirement() {
    return used == 0 ? retirement : null;
  }

  /** Forgets the sessions, and returns them, if this is one of them. */
  List<SmppSession> drop(SmppSession session) {
    if (!sessions.contains(session)) {
      return List.of();
    }
    List<SmppSession> dropped = sessions;
    sessions = List.of();
    return dropped;
  }

  @Override
  public void delivered(SmppSession session, byte[] pdu) {
    carrier.delivered(session, pdu);
  }

  @Override
  public void ended(SmppSession session, String reason) {
    carrier.ended(this, session, reason);
  }
}
