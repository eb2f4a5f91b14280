package dev.reprise.delivery.catalog;

import java.util.Locale;

/**
 * The way in which a client shows its secret where it fetches an access token, by the names that
 * OAuth has for it (RFC 7591, section 2).
 */
public enum TokenAuthentication {
  /** In the Authorization header (RFC 6749, section 2.3.1), which every server must take. */
  CLIENT_SECRET_BASIC,

  /** In the form, as {@code client_id} and {@code client_secret}. */
  CLIENT_SECRET_POST;

  /** Returns the name in documents. */
  public String wireName() {
    return name().toLowerCase(Locale.ROOT);
  }
}
