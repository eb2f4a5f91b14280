package dev.reprise.device.transport.amqp;

import java.util.Arrays;
import java.util.List;

/** The SASL mechanism by which a device identifies itself to an AMQP server. */
public enum SaslMechanism {
  /** It does not. */
  ANONYMOUS("ANONYMOUS"),

  /** The device proves its identity by its certificate, in TLS. */
  EXTERNAL("EXTERNAL"),

  /**
   * The device sends its user name and password in plain text (RFC 4616): for connections with TLS.
   */
  PLAIN("PLAIN"),

  /**
   * The device proves that it knows its password (RFC 5802), with a hash that is not trusted any
   * more.
   */
  SCRAM_SHA_1("SCRAM-SHA-1"),

  /** The device proves that it knows its password (RFC 7677). */
  SCRAM_SHA_256("SCRAM-SHA-256"),

  /** The device proves that it knows its password, as with SHA-256. */
  SCRAM_SHA_512("SCRAM-SHA-512");

  /** The mechanisms that prove a password, strongest first. */
  static final List<SaslMechanism> SCRAM = List.of(SCRAM_SHA_512, SCRAM_SHA_256, SCRAM_SHA_1);

  private final String registeredName;

  SaslMechanism(String registeredName) {
    this.registeredName = registeredName;
  }

  /** Returns the name that servers know it by, such as {@code SCRAM-SHA-256}. */
  public String registeredName() {
    return registeredName;
  }

  /**
   * Returns the mechanism of a name that servers know it by.
   *
   * @throws IllegalArgumentException when the name is another one
   */
  public static SaslMechanism of(String registeredName) {
    return Arrays.stream(values())
        .filter(mechanism -> mechanism.registeredName.equals(registeredName))
        .findFirst()
        .orElseThrow(
            () ->
                new IllegalArgumentException(
                    "sasl is "
                        + registeredName
                        + ": must be one of "
                        + Arrays.stream(values()).map(SaslMechanism::registeredName).toList()));
  }
}
