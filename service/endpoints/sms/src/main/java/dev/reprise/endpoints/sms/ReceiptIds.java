package dev.reprise.endpoints.sms;

import java.math.BigInteger;
import java.util.Locale;
import java.util.regex.Pattern;

/**
 * The notation of ids in receipts. Some SMS centres name a message in hexadecimal when they take
 * it, and the same number in decimal in its receipts, or the other way round; then both are kept in
 * decimal. An id that is no number in its notation stays as it was sent.
 */
enum ReceiptIds {
  /** Receipts name the very id of the answer. */
  AS_SENT(0, 0),
  /** Answers are decimal, receipts hexadecimal. */
  HEX(10, 16),
  /** Answers are hexadecimal, receipts decimal. */
  DECIMAL(16, 10);

  private static final Pattern DIGITS = Pattern.compile("[0-9]{1,64}");
  private static final Pattern HEX_DIGITS = Pattern.compile("[0-9A-Fa-f]{1,64}");

  private final int answerRadix;
  private final int receiptRadix;

  ReceiptIds(int answerRadix, int receiptRadix) {
    this.answerRadix = answerRadix;
    this.receiptRadix = receiptRadix;
  }

  String wireName() {
    return name().toLowerCase(Locale.ROOT).replace('_', '-');
  }

  /** Returns the id under which a message is known that was taken with this id. */
  String ofAnswer(String id) {
    return decimal(id, answerRadix);
  }

  /** Returns the id under which the message of a receipt with this id is known. */
  String ofReceipt(String id) {
    return decimal(id, receiptRadix);
  }

  private static String decimal(String id, int radix) {
    if (radix == 0) {
      return id;
    }
    boolean isNumber = (radix == 16 ? HEX_DIGITS : DIGITS).matcher(id).matches();
    return isNumber ? new BigInteger(id, radix).toString() : id;
  }
}
