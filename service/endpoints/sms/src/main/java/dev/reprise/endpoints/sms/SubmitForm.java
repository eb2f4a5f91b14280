package dev.reprise.endpoints.sms;

import java.time.Duration;
import java.util.Locale;
import org.jsmpp.PDUStringException;
import org.jsmpp.util.DefaultComposer;
import org.jsmpp.util.PDUComposer;
import org.jspecify.annotations.Nullable;

/** The fields that all submit_sm of a carrier have in common (SMPP 3.4 §4.4.1). Thread-safe. */
final class SubmitForm {
  private static final byte INTERNATIONAL = 1;
  private static final byte ISDN = 1;

  /** esm_class: the message begins with a header (UDHI). */
  private static final byte WITH_HEADER = 0x40;

  private final PDUComposer composer = new DefaultComposer();
  private final Sender source;
  private final @Nullable String validity;
  private final byte registeredDelivery;
  private final String serviceType;
  private final NumberType sourceType;
  private final NumberType destinationType;

  SubmitForm(SmppSettings settings) {
    Sender sender = settings.source();
    source = sender == null ? Sender.NONE : sender;
    Duration time = settings.validity();
    validity = time == null ? null : relativeTime(time);
    registeredDelivery = (byte) (settings.receipts() ? 1 : 0);
    serviceType = settings.serviceType();
    sourceType = settings.sourceType();
    destinationType = settings.destinationType();
  }

  /**
   * Returns the PDU of one part.
   *
   * @param number a phone number with its plus
   */
  byte[] pdu(int sequence, String number, int dataCoding, boolean hasHeader, byte[] message)
      throws PDUStringException {
    return composer.submitSm(
        sequence,
        serviceType,
        sourceType.tonOr(source.ton()),
        sourceType.npiOr(source.npi()),
        source.address(),
        destinationType.tonOr(INTERNATIONAL),
        destinationType.npiOr(ISDN),
        number.substring(1),
        hasHeader ? WITH_HEADER : 0,
        (byte) 0,
        (byte) 0,
        null,
        validity,
        registeredDelivery,
        (byte) 0,
        (byte) dataCoding,
        (byte) 0,
        message);
  }

  /** Returns a time in the relative form of SMPP 3.4 §7.1.1, in whole seconds. */
  static String relativeTime(Duration time) {
    long days = time.toDays();
    return String.format(
        Locale.ROOT,
        "0000%02d%02d%02d%02d000R",
        days,
        time.toHoursPart(),
        time.toMinutesPart(),
        time.toSecondsPart());
  }
}
