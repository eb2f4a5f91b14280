package dev.reprise.server.api;

import static java.nio.charset.StandardCharsets.US_ASCII;
import static java.nio.charset.StandardCharsets.UTF_8;

import dev.reprise.delivery.catalog.ConflictException;
import dev.reprise.delivery.catalog.NotFoundException;
import dev.reprise.delivery.store.Batch;
import dev.reprise.delivery.store.Store;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.security.SecureRandom;
import java.util.Base64;
import java.util.Comparator;
import java.util.HexFormat;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import org.jspecify.annotations.Nullable;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.node.JsonNodeFactory;
import tools.jackson.databind.node.ObjectNode;

/**
 * The keys that open the API. Only their SHA-256 is kept. A slow hash would gain nothing: it makes
 * guessing of what people think up expensive, and a key is 256 random bits.
 *
 * <p>A key is {@code rk_}, its id, {@code _} and its secret. Safe for use by many threads; looking
 * a key up reads memory only.
 */
public final class ApiKeys {
  private static final String PREFIX = "rk_";
  private static final int ID_BYTES = 6;
  private static final int SECRET_BYTES = 32;
  private static final int SECRET_START = PREFIX.length() + 2 * ID_BYTES + 1;
  private static final int LENGTH = SECRET_START + 43;

  private final Store store;
  private final boolean open;
  private final SecureRandom random = new SecureRandom();
  private final Map<String, Key> keys = new ConcurrentHashMap<>();

  /**
   * A stored key.
   *
   * @param id names it in the API and stands in it
   * @param name what its owner calls it
   * @param createdAtMillis when it was created, wall time
   * @param hash the SHA-256 of the whole key
   */
  record Key(String id, String name, long createdAtMillis, byte[] hash) {}

  /** A key that was just made: the only time that its text is known. */
  public record Fresh(String id, String text) {}

  /**
   * The keys in {@code store}.
   *
   * @param open whether everybody may call the API without a key
   */
  public ApiKeys(Store store, boolean open) {
    this.store = store;
    this.open = open;
    try (Store.Cursor cursor = store.range(new byte[] {0}, new byte[] {(byte) 0xff})) {
      while (cursor.next()) {
        JsonNode stored = StrictJson.read(cursor.value());
        String id = new String(cursor.key(), US_ASCII);
        keys.put(
            id,
            new Key(
                id,
                stored.get("name").stringValue(),
                stored.get("createdAt").longValue(),
                HexFormat.of().parseHex(stored.get("sha256").stringValue())));
      }
    }
  }

  /** Returns true if everybody may call the API without a key. */
  boolean open() {
    return open;
  }

  /** Returns true if there is no key yet. */
  public boolean isEmpty() {
    return keys.isEmpty();
  }

  /** All keys, oldest first. */
  List<Key> list() {
    return keys.values().stream()
        .sorted(Comparator.comparingLong(Key::createdAtMillis).thenComparing(Key::id))
        .toList();
  }

  /** Makes a key. It is durable when this returns. */
  public synchronized Fresh create(String name, long nowMillis) {
    byte[] idBytes = new byte[ID_BYTES];
    byte[] secret = new byte[SECRET_BYTES];
    random.nextBytes(idBytes);
    random.nextBytes(secret);
    String id = HexFormat.of().formatHex(idBytes);
    String text =
        PREFIX + id + "_" + Base64.getUrlEncoder().withoutPadding().encodeToString(secret);
    Key key = new Key(id, name, nowMillis, sha256(text));
    ObjectNode stored = JsonNodeFactory.instance.objectNode();
    stored.put("name", name);
    stored.put("createdAt", nowMillis);
    stored.put("sha256", HexFormat.of().formatHex(key.hash()));
    Batch batch = new Batch();
    batch.put(id.getBytes(US_ASCII), StrictJson.MAPPER.writeValueAsBytes(stored));
    store.write(batch);
    keys.put(id, key);
    return new Fresh(id, text);
  }

  /** Revokes a key. The last one stays, because without it no other could be made. */
  synchronized void revoke(String id) {
    if (!keys.containsKey(id)) {
      throw new NotFoundException("key", id);
    }
    if (keys.size() == 1) {
      throw new ConflictException("key '" + id + "' is the last one: create another one first");
    }
    Batch batch = new Batch();
    batch.delete(id.getBytes(US_ASCII));
    store.write(batch);
    keys.remove(id);
  }

  /**
   * Lets a request pass.
   *
   * @param authorization the header; null without one
   * @throws ApiException 401 if it names no key
   */
  void check(@Nullable String authorization) {
    if (open) {
      return;
    }
    if (authorization == null) {
      throw unauthorized("there is no API key: send Authorization: Bearer and the key");
    }
    if (!authorization.regionMatches(true, 0, "Bearer ", 0, 7)) {
      throw unauthorized("Authorization must be Bearer and an API key");
    }
    String text = authorization.substring(7).trim();
    if (text.length() != LENGTH || !text.startsWith(PREFIX)) {
      throw unauthorized("this is not an API key of this service");
    }
    Key key = keys.get(text.substring(PREFIX.length(), SECRET_START - 1));
    if (key == null || !MessageDigest.isEqual(key.hash(), sha256(text))) {
      throw unauthorized("this is not an API key of this service");
    }
  }

  private static ApiException unauthorized(String message) {
    return new ApiException(
        ApiError.of(401, "unauthorized", message).withHeader("WWW-Authenticate", "Bearer"));
  }

  private static byte[] sha256(String text) {
    try {
      return MessageDigest.getInstance("SHA-256").digest(text.getBytes(UTF_8));
    } catch (NoSuchAlgorithmException e) {
      throw new IllegalStateException("every Java platform has SHA-256", e);
    }
  }
}
