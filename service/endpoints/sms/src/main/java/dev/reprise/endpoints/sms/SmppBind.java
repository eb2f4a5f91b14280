package dev.reprise.endpoints.sms;

import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * One of a carrier's binds, while it is up and while it is not: one session, or two. Its state
 * belongs to the carrier's events; other threads may ask for its sessions.
 */
final class SmppBind implements SmppSession.Owner {
  private final SmppCarrier carrier;

  /** In the order in which they were bound: messages go over the first. Empty while down. */
  private volatile List<SmppSession> sessions = List.of();

  private int used;
  private @Nullable String retirement;

  SmppBind(SmppCarrier carrier) {
    this.carrier = carrier;
  }

  void adopt(List<SmppSession> opened) {
    sessions = opened;
    used = 0;
    retirement = null;
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
    retire("the session has ended");
    submission.leavesBind();
    return false;
  }

  /** Takes back the place of a message in the window of a session. */
  void release(SmppSession session) {
    // The window of a session that has ended went with it.
    if (sessions.contains(session)) {
      used--;
      if (used == 0 && retirement != null) {
        session.endAfterWriting(retirement);
      }
    }
  }

  /** Takes no more messages, so that the bind ends with the last one that is under way. */
  void retire(String reason) {
    if (retirement == null) {
      retirement = reason;
    }
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
