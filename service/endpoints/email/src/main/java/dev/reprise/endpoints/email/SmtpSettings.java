package dev.reprise.endpoints.email;

import dev.reprise.core.InvalidSettingException;
import dev.reprise.delivery.carrier.Secret;
import dev.reprise.delivery.carrier.SettingCodecs.Address;
import java.util.List;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * The settings of a carrier of email.
 *
 * @param addresses the relays, in the order in which they are tried
 * @param security how connections are protected
 * @param authority certificates as PEM that those of the relays are signed by; null for those that
 *     the JDK trusts
 * @param username null where the relay knows us otherwise
 * @param password of the user; null without one
 * @param from the sender that is shown
 * @param replyTo where answers go; null for the sender
 * @param subject of a message without one; {@code {topic}} stands for the topic
 * @param heloName what we call ourselves; null for the address of the connection
 * @param messageIdDomain behind the @ of a Message-ID; null for the sender's
 * @param unsubscribe a URL with {@code {subscription}} and {@code {message}}; null for none
 * @param returnPath where bounces go, perhaps with {@code {id}}; null for the sender
 */
record SmtpSettings(
    RelayAddresses addresses,
    SmtpSecurity security,
    @Nullable String authority,
    @Nullable String username,
    @Nullable Secret password,
    MailSender from,
    @Nullable MailSender replyTo,
    String subject,
    @Nullable String heloName,
    @Nullable String messageIdDomain,
    @Nullable String unsubscribe,
    @Nullable String returnPath) {
  private static final Set<String> THIS_MACHINE = Set.of("localhost", "127.0.0.1", "::1");

  /** Checks how the settings fit together. */
  SmtpSettings {
    // The password is never the value of a violation.
    if (username == null && password != null) {
      throw new InvalidSettingException(
          "username", "missing", "must be there when there is a password");
    }
    if (username != null && password == null) {
      throw new InvalidSettingException("username", username, "must have a password beside it");
    }
    if (username != null
        && security == SmtpSecurity.NONE
        && !addresses.of(security).stream().allMatch(SmtpSettings::isThisMachine)) {
      throw new InvalidSettingException(
          "security", "none", "must be starttls or tls when a password goes to another machine");
    }
  }

  private static boolean isThisMachine(Address address) {
    return THIS_MACHINE.contains(address.host());
  }

  /** Returns the relays, with their ports. */
  List<Address> relays() {
    return addresses.of(security);
  }
}
