package dev.reprise.server.peer;

import static java.nio.charset.StandardCharsets.UTF_8;

import dev.reprise.delivery.store.Batch;
import dev.reprise.delivery.store.Store;
import java.security.GeneralSecurityException;
import java.security.MessageDigest;
import java.security.SecureRandom;
import java.util.HexFormat;
import java.util.function.LongSupplier;
import javax.crypto.Mac;
import javax.crypto.spec.SecretKeySpec;
import org.jspecify.annotations.Nullable;

/**
 * The secret that only the nodes of a cluster have, by which they know each other's requests: 32
 * random bytes in the cluster's catalog. A token is good for one caller, one method and path, and
 * half a minute. Safe for use by many threads.
 */
public final class PeerSecret {
  private static final byte[] KEY = "secret".getBytes(UTF_8);
  private static final int BYTES = 32;
  private static final long GOOD_MILLIS = 30_000;

  private final Store store;
  private final LongSupplier wallMillis;

  /**
   * The secret in {@code store}.
   *
   * @param wallMillis the clock by which tokens are good; those of all nodes are about the same
   */
  public PeerSecret(Store store, LongSupplier wallMillis) {
    this.store = store;
    this.wallMillis = wallMillis;
  }

  /** Makes the secret if there is none; to be called by the node that may write. */
  public synchronized void make() {
    if (store.get(KEY) != null) {
      return;
    }
    byte[] secret = new byte[BYTES];
    new SecureRandom().nextBytes(secret);
    Batch batch = new Batch();
    batch.put(KEY, secret);
    store.write(batch);
  }

  /** Returns whether there is a secret yet. */
  public boolean exists() {
    return store.get(KEY) != null;
  }

  /**
   * Signs a request.
   *
   * @param caller in whose name it is sent: the id of an API key, or empty for the node itself
   * @param client the address of the client that has asked; may be empty
   */
  public String sign(String caller, String client, String method, String path) {
    return sign(caller, client, method, path, wallMillis.getAsLong());
  }

  private String sign(String caller, String client, String method, String path, long atMillis) {
    String signature =
        signature(
            "request\n" + caller + "\n" + client + "\n" + method + "\n" + path + "\n" + atMillis);
    return atMillis + "." + signature + "." + caller + "." + client;
  }

  /**
   * Returns a signature that every node of the cluster can make, and no other program.
   *
   * @param text begins with what it is for, so that it is good for nothing else
   */
  public String signature(String text) {
    byte[] secret = store.get(KEY);
    if (secret == null) {
      throw new IllegalStateException("the cluster has no secret yet");
    }
    try {
      Mac mac = Mac.getInstance("HmacSHA256");
      mac.init(new SecretKeySpec(secret, "HmacSHA256"));
      return HexFormat.of().formatHex(mac.doFinal(text.getBytes(UTF_8)));
    } catch (GeneralSecurityException e) {
      throw new IllegalStateException("every Java platform has HmacSHA256", e);
    }
  }

  /** Returns the one in whose name a request was sent; null if the token is not good. */
  public @Nullable Sender verify(String token, String method, String path) {
    String[] parts = token.split("\\.", 4);
    if (parts.length != 4 || !parts[0].matches("[0-9]{1,18}") || !exists()) {
      return null;
    }
    long atMillis = Long.parseLong(parts[0]);
    if (Math.abs(wallMillis.getAsLong() - atMillis) > GOOD_MILLIS) {
      return null;
    }
    byte[] right = sign(parts[2], parts[3], method, path, atMillis).getBytes(UTF_8);
    return MessageDigest.isEqual(right, token.getBytes(UTF_8))
        ? new Sender(parts[2], parts[3])
        : null;
  }

  /**
   * The one in whose name a node has sent a request.
   *
   * @param caller the id of an API key, or empty for the node itself
   * @param client the address of the client that has asked; may be empty
   */
  public record Sender(String caller, String client) {
    /** Returns whether the node asks for itself. */
    public boolean isNode() {
      return caller.isEmpty();
    }
  }
}
