package dev.reprise.server.access;

import dev.reprise.server.http.ApiError;
import dev.reprise.server.http.ApiException;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Tells API keys from what others put into the header {@code Authorization}: the password for a
 * proxy that stands before the service, or the token of a login in front of it.
 *
 * <p>What has the form of a key is meant for this service, whatever the scheme, and decides alone,
 * wrong or not. A request with a wrong key never goes on with the session of the browser that sends
 * it: it would be done, and recorded, in the name of another than its sender meant, and a key that
 * was revoked would seem to work. All else is not for this service, and does not hide a session.
 */
final class Authorization {
  private Authorization() {}

  /**
   * Returns the header that counts of all that were sent: the one that holds a key, or else the
   * first; null if there is none.
   *
   * @throws ApiException 401 if there are several keys that differ
   */
  static @Nullable String of(List<String> headers) {
    String chosen = headers.isEmpty() ? null : headers.get(0);
    for (String header : headers) {
      if (!isKey(header)) {
        continue;
      }
      if (isKey(chosen) && !header.equals(chosen)) {
        throw new ApiException(
            ApiError.of(
                    401,
                    "unauthorized",
                    "Authorization has several API keys: must have one of them")
                .withHeader("WWW-Authenticate", "Bearer"));
      }
      chosen = header;
    }
    return chosen;
  }

  /** Returns whether a header holds what has the form of an API key, right or wrong. */
  static boolean isKey(@Nullable String header) {
    if (header == null) {
      return false;
    }
    String credentials = header.strip();
    int space = credentials.indexOf(' ');
    return credentials.startsWith(ApiKeys.PREFIX)
        || (space >= 0 && credentials.substring(space).strip().startsWith(ApiKeys.PREFIX));
  }
}
