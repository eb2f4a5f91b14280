package dev.reprise.endpoints.email;

import dev.reprise.delivery.carrier.SettingCodecs;
import dev.reprise.delivery.carrier.SettingCodecs.Address;
import dev.reprise.policy.document.Codec;
import java.util.ArrayList;
import java.util.List;
import tools.jackson.databind.node.ArrayNode;
import tools.jackson.databind.node.JsonNodeFactory;

/**
 * The relays in their order. A port that is not named follows from the security, which is another
 * setting, so each address is kept with either.
 *
 * @param submission with the port 587 where none is named
 * @param implicitTls with the port 465 where none is named
 */
record RelayAddresses(List<Address> submission, List<Address> implicitTls) {
  private static final Codec<List<Address>> SUBMISSION =
      SettingCodecs.addresses(SmtpSecurity.STARTTLS.port());

  private static final Codec<List<Address>> IMPLICIT_TLS =
      SettingCodecs.addresses(SmtpSecurity.TLS.port());

  private static final String RULE =
      SUBMISSION.rule().replace("(port 587)", "(port 587, of security tls 465)");

  static final Codec<RelayAddresses> CODEC =
      new Codec<>(
          SUBMISSION.type(),
          RULE,
          (checks, path, value) -> {
            List<Address> submission = SUBMISSION.reader().read(checks, path, value);
            if (submission == null) {
              return null;
            }
            List<Address> implicitTls = IMPLICIT_TLS.reader().read(checks, path, value);
            return implicitTls == null ? null : new RelayAddresses(submission, implicitTls);
          },
          RelayAddresses::write,
          SUBMISSION.schema());

  /** Returns the addresses with their ports. */
  List<Address> of(SmtpSecurity security) {
    return security == SmtpSecurity.TLS ? implicitTls : submission;
  }

  private ArrayNode write() {
    ArrayNode written = JsonNodeFactory.instance.arrayNode();
    for (String address : texts()) {
      written.add(address);
    }
    return written;
  }

  private List<String> texts() {
    List<String> texts = new ArrayList<>();
    for (int i = 0; i < submission.size(); i++) {
      Address address = submission.get(i);
      String whole = address.toString();
      boolean named = address.equals(implicitTls.get(i));
      texts.add(named ? whole : whole.substring(0, whole.lastIndexOf(':')));
    }
    return texts;
  }
}
