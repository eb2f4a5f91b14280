package dev.reprise.server.access;

import dev.reprise.server.http.Caller;
import io.vertx.core.MultiMap;
import org.jspecify.annotations.Nullable;

/**
 * The sessions of browsers that have signed in with an API key. A session can do what its key can,
 * and ends with it. Safe for use by many threads.
 */
public interface Sessions {
  /**
   * Begins a session.
   *
   * @param secure whether its cookie goes over TLS only
   * @return its token, for the cookie
   */
  String begin(ApiKeys.Proof proof, boolean secure);

  /** Ends the session of a request, if it has one. */
  void end(MultiMap headers);

  /** Returns the caller that has signed in; null if the request has no session that goes on. */
  @Nullable Caller find(MultiMap headers);

  /** Returns the header by which the browser keeps the session on; null if that is not needed. */
  default @Nullable String renewed(MultiMap headers) {
    return null;
  }
}
