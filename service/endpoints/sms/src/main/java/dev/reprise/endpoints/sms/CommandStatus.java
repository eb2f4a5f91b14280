package dev.reprise.endpoints.sms;

import dev.reprise.delivery.carrier.CarrierVerdict;
import java.util.Locale;
import java.util.Map;
import java.util.function.Function;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * The command statuses of SMPP 3.4 (§5.1.3, table 5-2), and the judgement of each as an answer to
 * submit_sm. In an answer to a bind, all but the first are a fault of the carrier.
 *
 * <p>Of the fields of a submit_sm, those that are the same in every message are settings: a status
 * that refuses one is about the account. Only the number and the text are the delivery's own. A
 * status that blames no field, that belongs to other operations or to a vendor is taken for all of
 * these things by one provider or another (0x45 is an empty account here, a number that wants no
 * messages there), so several numbers in a row have to show which.
 */
enum CommandStatus {
  ESME_ROK(0x00, null),
  ESME_RINVMSGLEN(0x01, CarrierVerdict.MESSAGE),
  ESME_RINVCMDLEN(0x02, CarrierVerdict.SUSPECT),
  ESME_RINVCMDID(0x03, CarrierVerdict.SUSPECT),
  ESME_RINVBNDSTS(0x04, CarrierVerdict.CARRIER),
  ESME_RALYBND(0x05, CarrierVerdict.SUSPECT),
  ESME_RINVPRTFLG(0x06, CarrierVerdict.ACCOUNT),
  ESME_RINVREGDLVFLG(0x07, CarrierVerdict.ACCOUNT),
  ESME_RSYSERR(0x08, CarrierVerdict.SUSPECT),
  ESME_RINVSRCADR(0x0a, CarrierVerdict.ACCOUNT),
  ESME_RINVDSTADR(0x0b, CarrierVerdict.RECIPIENT),
  ESME_RINVMSGID(0x0c, CarrierVerdict.MOMENT),
  ESME_RBINDFAIL(0x0d, CarrierVerdict.ACCOUNT),
  ESME_RINVPASWD(0x0e, CarrierVerdict.ACCOUNT),
  ESME_RINVSYSID(0x0f, CarrierVerdict.ACCOUNT),
  ESME_RCANCELFAIL(0x11, CarrierVerdict.SUSPECT),
  ESME_RREPLACEFAIL(0x13, CarrierVerdict.SUSPECT),
  ESME_RMSGQFUL(0x14, CarrierVerdict.CARRIER_BUSY),
  ESME_RINVSERTYP(0x15, CarrierVerdict.ACCOUNT),
  ESME_RINVNUMDESTS(0x33, CarrierVerdict.SUSPECT),
  ESME_RINVDLNAME(0x34, CarrierVerdict.SUSPECT),
  ESME_RINVDESTFLAG(0x40, CarrierVerdict.SUSPECT),
  ESME_RINVSUBREP(0x42, CarrierVerdict.ACCOUNT),
  ESME_RINVESMCLASS(0x43, CarrierVerdict.SUSPECT),
  ESME_RCNTSUBDL(0x44, CarrierVerdict.SUSPECT),
  ESME_RSUBMITFAIL(0x45, CarrierVerdict.SUSPECT),
  ESME_RINVSRCTON(0x48, CarrierVerdict.ACCOUNT),
  ESME_RINVSRCNPI(0x49, CarrierVerdict.ACCOUNT),
  ESME_RINVDSTTON(0x50, CarrierVerdict.SUSPECT),
  ESME_RINVDSTNPI(0x51, CarrierVerdict.SUSPECT),
  ESME_RINVSYSTYP(0x53, CarrierVerdict.ACCOUNT),
  ESME_RINVREPFLAG(0x54, CarrierVerdict.ACCOUNT),
  ESME_RINVNUMMSGS(0x55, CarrierVerdict.SUSPECT),
  ESME_RTHROTTLED(0x58, CarrierVerdict.ACCOUNT),
  ESME_RINVSCHED(0x61, CarrierVerdict.ACCOUNT),
  ESME_RINVEXPIRY(0x62, CarrierVerdict.ACCOUNT),
  ESME_RINVDFTMSGID(0x63, CarrierVerdict.ACCOUNT),
  ESME_RX_T_APPN(0x64, CarrierVerdict.MOMENT),
  ESME_RX_P_APPN(0x65, CarrierVerdict.RECIPIENT),
  ESME_RX_R_APPN(0x66, CarrierVerdict.MESSAGE),
  ESME_RQUERYFAIL(0x67, CarrierVerdict.SUSPECT),
  ESME_RINVOPTPARSTREAM(0xc0, CarrierVerdict.SUSPECT),
  ESME_ROPTPARNOTALLWD(0xc1, CarrierVerdict.SUSPECT),
  ESME_RINVPARLEN(0xc2, CarrierVerdict.SUSPECT),
  ESME_RMISSINGOPTPARAM(0xc3, CarrierVerdict.SUSPECT),
  ESME_RINVOPTPARAMVAL(0xc4, CarrierVerdict.SUSPECT),
  ESME_RDELIVERYFAILURE(0xfe, CarrierVerdict.RECIPIENT_FOR_NOW),
  ESME_RUNKNOWNERR(0xff, CarrierVerdict.SUSPECT);

  private static final Map<Integer, CommandStatus> BY_CODE =
      Stream.of(values()).collect(Collectors.toMap(CommandStatus::code, Function.identity()));

  private final int code;
  private final @Nullable CarrierVerdict verdict;

  CommandStatus(int code, @Nullable CarrierVerdict verdict) {
    this.code = code;
    this.verdict = verdict;
  }

  int code() {
    return code;
  }

  /** Returns the judgement of a status, known or not, but 0, as an answer to submit_sm. */
  static CarrierVerdict verdict(int code) {
    CommandStatus known = BY_CODE.get(code);
    CarrierVerdict ofKnown = known == null ? null : known.verdict;
    return ofKnown == null ? CarrierVerdict.SUSPECT : ofKnown;
  }

  /** Returns whether the SMS centre no longer knows the session: only a new bind helps. */
  static boolean isNotBound(int code) {
    CommandStatus known = BY_CODE.get(code);
    return known != null
        && switch (known) {
          case ESME_RINVBNDSTS, ESME_RBINDFAIL, ESME_RINVPASWD, ESME_RINVSYSID, ESME_RINVSYSTYP ->
              true;
          default -> false;
        };
  }

  /** Returns a status for people, such as {@code 0x00000058 ESME_RTHROTTLED}. */
  static String text(int code) {
    CommandStatus known = BY_CODE.get(code);
    return String.format(Locale.ROOT, "0x%08X ", code)
        + (known == null ? "(not of SMPP 3.4)" : known.name());
  }
}
