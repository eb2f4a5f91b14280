package dev.reprise.server.access;

import static java.nio.charset.StandardCharsets.US_ASCII;

import dev.reprise.delivery.catalog.ConflictException;
import dev.reprise.delivery.catalog.NotFoundException;
import dev.reprise.delivery.store.Batch;
import dev.reprise.delivery.store.Store;
import dev.reprise.server.http.ApiError;
import dev.reprise.server.http.ApiException;
import dev.reprise.server.http.Caller;
import dev.reprise.server.http.RequestFields;
import dev.reprise.server.http.Scope;
import dev.reprise.server.http.Times;
import java.security.SecureRandom;
import java.time.Duration;
import java.util.Base64;
import java.util.Comparator;
import java.util.HexFormat;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.TimeUnit;
import java.util.function.LongSupplier;
import org.jspecify.annotations.Nullable;

/**
 * The keys that open the API. Only their SHA-256 is kept. A slow hash would gain nothing: it makes
 * guessing of what people think up expensive, and a key is 256 random bits.
 *
 * <p>A key is {@code rk_}, its id, {@code _} and its secret. Safe for use by many threads; looking
 * a key up reads memory only.
 */
public final class ApiKeys {
  static final String PREFIX = "rk_";
  private static final int ID_BYTES = 6;
  private static final int SECRET_BYTES = 32;
  private static final int SECRET_START = PREFIX.length() + 2 * ID_BYTES + 1;
  private static final int LENGTH = SECRET_START + 43;
  private static final long MINUTE = TimeUnit.MINUTES.toMillis(1);

  private final Store store;
  private final boolean open;
  private final LongSupplier wallMillis;
  private final SecureRandom random = new SecureRandom();
  private final Map<String, Held> keys = new ConcurrentHashMap<>();

  /** A key that was just made: the only time that its text is known. */
  public record Fresh(String id, String text) {}

  /**
   * A proof that a client had a key, without keeping it.
   *
   * @param id of the key
   * @param sha256 of the whole key
   */
  public record Proof(String id, byte[] sha256) {}

  /**
   * A key, and when it was last used.
   *
   * @param lastUsedMillis to the minute; 0 for never
   */
  public record Listed(ApiKey key, long lastUsedMillis) {}

  /** A key in memory. Its last use is stored now and then; a crash loses what is newer. */
  private static final class Held {
    final ApiKey key;
    volatile long lastUsedMillis;
    long storedUseMillis;

    Held(ApiKey key, long lastUsedMillis, long storedUseMillis) {
      this.key = key;
      this.lastUsedMillis = lastUsedMillis;
      this.storedUseMillis = storedUseMillis;
    }

    /** A write once a minute: that of every request would move the line between processors. */
    void used(long nowMillis) {
      if (nowMillis - lastUsedMillis >= MINUTE) {
        lastUsedMillis = nowMillis - nowMillis % MINUTE;
      }
    }
  }

  /**
   * The keys in {@code store}.
   *
   * @param open whether every client may call the API without a key
   * @param wallMillis the clock by which keys expire
   */
  public ApiKeys(Store store, boolean open, LongSupplier wallMillis) {
    this.store = store;
    this.open = open;
    this.wallMillis = wallMillis;
    try (Store.Cursor cursor = store.range(new byte[] {0}, new byte[] {(byte) 0xff})) {
      while (cursor.next()) {
        String id = new String(cursor.key(), US_ASCII);
        long used = ApiKey.lastUsed(cursor.value());
        keys.put(id, new Held(ApiKey.read(id, cursor.value()), used, used));
      }
    }
  }

  /** Reads keys again that another process has changed. */
  synchronized void refresh(List<byte[]> changed) {
    for (byte[] key : changed) {
      String id = new String(key, US_ASCII);
      byte[] stored = store.get(key);
      if (stored == null) {
        keys.remove(id);
        continue;
      }
      long storedUse = ApiKey.lastUsed(stored);
      Held before = keys.get(id);
      long used = before == null ? storedUse : Math.max(storedUse, before.lastUsedMillis);
      keys.put(id, new Held(ApiKey.read(id, stored), used, storedUse));
    }
  }

  /** The holder of the key with this id; null if there is none, or it has expired. */
  @Nullable Caller find(String id) {
    Held held = keys.get(id);
    return held == null || held.key.hasExpired(wallMillis.getAsLong()) ? null : held.key.caller();
  }

  /** Returns true if every client may call the API without a key. */
  public boolean open() {
    return open;
  }

  /** Returns true if there is no key with which all others could be made. */
  public boolean lacksOperator() {
    return keys.values().stream().noneMatch(held -> held.key.isForEver());
  }

  /** The keys of a project, or with null all, oldest first. */
  public List<Listed> list(@Nullable String project) {
    return keys.values().stream()
        .filter(held -> project == null || project.equals(held.key.caller().project()))
        .map(held -> new Listed(held.key, held.lastUsedMillis))
        .sorted(
            Comparator.comparingLong((Listed listed) -> listed.key().createdAtMillis())
                .thenComparing(listed -> listed.key().id()))
        .toList();
  }

  /** Makes an operator's key that may do everything and does not expire. */
  public Fresh createForOperator(String name) {
    return create(name, Scope.ALL, null, 0);
  }

  /**
   * Makes a key. It is durable when this returns.
   *
   * @param project the only project that it is for; null for an operator's key
   * @param expiresAtMillis 0 for never
   */
  public synchronized Fresh create(
      String name, Set<Scope> scopes, @Nullable String project, long expiresAtMillis) {
    byte[] idBytes = new byte[ID_BYTES];
    random.nextBytes(idBytes);
    String id = HexFormat.of().formatHex(idBytes);
    String text = freshText(id);
    Caller caller = new Caller(id, name, scopes, project, expiresAtMillis);
    put(ApiKey.create(text, wallMillis.getAsLong(), caller), 0);
    return new Fresh(id, text);
  }

  /**
   * Gives a key another secret.
   *
   * @param overlap how long the previous one opens the API as well
   */
  public synchronized Fresh rotate(String id, @Nullable String project, Duration overlap) {
    Held held = held(id, project);
    String text = freshText(id);
    put(held.key.rotated(text, wallMillis.getAsLong() + overlap.toMillis()), held.lastUsedMillis);
    return new Fresh(id, text);
  }

  private String freshText(String id) {
    byte[] secret = new byte[SECRET_BYTES];
    random.nextBytes(secret);
    return PREFIX + id + "_" + Base64.getUrlEncoder().withoutPadding().encodeToString(secret);
  }

  private void put(ApiKey key, long lastUsedMillis) {
    Batch batch = new Batch();
    batch.put(key.id().getBytes(US_ASCII), key.write(lastUsedMillis));
    store.write(batch);
    keys.put(key.id(), new Held(key, lastUsedMillis, lastUsedMillis));
  }

  /**
   * Revokes a key. The last operator's key that manages and does not expire stays, because without
   * it no other could be made.
   *
   * @param project the project that it must be of; null for any
   */
  public synchronized void revoke(String id, @Nullable String project) {
    Held held = held(id, project);
    if (held.key.isForEver()
        && keys.values().stream().filter(other -> other.key.isForEver()).count() == 1) {
      throw new ConflictException(
          "key '"
              + id
              + "' is the last operator's key with scope manage that does not expire: create"
              + " another one first");
    }
    Batch batch = new Batch();
    batch.delete(id.getBytes(US_ASCII));
    store.write(batch);
    keys.remove(id);
  }

  private Held held(String id, @Nullable String project) {
    Held held = keys.get(id);
    if (held == null || (project != null && !project.equals(held.key.caller().project()))) {
      throw new NotFoundException("key", RequestFields.shortened(id));
    }
    return held;
  }

  /** Stores when keys were last used, if that has changed. */
  public synchronized void storeUses() {
    Batch batch = new Batch();
    List<Held> used =
        keys.values().stream().filter(h -> h.lastUsedMillis != h.storedUseMillis).toList();
    if (used.isEmpty()) {
      return;
    }
    for (Held held : used) {
      held.storedUseMillis = held.lastUsedMillis;
      batch.put(held.key.id().getBytes(US_ASCII), held.key.write(held.storedUseMillis));
    }
    store.write(batch);
  }

  /**
   * Lets a request pass.
   *
   * @param authorization the header; null without one
   * @return the holder of the key
   * @throws ApiException 401 if it names no key, or one that has expired
   */
  public Caller check(@Nullable String authorization) {
    if (open) {
      return Caller.DEV;
    }
    if (authorization == null) {
      throw unauthorized("there is no API key: send Authorization: Bearer and the key");
    }
    if (!authorization.regionMatches(true, 0, "Bearer ", 0, 7)) {
      throw unauthorized("Authorization must be Bearer and an API key");
    }
    return check(proof(authorization.substring(7).trim()));
  }

  /**
   * Returns what {@code text} shows, if it is a key.
   *
   * @throws ApiException 401 if it does not look like one
   */
  public Proof proof(String text) {
    if (text.length() != LENGTH || !text.startsWith(PREFIX)) {
      throw unauthorized("this is not an API key of this service");
    }
    return new Proof(text.substring(PREFIX.length(), SECRET_START - 1), ApiKey.sha256(text));
  }

  /**
   * Returns the one whose key it was, and still is.
   *
   * @throws ApiException 401 if there is no such key any more, or it has expired
   */
  public Caller check(Proof proof) {
    Held held = keys.get(proof.id());
    long now = wallMillis.getAsLong();
    if (held == null || !held.key.isOpenedBy(proof.sha256(), now)) {
      throw unauthorized("this is not an API key of this service");
    }
    if (held.key.hasExpired(now)) {
      throw unauthorized(
          held.key.caller().described()
              + " has expired at "
              + Times.text(held.key.caller().expiresAtMillis()));
    }
    held.used(now);
    return held.key.caller();
  }

  private static ApiException unauthorized(String message) {
    return new ApiException(
        ApiError.of(401, "unauthorized", message).withHeader("WWW-Authenticate", "Bearer"));
  }
}
