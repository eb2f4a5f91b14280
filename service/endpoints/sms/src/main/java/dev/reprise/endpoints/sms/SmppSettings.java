package dev.reprise.endpoints.sms;

import dev.reprise.delivery.carrier.Secret;
import dev.reprise.delivery.carrier.SettingCodecs;
import dev.reprise.delivery.carrier.SettingCodecs.Address;
import dev.reprise.policy.document.Checks;
import dev.reprise.policy.document.Codec;
import dev.reprise.policy.document.Field;
import dev.reprise.policy.document.ObjectType;
import java.time.Duration;
import java.util.List;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;
import tools.jackson.databind.JsonNode;

/**
 * The settings of a carrier of SMS; {@link #TYPE} says what each is for.
 *
 * @param password null for none
 * @param source null for what the SMS centre puts in
 * @param validity null for as long as the SMS centre likes
 */
record SmppSettings(
    List<Address> addresses,
    String systemId,
    @Nullable Secret password,
    String systemType,
    BindType bindType,
    int binds,
    @Nullable Sender source,
    boolean receipts,
    ReceiptIds receiptIds,
    @Nullable Duration validity,
    boolean tls,
    Duration enquireLinkInterval,
    Alphabet alphabet,
    String serviceType,
    NumberType sourceType,
    NumberType destinationType,
    NumberType addressType,
    String addressRange,
    StatusCodes accountStatuses) {
  /** The port that IANA has registered for SMPP. */
  static final int PORT = 2775;

  static final int MAX_BINDS = 16;

  /**
   * SMPP 3.4 (§4.1.1) has room for 8 characters of a password and 15 of a system_id. Providers give
   * out longer ones, of up to 100 characters, and take them.
   */
  private static final int MAX_PASSWORD = 255;

  private static final int MAX_SYSTEM_ID = 255;
  private static final int MAX_SERVICE_TYPE = 5;
  private static final int MAX_ADDRESS_RANGE = 40;
  private static final int MAX_TON = 6;
  private static final int MAX_NPI = 18;
  private static final int MAX_SYSTEM_TYPE = 12;

  static final ObjectType<SmppSettings> TYPE = type();

  private static ObjectType<SmppSettings> type() {
    var type = ObjectType.of(SmppSettings.class, "An account at an SMS centre (SMPP 3.4).");
    var addresses =
        type.required(
            "addresses",
            SettingCodecs.addresses(PORT),
            SmppSettings::addresses,
            "The SMS centre's addresses. Each connection is made to the first that lets the account"
                + " in.");
    var systemId =
        type.required(
            "systemId",
            ascii(1, MAX_SYSTEM_ID),
            SmppSettings::systemId,
            "The account, system_id of a bind. SMPP 3.4 has room for 15 characters; a longer one is"
                + " sent as it is.");
    var password =
        type.derived(
            "password",
            Secret.fitting(
                "must have at most " + MAX_PASSWORD + " characters of ASCII",
                text -> isAscii(text, 1, MAX_PASSWORD)),
            SmppSettings::password,
            "The account's password, at most "
                + MAX_PASSWORD
                + " characters. SMPP 3.4 has room for 8; a longer one is sent as it is, since many"
                + " SMS centres give out and take such. Absent: none.");
    var systemType =
        type.optional(
            "systemType",
            ascii(0, MAX_SYSTEM_TYPE),
            "",
            SmppSettings::systemType,
            "The system_type of a bind, if the SMS centre asks for one.");
    var bindType =
        type.optional(
            "bindType",
            SettingCodecs.oneOf(BindType.values(), BindType::wireName),
            BindType.TRANSCEIVER,
            SmppSettings::bindType,
            "The sessions of a bind: one for messages and receipts, or one for each.");
    var binds =
        type.optional(
            "binds",
            Codec.between(1, MAX_BINDS),
            1,
            SmppSettings::binds,
            "The number of binds at the same time. Each has its part of the attempts that may be"
                + " under way: its window.");
    var source =
        type.derived(
            "source",
            Sender.CODEC,
            SmppSettings::source,
            "The sender: a name, a short code or a phone number. Absent: as the SMS centre likes.");
    var receipts =
        type.optional(
            "receipts",
            Codec.FLAG,
            true,
            SmppSettings::receipts,
            "Asks the SMS centre to tell how each message fared.");
    var receiptIds =
        type.optional(
            "receiptIds",
            SettingCodecs.oneOf(ReceiptIds.values(), ReceiptIds::wireName),
            ReceiptIds.AS_SENT,
            SmppSettings::receiptIds,
            "The notation of ids in receipts. as-sent: as the answer did. decimal: in decimal,"
                + " where the answer was hexadecimal. hex: in hexadecimal, where it was decimal.");
    var validity =
        type.derived(
            "validity",
            time("1m", Duration.ofMinutes(1), "720h", Duration.ofDays(30)),
            SmppSettings::validity,
            "The time for which the SMS centre tries to reach a handset, 1m to 720h. Absent: as the"
                + " SMS centre likes.");
    var tls =
        type.optional(
            "tls",
            Codec.FLAG,
            false,
            SmppSettings::tls,
            "Encrypts connections. The certificate must be valid for the address.");
    var enquireLinkInterval =
        type.optional(
            "enquireLinkInterval",
            time("100ms", Duration.ofMillis(100), "10m", Duration.ofMinutes(10)),
            Duration.ofSeconds(30),
            SmppSettings::enquireLinkInterval,
            "The time without a sign of the SMS centre after which it is asked for one, 100ms to"
                + " 10m. After as long again the connection is given up.");
    var alphabet =
        type.optional(
            "alphabet",
            SettingCodecs.oneOf(Alphabet.values(), Alphabet::wireName),
            Alphabet.GSM,
            SmppSettings::alphabet,
            "How texts of the GSM alphabet are sent. gsm: in its own codes, as data_coding 0."
                + " default-latin1, default-ascii: as data_coding 0 to an SMS centre whose default"
                + " alphabet is ISO 8859-1 or ASCII. latin1, ascii: as data_coding 3 or 1. Other"
                + " texts go out in UCS-2.");
    var serviceType =
        type.optional(
            "serviceType",
            ascii(0, MAX_SERVICE_TYPE),
            "",
            SmppSettings::serviceType,
            "The service_type of each message, if the SMS centre asks for one.");
    var sourceTon = ton(type, "source", "the sender", settings -> settings.sourceType.ton());
    var sourceNpi = npi(type, "source", "the sender", settings -> settings.sourceType.npi());
    var destinationTon =
        ton(type, "destination", "phone numbers", settings -> settings.destinationType.ton());
    var destinationNpi =
        npi(type, "destination", "phone numbers", settings -> settings.destinationType.npi());
    var addressTon = ton(type, "address", "addressRange", settings -> settings.addressType.ton());
    var addressNpi = npi(type, "address", "addressRange", settings -> settings.addressType.npi());
    var addressRange =
        type.optional(
            "addressRange",
            ascii(0, MAX_ADDRESS_RANGE),
            "",
            SmppSettings::addressRange,
            "The address_range of a bind, if the SMS centre asks for one.");
    var accountStatuses =
        type.optional(
            "accountStatuses",
            StatusCodes.CODEC,
            StatusCodes.NONE,
            SmppSettings::accountStatuses,
            "Statuses with which this SMS centre says that the account may not send, such as 0x401,"
                + " 0x40B for one whose credit is used up: they pause the carrier at once.");
    return type.makes(
        values ->
            new SmppSettings(
                values.get(addresses),
                values.get(systemId),
                values.find(password),
                values.get(systemType),
                values.get(bindType),
                values.get(binds),
                values.find(source),
                values.get(receipts),
                values.get(receiptIds),
                values.find(validity),
                values.get(tls),
                values.get(enquireLinkInterval),
                values.get(alphabet),
                values.get(serviceType),
                new NumberType(values.find(sourceTon), values.find(sourceNpi)),
                new NumberType(values.find(destinationTon), values.find(destinationNpi)),
                new NumberType(values.find(addressTon), values.find(addressNpi)),
                values.get(addressRange),
                values.get(accountStatuses)));
  }

  private static Field<SmppSettings, Integer> ton(
      ObjectType.Builder<SmppSettings> type,
      String prefix,
      String of,
      Function<SmppSettings, @Nullable Integer> getter) {
    return type.derived(
        prefix + "Ton",
        Codec.between(0, MAX_TON),
        getter,
        "The type of number (ton) of " + of + ", 0 to 6. Absent: what follows from the address.");
  }

  private static Field<SmppSettings, Integer> npi(
      ObjectType.Builder<SmppSettings> type,
      String prefix,
      String of,
      Function<SmppSettings, @Nullable Integer> getter) {
    return type.derived(
        prefix + "Npi",
        Codec.between(0, MAX_NPI),
        getter,
        "The numbering plan (npi) of " + of + ", 0 to 18. Absent: what follows from the address.");
  }

  private static Codec<String> ascii(int shortest, int longest) {
    Codec<String> codec =
        SettingCodecs.text(
            "must be a text of " + shortest + " to " + longest + " characters of ASCII",
            text -> isAscii(text, shortest, longest));
    codec.schema().put("minLength", shortest).put("maxLength", longest);
    return codec;
  }

  private static boolean isAscii(String text, int shortest, int longest) {
    return text.length() >= shortest
        && text.length() <= longest
        && text.chars().allMatch(character -> character >= ' ' && character < 0x7f);
  }

  private static Codec<Duration> time(
      String shortestText, Duration shortest, String longestText, Duration longest) {
    String range = shortestText + " to " + longestText;
    String rule = "must be a duration from " + range;
    Codec<Duration> any = Codec.TIME;
    return new Codec<>(
        "duration, " + range,
        rule,
        (checks, path, value) -> {
          Duration time = any.reader().read(checks, path, value);
          return time == null || isBetween(shortest, time, longest)
              ? time
              : refuse(checks, path, value, rule);
        },
        any.writer(),
        any.schema());
  }

  private static @Nullable Duration refuse(
      Checks checks, String path, JsonNode value, String rule) {
    return Codec.refuse(checks, path, value, rule);
  }

  private static boolean isBetween(Duration shortest, Duration time, Duration longest) {
    return time.compareTo(shortest) >= 0 && time.compareTo(longest) <= 0;
  }
}
