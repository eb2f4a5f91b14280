package dev.reprise.server.http;

import io.vertx.core.MultiMap;
import java.util.List;
import java.util.regex.Pattern;

/**
 * Keeps web pages away from a service that needs no key. A browser on this machine reaches it on
 * behalf of any page; it sends the page in {@code Origin}, and the name by which the page has
 * reached it in {@code Host}, where a page's own domain may have been pointed to this machine. A
 * proxy on this machine lets everybody in, and mostly says so in a header of its own.
 */
public final class LocalRequests {
  private static final Pattern OWN_HOST =
      Pattern.compile("(?i)(localhost|[0-9.]+|\\[[0-9a-f:.]+])(:[0-9]+)?");

  private static final List<String> OF_PROXIES =
      List.of(
          "Forwarded",
          "X-Forwarded-For",
          "X-Forwarded-Host",
          "X-Forwarded-Proto",
          "X-Real-IP",
          "Via");

  private LocalRequests() {}

  /**
   * Lets a request pass that neither a foreign page nor a proxy can have sent.
   *
   * @throws ApiException 403 if one may have
   */
  public static void check(String scheme, MultiMap headers) {
    for (String each : OF_PROXIES) {
      if (headers.contains(each)) {
        throw forbidden(
            each
                + " is present: requests that come through a proxy are refused while the service"
                + " needs no key, unless their Host is that of public-url");
      }
    }
    String host = headers.get("Host");
    String origin = headers.get("Origin");
    if (host != null && !OWN_HOST.matcher(host).matches()) {
      throw forbidden(
          "Host is "
              + RequestFields.shortened(host)
              + ": must be localhost or an address while the service needs no key");
    }
    if (origin != null && (host == null || !origin.equalsIgnoreCase(scheme + "://" + host))) {
      throw forbidden(
          "Origin is "
              + RequestFields.shortened(origin)
              + ": web pages of others are refused while the service needs no key");
    }
  }

  private static ApiException forbidden(String message) {
    return new ApiException(ApiError.of(403, "forbidden", message));
  }
}
