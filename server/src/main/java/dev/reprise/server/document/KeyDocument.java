package dev.reprise.server.document;

/**
 * An API key, without its secret.
 *
 * @param id of the key
 * @param name whom or what it is for
 * @param createdAt in RFC 3339
 */
public record KeyDocument(String id, String name, String createdAt) {
  /**
   * A key that was just made.
   *
   * @param id of the key
   * @param name whom or what it is for
   * @param key the secret, which is shown this once
   */
  public record Fresh(String id, String name, String key) {}
}
