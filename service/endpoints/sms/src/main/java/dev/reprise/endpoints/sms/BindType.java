package dev.reprise.endpoints.sms;

import java.util.Locale;

/** The sessions of one bind. */
enum BindType {
  /** One session for messages and receipts. */
  TRANSCEIVER,
  /** One for messages, and another for receipts. */
  TRANSMITTER_AND_RECEIVER;

  String wireName() {
    return name().toLowerCase(Locale.ROOT).replace('_', '-');
  }
}
