package dev.reprise.endpoints.sms;

import org.jspecify.annotations.Nullable;

/**
 * A type of number and a numbering plan that the operator has set.
 *
 * @param ton SMPP 3.4 §5.2.5; null for what follows from the address
 * @param npi SMPP 3.4 §5.2.6; null for what follows from the address
 */
record NumberType(@Nullable Integer ton, @Nullable Integer npi) {
  /** Nothing was set. */
  static final NumberType NONE = new NumberType(null, null);

  byte tonOr(int implied) {
    return (byte) (ton == null ? implied : ton);
  }

  byte npiOr(int implied) {
    return (byte) (npi == null ? implied : npi);
  }
}
