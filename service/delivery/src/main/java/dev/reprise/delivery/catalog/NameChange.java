package dev.reprise.delivery.catalog;

import dev.reprise.delivery.Protocol;
import dev.reprise.delivery.address.HostNames;
import org.jspecify.annotations.Nullable;

/**
 * A host name of a stored subscription that earlier versions read by IDNA 2003 and that is another
 * name by UTS 46. Nothing is sent until the new name is confirmed: what was sent so far may have
 * gone to another owner, perhaps to the one that subscribed.
 */
public final class NameChange {
  private NameChange() {}

  /** Returns why nothing may be sent, on one line for people; null if it may. */
  public static @Nullable String of(SubscriptionSettings settings) {
    String reason = ofEndpoint(settings, settings.namesByUts46());
    return reason != null ? reason : ofTokenUrl(settings, settings.namesByUts46());
  }

  /** Whether the name of an endpoint has changed, confirmed or not. */
  static boolean isOfEndpoint(SubscriptionSettings settings) {
    return ofEndpoint(settings, /* confirmed= */ false) != null;
  }

  /** Whether the name of a token's URL has changed, confirmed or not; not if there is none. */
  static boolean isOfTokenUrl(SubscriptionSettings settings) {
    return ofTokenUrl(settings, /* confirmed= */ false) != null;
  }

  private static @Nullable String ofEndpoint(SubscriptionSettings settings, boolean confirmed) {
    String endpoint = settings.endpoint();
    String host =
        settings.protocol() == Protocol.EMAIL
            ? endpoint.substring(endpoint.lastIndexOf('@') + 1)
            : HostKey.hostOf(endpoint);
    return host == null ? null : of("endpoint", host, confirmed);
  }

  private static @Nullable String ofTokenUrl(SubscriptionSettings settings, boolean confirmed) {
    String tokenUrl = settings.http().tokenUrl();
    String host = tokenUrl == null ? null : HostKey.hostOf(tokenUrl);
    return host == null ? null : of("http.tokenUrl", host, confirmed);
  }

  /**
   * Whether a reason of {@link #of} is lifted by a confirmation: not if the name is none by UTS 46.
   */
  public static boolean canBeConfirmed(SubscriptionSettings settings) {
    return of(settings.withNamesByUts46(true)) == null;
  }

  /** Whether settings have a name to which the question applies. */
  static boolean hasInternationalNames(SubscriptionSettings settings) {
    String tokenUrl = settings.http().tokenUrl();
    return !HostNames.isAscii(settings.endpoint())
        || (tokenUrl != null && !HostNames.isAscii(tokenUrl));
  }

  private static @Nullable String of(String field, String host, boolean confirmed) {
    if (HostNames.isAscii(host)) {
      return null;
    }
    String before = HostNames.toAsciiByIdna2003(host);
    if (before == null) {
      return null;
    }
    String now;
    try {
      now = HostNames.toAscii(host);
    } catch (IllegalArgumentException e) {
      return field
          + ": host '"
          + host
          + "' was sent to as "
          + before
          + " and "
          + e.getMessage()
          + ": change the "
          + field;
    }
    return confirmed || now.equals(before)
        ? null
        : field
            + ": host '"
            + host
            + "' was sent to as "
            + before
            + " (IDNA 2003) and is "
            + now
            + " (UTS 46): give the "
            + field
            + " again, or release the subscription to send to "
            + now;
  }
}
