package dev.reprise.delivery.carrier;

import dev.reprise.delivery.Protocol;
import dev.reprise.policy.document.ObjectType;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * A kind of carrier, such as {@code smpp} or {@code smtp}: its settings, the endpoints that it can
 * reach, and how it is opened. Found by {@link java.util.ServiceLoader}. Implementations have no
 * state and are thread-safe.
 *
 * @param <S> the settings
 */
public interface CarrierType<S> {
  /** Returns its name in documents: lower-case letters and digits. */
  String name();

  /** Returns the protocols whose endpoints it can reach; at least one. */
  Set<Protocol> protocols();

  /**
   * Returns the description of its settings: a flat object. A field whose codec is {@link
   * Secret#CODEC} is kept encrypted, and no answer of the API ever shows it.
   */
  ObjectType<S> settings();

  /**
   * Returns the most attempts at the same time through a carrier for which the operator says
   * nothing; at least 1.
   */
  int defaultInFlight();

  /**
   * Returns the rule that an endpoint breaks, such as {@code must be a phone number with its
   * country code, such as +4915112345678}; null if it breaks none.
   */
  @Nullable String endpointProblem(Protocol protocol, String endpoint);

  /**
   * Starts a carrier. Returns at once: connections are made in the background or when they are
   * needed, and one that cannot be made is a fault of the carrier, not an error of this method.
   */
  Carrier open(S settings, CarrierContext context);
}
