package dev.reprise.endpoints.sms;

import java.util.Locale;
import java.util.Map;
import java.util.function.Function;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/**
 * The command statuses of SMPP 3.4 (§5.1.3, table 5-2), and their meaning as an answer to
 * submit_sm. In an answer to a bind, all but the first are a fault of the carrier.
 *
 * <p>A field of the PDU that is refused would be refused at every attempt: permanent. A status that
 * belongs to other operations, that SMPP 3.4 does not know, or that blames no field may pass:
 * retried. A needless retry costs an attempt, a needless end costs the message.
 */
enum CommandStatus {
  ESME_ROK(0x00, Meaning.TAKEN),
  ESME_RINVMSGLEN(0x01, Meaning.PERMANENT),
  ESME_RINVCMDLEN(0x02, Meaning.RETRIED),
  ESME_RINVCMDID(0x03, Meaning.RETRIED),
  ESME_RINVBNDSTS(0x04, Meaning.NOT_BOUND),
  ESME_RALYBND(0x05, Meaning.RETRIED),
  ESME_RINVPRTFLG(0x06, Meaning.PERMANENT),
  ESME_RINVREGDLVFLG(0x07, Meaning.PERMANENT),
  ESME_RSYSERR(0x08, Meaning.RETRIED),
  ESME_RINVSRCADR(0x0a, Meaning.PERMANENT),
  ESME_RINVDSTADR(0x0b, Meaning.PERMANENT),
  ESME_RINVMSGID(0x0c, Meaning.RETRIED),
  ESME_RBINDFAIL(0x0d, Meaning.NOT_BOUND),
  ESME_RINVPASWD(0x0e, Meaning.NOT_BOUND),
  ESME_RINVSYSID(0x0f, Meaning.NOT_BOUND),
  ESME_RCANCELFAIL(0x11, Meaning.RETRIED),
  ESME_RREPLACEFAIL(0x13, Meaning.RETRIED),
  ESME_RMSGQFUL(0x14, Meaning.THROTTLED),
  ESME_RINVSERTYP(0x15, Meaning.PERMANENT),
  ESME_RINVNUMDESTS(0x33, Meaning.RETRIED),
  ESME_RINVDLNAME(0x34, Meaning.RETRIED),
  ESME_RINVDESTFLAG(0x40, Meaning.RETRIED),
  ESME_RINVSUBREP(0x42, Meaning.PERMANENT),
  ESME_RINVESMCLASS(0x43, Meaning.PERMANENT),
  ESME_RCNTSUBDL(0x44, Meaning.RETRIED),
  ESME_RSUBMITFAIL(0x45, Meaning.RETRIED),
  ESME_RINVSRCTON(0x48, Meaning.PERMANENT),
  ESME_RINVSRCNPI(0x49, Meaning.PERMANENT),
  ESME_RINVDSTTON(0x50, Meaning.PERMANENT),
  ESME_RINVDSTNPI(0x51, Meaning.PERMANENT),
  ESME_RINVSYSTYP(0x53, Meaning.NOT_BOUND),
  ESME_RINVREPFLAG(0x54, Meaning.PERMANENT),
  ESME_RINVNUMMSGS(0x55, Meaning.RETRIED),
  ESME_RTHROTTLED(0x58, Meaning.THROTTLED),
  ESME_RINVSCHED(0x61, Meaning.PERMANENT),
  ESME_RINVEXPIRY(0x62, Meaning.PERMANENT),
  ESME_RINVDFTMSGID(0x63, Meaning.PERMANENT),
  ESME_RX_T_APPN(0x64, Meaning.RETRIED),
  ESME_RX_P_APPN(0x65, Meaning.PERMANENT),
  ESME_RX_R_APPN(0x66, Meaning.PERMANENT),
  ESME_RQUERYFAIL(0x67, Meaning.RETRIED),
  ESME_RINVOPTPARSTREAM(0xc0, Meaning.PERMANENT),
  ESME_ROPTPARNOTALLWD(0xc1, Meaning.PERMANENT),
  ESME_RINVPARLEN(0xc2, Meaning.PERMANENT),
  ESME_RMISSINGOPTPARAM(0xc3, Meaning.PERMANENT),
  ESME_RINVOPTPARAMVAL(0xc4, Meaning.PERMANENT),
  ESME_RDELIVERYFAILURE(0xfe, Meaning.RETRIED),
  ESME_RUNKNOWNERR(0xff, Meaning.RETRIED);

  /** The consequence of an answer to submit_sm. */
  enum Meaning {
    TAKEN,
    RETRIED,
    PERMANENT,
    /** Retried, after a pause of the whole carrier. */
    THROTTLED,
    /**
     * A fault of the carrier: the SMS centre no longer knows the session, and the message goes over
     * a new one after a pause of the whole carrier.
     */
    NOT_BOUND
  }

  private static final Map<Integer, CommandStatus> BY_CODE =
      Stream.of(values()).collect(Collectors.toMap(CommandStatus::code, Function.identity()));

  private final int code;
  private final Meaning meaning;

  CommandStatus(int code, Meaning meaning) {
    this.code = code;
    this.meaning = meaning;
  }

  int code() {
    return code;
  }

  /** Returns the meaning of a status, known or not, as an answer to submit_sm. */
  static Meaning meaning(int code) {
    CommandStatus known = BY_CODE.get(code);
    return known == null ? Meaning.RETRIED : known.meaning;
  }

  /** Returns a status for people, such as {@code 0x00000058 ESME_RTHROTTLED}. */
  static String text(int code) {
    CommandStatus known = BY_CODE.get(code);
    return String.format(Locale.ROOT, "0x%08X ", code)
        + (known == null ? "(not of SMPP 3.4)" : known.name());
  }
}
