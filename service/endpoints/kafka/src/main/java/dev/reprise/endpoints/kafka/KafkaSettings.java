package dev.reprise.endpoints.kafka;

import dev.reprise.core.InvalidSettingException;
import dev.reprise.delivery.carrier.Secret;
import dev.reprise.delivery.carrier.SettingCodecs.Address;
import java.util.List;
import java.util.Locale;
import org.jspecify.annotations.Nullable;

/**
 * The settings of a carrier to a Kafka cluster.
 *
 * @param addresses some of the brokers, which name the others
 * @param security how connections are encrypted and logged in
 * @param mechanism how the password is proved; used with a login only
 * @param username the name for the login; null without a login
 * @param password the password; null without a login
 * @param authority the certificates that are trusted, as PEM; null for those of the JVM
 * @param keyAttribute the attribute of a message whose value is the record's key; null for the
 *     message's id
 * @param compression how batches are compressed
 */
record KafkaSettings(
    List<Address> addresses,
    Security security,
    Mechanism mechanism,
    @Nullable String username,
    @Nullable Secret password,
    @Nullable String authority,
    @Nullable String keyAttribute,
    Compression compression) {
  /** The encryption and the login of connections. */
  enum Security {
    NONE("none", "PLAINTEXT"),
    TLS("tls", "SSL"),
    SASL("sasl", "SASL_PLAINTEXT"),
    SASL_TLS("sasl-tls", "SASL_SSL");

    private final String wireName;
    private final String kafkaName;

    Security(String wireName, String kafkaName) {
      this.wireName = wireName;
      this.kafkaName = kafkaName;
    }

    String wireName() {
      return wireName;
    }

    String kafkaName() {
      return kafkaName;
    }

    boolean isEncrypted() {
      return this == TLS || this == SASL_TLS;
    }

    boolean hasLogin() {
      return this == SASL || this == SASL_TLS;
    }
  }

  /** The proof of a password. */
  enum Mechanism {
    PLAIN("PLAIN"),
    SCRAM_SHA_256("SCRAM-SHA-256"),
    SCRAM_SHA_512("SCRAM-SHA-512");

    private final String registeredName;

    Mechanism(String registeredName) {
      this.registeredName = registeredName;
    }

    String registeredName() {
      return registeredName;
    }
  }

  /** The compression of batches. */
  enum Compression {
    NONE,
    GZIP,
    SNAPPY,
    LZ4,
    ZSTD;

    String wireName() {
      return name().toLowerCase(Locale.ROOT);
    }
  }

  KafkaSettings {
    // The password itself is never named in an error: the username stands for both.
    if ((username != null) != security.hasLogin() || (password != null) != security.hasLogin()) {
      throw new InvalidSettingException(
          "username",
          username,
          "must be there with password where security is sasl or sasl-tls, and only there");
    }
    if (authority != null && !security.isEncrypted()) {
      throw new InvalidSettingException(
          "security", security.wireName(), "must be tls or sasl-tls where there is an authority");
    }
  }
}
