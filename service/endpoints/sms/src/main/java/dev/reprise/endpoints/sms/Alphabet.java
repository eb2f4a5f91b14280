package dev.reprise.endpoints.sms;

import dev.reprise.delivery.body.SmsText;
import java.util.Locale;

/**
 * The form in which texts of the GSM alphabet are sent. An SMS centre takes data_coding 0 for what
 * it likes (SMPP 3.4 §5.2.19), and some take it for Latin-1 or ASCII.
 */
enum Alphabet {
  GSM(SmsText.Coding.GSM),
  LATIN1(SmsText.Coding.LATIN1),
  ASCII(SmsText.Coding.ASCII),
  DEFAULT_LATIN1(SmsText.Coding.DEFAULT_LATIN1),
  DEFAULT_ASCII(SmsText.Coding.DEFAULT_ASCII);

  private final SmsText.Coding coding;

  Alphabet(SmsText.Coding coding) {
    this.coding = coding;
  }

  SmsText.Coding coding() {
    return coding;
  }

  String wireName() {
    return name().toLowerCase(Locale.ROOT).replace('_', '-');
  }
}
