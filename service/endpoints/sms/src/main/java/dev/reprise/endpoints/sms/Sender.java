package dev.reprise.endpoints.sms;

import dev.reprise.delivery.carrier.SettingCodecs;
import dev.reprise.policy.document.Codec;
import java.util.regex.Pattern;
import tools.jackson.databind.node.JsonNodeFactory;

/**
 * The sender of messages, as handsets show it.
 *
 * @param text as it was set
 * @param ton its type of number (SMPP 3.4 §5.2.5)
 * @param npi its numbering plan (§5.2.6)
 */
record Sender(String text, int ton, int npi) {
  /** No sender: the SMS centre puts one in. */
  static final Sender NONE = new Sender("", 0, 0);

  private static final int INTERNATIONAL = 1;
  private static final int NETWORK_SPECIFIC = 3;
  private static final int ALPHANUMERIC = 5;
  private static final int ISDN = 1;

  private static final Pattern SHORT_CODE = Pattern.compile("[0-9]{3,8}");
  private static final Pattern NAME =
      Pattern.compile("(?=.*[A-Za-z])[A-Za-z0-9 ._&!*/'+-]{1,11}(?<! )");

  private static final String RULE =
      "must be a name of up to 11 letters, digits and spaces, a short code of 3 to 8 digits, or a"
          + " phone number such as +4915112345678";

  /** A sender in a document. */
  static final Codec<Sender> CODEC =
      new Codec<>(
          "sender",
          RULE,
          (checks, path, value) -> {
            String text = value.isString() ? value.stringValue() : "";
            return isOne(text) ? of(text) : Codec.refuse(checks, path, value, RULE);
          },
          sender -> JsonNodeFactory.instance.stringNode(sender.text),
          SettingCodecs.text(1, 16).schema());

  private static boolean isOne(String text) {
    return PhoneNumber.is(text)
        || SHORT_CODE.matcher(text).matches()
        || NAME.matcher(text).matches();
  }

  static Sender of(String text) {
    if (PhoneNumber.is(text)) {
      return new Sender(text, INTERNATIONAL, ISDN);
    }
    return SHORT_CODE.matcher(text).matches()
        ? new Sender(text, NETWORK_SPECIFIC, 0)
        : new Sender(text, ALPHANUMERIC, 0);
  }

  /** Returns the address of the PDU: a phone number without its plus. */
  String address() {
    return ton == INTERNATIONAL ? text.substring(1) : text;
  }
}
