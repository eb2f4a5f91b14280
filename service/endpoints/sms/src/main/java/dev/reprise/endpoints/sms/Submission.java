package dev.reprise.endpoints.sms;

import dev.reprise.delivery.AttemptOutcome;
import dev.reprise.delivery.body.SmsText;
import dev.reprise.delivery.carrier.AttemptUnderWay;
import dev.reprise.delivery.carrier.CarrierAttempt;
import dev.reprise.delivery.carrier.CarrierWindow;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Consumer;
import org.jsmpp.PDUStringException;
import org.jspecify.annotations.Nullable;

/**
 * An attempt under way: its parts, which are submitted one after the other. Its state belongs to
 * the carrier's events; a session reads the part that it was handed.
 */
final class Submission extends AttemptUnderWay implements SmppSession.Request {
  private final SmppCarrier carrier;
  private final SubmitForm form;
  private final SmsText text;
  private final List<byte[]> parts;
  private final List<String> ids = new ArrayList<>();

  /** Of the part that is sent now, from 0. */
  private int part;

  private @Nullable SmppBind bind;
  private @Nullable SmppSession session;

  /** Its place in the order of attempts, for receipts; below 0 before it has one. */
  private long number = -1;

  Submission(
      SmppCarrier carrier,
      CarrierWindow<?> window,
      SubmitForm form,
      CarrierAttempt attempt,
      SmsText text,
      Consumer<AttemptOutcome> done) {
    super(window, attempt, done);
    this.carrier = carrier;
    this.form = form;
    this.text = text;
    // The same at every attempt of a message, so that a handset puts parts of two together.
    parts = text.shortMessages((int) attempt.message().low());
  }

  void setNumber(long newNumber) {
    number = newNumber;
  }

  long number() {
    return number;
  }

  @Nullable SmppBind bind() {
    return bind;
  }

  @Nullable SmppSession session() {
    return session;
  }

  @Override
  public String address() {
    return session == null ? "" : session.address();
  }

  void begins(SmppBind newBind, SmppSession newSession) {
    bind = newBind;
    session = newSession;
  }

  /** Gives up its place in the window of a bind; returns whether it had one. */
  boolean leavesBind() {
    SmppBind left = bind;
    if (left == null || session == null) {
      return false;
    }
    left.release(session);
    bind = null;
    session = null;
    return true;
  }

  /** Takes it back from its session; returns whether a handset may get something of it. */
  boolean isPerhapsSentWhenTakenBack() {
    boolean isPerhapsWritten = session != null && !session.takeBack(this);
    return isPerhapsWritten || isPartlyTaken();
  }

  /** Returns whether the SMS centre has taken a part of the message. */
  boolean isPartlyTaken() {
    return part > 0;
  }

  /** Notes that a part was taken; returns whether another one is to be sent. */
  boolean isFollowedAfter(String id) {
    if (!id.isEmpty()) {
      ids.add(id);
    }
    part++;
    return part < parts.size();
  }

  List<String> ids() {
    return ids;
  }

  /** Returns a summary that names the part it is about, if there are several. */
  String ofPart(String summary) {
    return parts.size() == 1
        ? summary
        : "part " + Math.min(part + 1, parts.size()) + " of " + parts.size() + ": " + summary;
  }

  int partCount() {
    return parts.size();
  }

  @Override
  public byte @Nullable [] pdu(int sequence) {
    if (hasOutcome()) {
      return null;
    }
    // Once a handset may get a part, it is to get the others.
    if (!isPartlyTaken() && !attempt().mayBegin().getAsBoolean()) {
      carrier.mayNotBegin(this);
      return null;
    }
    try {
      return form.pdu(
          sequence, attempt().endpoint(), text.dataCoding(), text.hasHeaders(), parts.get(part));
    } catch (PDUStringException | RuntimeException e) {
      carrier.notComposed(this, e);
      return null;
    }
  }

  @Override
  public void answered(int status, byte[] pdu) {
    carrier.answered(this, status, pdu);
  }

  @Override
  public void lost(boolean perhapsWritten, String reason) {
    carrier.lost(this, perhapsWritten, reason);
  }
}
