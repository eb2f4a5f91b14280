package dev.reprise.delivery.attempt;

import static java.nio.charset.StandardCharsets.UTF_8;

import dev.reprise.delivery.Protocol;
import dev.reprise.delivery.carrier.Carrier;
import dev.reprise.delivery.carrier.CarrierContext;
import dev.reprise.delivery.carrier.CarrierType;
import dev.reprise.delivery.carrier.Secret;
import dev.reprise.delivery.carrier.SettingCodecs;
import dev.reprise.delivery.carrier.SettingCodecs.Address;
import dev.reprise.delivery.http.HttpProxy;
import dev.reprise.policy.document.Codec;
import dev.reprise.policy.document.ObjectType;
import java.util.Base64;
import java.util.List;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/** Forward proxies: {@code proxy}. */
public final class ProxyCarrierType implements CarrierType<ProxyCarrierType.Settings> {
  private static final int DEFAULT_PORT = 3128;
  private static final ObjectType<Settings> SETTINGS = settingsType();

  /**
   * The settings of a forward proxy.
   *
   * @param addresses of the proxy; the first counts
   * @param username for Basic authentication; null for none
   * @param password of the user
   * @param resolves whether the proxy looks up the names of endpoints
   */
  public record Settings(
      List<Address> addresses,
      @Nullable String username,
      @Nullable Secret password,
      boolean resolves) {
    /** Checks what must be given together. */
    public Settings {
      if ((username == null) != (password == null)) {
        throw new IllegalArgumentException("username and password must be given together");
      }
      if (addresses.size() != 1) {
        throw new IllegalArgumentException("addresses must be one");
      }
    }
  }

  private static ObjectType<Settings> settingsType() {
    var type = ObjectType.of(Settings.class, "");
    var addresses =
        type.required(
            "addresses",
            SettingCodecs.addresses(DEFAULT_PORT),
            Settings::addresses,
            "The address of the proxy, such as proxy.example.com:3128.");
    var username =
        type.derived(
            "username", SettingCodecs.text(1, 256), Settings::username, "The user, if it asks.");
    var password = type.derived("password", Secret.CODEC, Settings::password, "Its password.");
    var resolves =
        type.optional(
            "resolves",
            Codec.FLAG,
            false,
            Settings::resolves,
            "Whether the proxy looks up the names of endpoints. Then only addresses that stand in"
                + " URLs are vetted by the service, and the proxy must refuse what is internal."
                + " Otherwise names are looked up and vetted by the service, and the proxy is asked"
                + " for that very address.");
    return type.makes(
        values ->
            new Settings(
                values.get(addresses),
                values.find(username),
                values.find(password),
                values.get(resolves)));
  }

  @Override
  public String name() {
    return "proxy";
  }

  @Override
  public Set<Protocol> protocols() {
    return Set.of(Protocol.HTTP);
  }

  @Override
  public ObjectType<Settings> settings() {
    return SETTINGS;
  }

  @Override
  public int defaultInFlight() {
    return 1000;
  }

  /** Endpoints are URLs, which are checked as all others. */
  @Override
  public @Nullable String endpointProblem(Protocol protocol, String endpoint) {
    return null;
  }

  @Override
  public Carrier open(Settings settings, CarrierContext context) {
    Address address = settings.addresses().get(0);
    Secret password = settings.password();
    String authorization =
        password == null
            ? ""
            : "Basic "
                + Base64.getEncoder()
                    .encodeToString(
                        (settings.username() + ":" + password.reveal()).getBytes(UTF_8));
    return new ProxyCarrier(
        new HttpProxy(address.host(), address.port(), authorization, settings.resolves()), context);
  }
}
