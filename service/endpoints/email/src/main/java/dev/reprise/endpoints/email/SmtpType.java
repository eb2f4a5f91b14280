package dev.reprise.endpoints.email;

import dev.reprise.delivery.Protocol;
import dev.reprise.delivery.carrier.Carrier;
import dev.reprise.delivery.carrier.CarrierContext;
import dev.reprise.delivery.carrier.CarrierType;
import dev.reprise.delivery.carrier.Secret;
import dev.reprise.delivery.carrier.SettingCodecs;
import dev.reprise.policy.document.Codec;
import dev.reprise.policy.document.ObjectType;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/** Email through mail relays that are spoken to in SMTP (RFC 5321). */
public final class SmtpType implements CarrierType<SmtpSettings> {
  private static final int DEFAULT_IN_FLIGHT = 4;
  private static final int MAX_SUBJECT = 200;

  private static final ObjectType<SmtpSettings> SETTINGS = describe();

  /** The type; it has no state. */
  public SmtpType() {}

  @Override
  public String name() {
    return "smtp";
  }

  @Override
  public Set<Protocol> protocols() {
    return Set.of(Protocol.EMAIL);
  }

  @Override
  public ObjectType<SmtpSettings> settings() {
    return SETTINGS;
  }

  @Override
  public int defaultInFlight() {
    return DEFAULT_IN_FLIGHT;
  }

  @Override
  public @Nullable String endpointProblem(Protocol protocol, String endpoint) {
    return MailboxAddress.ascii(endpoint) == null ? MailboxAddress.RULE : null;
  }

  @Override
  public Carrier open(SmtpSettings settings, CarrierContext context) {
    return new SmtpCarrier(settings, context, SmtpCarrier.Limits.STANDARD);
  }

  private static ObjectType<SmtpSettings> describe() {
    var type = ObjectType.of(SmtpSettings.class, "A mail relay that is spoken to in SMTP.");
    var addresses =
        type.required(
            "addresses",
            RelayAddresses.CODEC,
            SmtpSettings::addresses,
            "The relays as host or host:port, tried in this order. Without a port: 587, or 465 when"
                + " security is tls.");
    var security =
        type.optional(
            "security",
            SettingCodecs.oneOf(SmtpSecurity.values(), SmtpSecurity::wireName),
            SmtpSecurity.STARTTLS,
            SmtpSettings::security,
            "starttls: nothing is sent to a relay that does not offer it. tls: from the first byte."
                + " none: in clear, for a relay on this machine or in a network that is trusted; a"
                + " password then goes to this machine only.");
    var authority =
        type.derived(
            "authority",
            SettingCodecs.CERTIFICATES,
            SmtpSettings::authority,
            "The certificates, as PEM, that the relays' certificates are signed by. Absent: those"
                + " that the JDK trusts. A certificate must be for the host that addresses names.");
    var username =
        type.derived(
            "username",
            SettingCodecs.text(1, 320),
            SmtpSettings::username,
            "The user to log in as (AUTH PLAIN or LOGIN). Absent: without a login.");
    var password =
        type.derived("password", Secret.CODEC, SmtpSettings::password, "The user's password.");
    var from =
        type.required(
            "from",
            MailSender.CODEC,
            SmtpSettings::from,
            "The sender, such as orders@example.com or Orders <orders@example.com>.");
    var replyTo =
        type.derived(
            "replyTo", MailSender.CODEC, SmtpSettings::replyTo, "Where answers go. Absent: from.");
    var subject =
        type.optional(
            "subject",
            SettingCodecs.text(1, MAX_SUBJECT),
            "Message from {topic}",
            SmtpSettings::subject,
            "The subject of a message that brings none; {topic} stands for the topic.");
    var heloName =
        type.derived(
            "heloName",
            domain(),
            SmtpSettings::heloName,
            "The name of this machine in EHLO. Absent: the address of the connection, as in"
                + " [192.0.2.1].");
    var messageIdDomain =
        type.derived(
            "messageIdDomain",
            domain(),
            SmtpSettings::messageIdDomain,
            "The domain of Message-IDs. Absent: that of from.");
    var unsubscribe =
        type.derived(
            "unsubscribe",
            SettingCodecs.text(MailTemplates.UNSUBSCRIBE_RULE, MailTemplates::isUnsubscribe),
            SmtpSettings::unsubscribe,
            "The URL that ends a subscription when it is posted to, with {subscription} and"
                + " {message} for their ids. Gives List-Unsubscribe and List-Unsubscribe-Post (RFC"
                + " 8058).");
    var returnPath =
        type.derived(
            "returnPath",
            SettingCodecs.text(MailTemplates.RETURN_PATH_RULE, MailTemplates::isReturnPath),
            SmtpSettings::returnPath,
            "The mailbox that bounces go to (the envelope's sender). {id} in it stands for an id of"
                + " 41 characters of the message and the subscription. Absent: from.");
    return type.makes(
        values ->
            new SmtpSettings(
                values.get(addresses),
                values.get(security),
                values.find(authority),
                values.find(username),
                values.find(password),
                values.get(from),
                values.find(replyTo),
                values.get(subject),
                values.find(heloName),
                values.find(messageIdDomain),
                values.find(unsubscribe),
                values.find(returnPath)));
  }

  private static Codec<String> domain() {
    return SettingCodecs.text(
        "must be a domain in ASCII, such as mail.example.com",
        text -> text.equals(MailboxAddress.asciiDomain(text)));
  }
}
