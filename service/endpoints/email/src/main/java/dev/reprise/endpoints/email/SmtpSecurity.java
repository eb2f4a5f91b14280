package dev.reprise.endpoints.email;

import java.util.Locale;

/** The protection of a connection to a relay. */
enum SmtpSecurity {
  /** By STARTTLS, before anything else is said; without it nothing is sent. */
  STARTTLS(587),
  /** From its first byte, on port 465 (RFC 8314). */
  TLS(465),
  /** Not at all. */
  NONE(587);

  private final int port;

  SmtpSecurity(int port) {
    this.port = port;
  }

  /** Returns the port of an address that names none. */
  int port() {
    return port;
  }

  /** Returns the name in documents. */
  String wireName() {
    return name().toLowerCase(Locale.ROOT);
  }
}
