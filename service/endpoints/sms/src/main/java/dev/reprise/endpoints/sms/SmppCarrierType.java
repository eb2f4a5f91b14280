package dev.reprise.endpoints.sms;

import dev.reprise.delivery.Protocol;
import dev.reprise.delivery.carrier.Carrier;
import dev.reprise.delivery.carrier.CarrierContext;
import dev.reprise.delivery.carrier.CarrierFault;
import dev.reprise.delivery.carrier.CarrierType;
import dev.reprise.policy.document.ObjectType;
import java.util.Set;
import javax.net.ssl.SSLSocketFactory;
import org.jspecify.annotations.Nullable;

/** Carriers of SMS: accounts at SMS centres that speak SMPP 3.4. */
public final class SmppCarrierType implements CarrierType<SmppSettings> {
  private static final int DEFAULT_IN_FLIGHT = 10;

  /** Creates the type, as {@link java.util.ServiceLoader} does. */
  public SmppCarrierType() {}

  @Override
  public String name() {
    return "smpp";
  }

  @Override
  public Set<Protocol> protocols() {
    return Set.of(Protocol.SMS);
  }

  @Override
  public ObjectType<SmppSettings> settings() {
    return SmppSettings.TYPE;
  }

  /** Returns 10, the window that most SMS centres grant. */
  @Override
  public int defaultInFlight() {
    return DEFAULT_IN_FLIGHT;
  }

  @Override
  public @Nullable String endpointProblem(Protocol protocol, String endpoint) {
    return PhoneNumber.problem(endpoint);
  }

  @Override
  public Carrier open(SmppSettings settings, CarrierContext context) {
    SmppCarrier carrier =
        new SmppCarrier(
            settings,
            context,
            (SSLSocketFactory) SSLSocketFactory.getDefault(),
            CarrierFault.BACKOFF);
    carrier.start();
    return carrier;
  }
}
