package dev.reprise.server.proxy;

import org.jspecify.annotations.Nullable;

/**
 * Where a request comes from: what its connection shows, and behind proxies that are trusted what
 * these say.
 *
 * @param client the address of the client in figures; empty where nothing asks for it
 * @param host what the client has asked for as {@code Host}; null if that is not known
 * @param secure whether a trusted proxy says that the client speaks TLS
 */
public record RequestSource(String client, @Nullable String host, boolean secure) {
  /** A request of a client of this address, of which nothing else is known. */
  public static RequestSource of(String client) {
    return new RequestSource(client, null, false);
  }
}
