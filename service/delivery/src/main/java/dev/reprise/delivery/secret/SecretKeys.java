package dev.reprise.delivery.secret;

import static java.nio.charset.StandardCharsets.UTF_8;

import java.nio.ByteBuffer;
import java.security.GeneralSecurityException;
import java.security.SecureRandom;
import java.util.Arrays;
import java.util.Base64;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.regex.Pattern;
import javax.crypto.Cipher;
import javax.crypto.spec.GCMParameterSpec;
import javax.crypto.spec.SecretKeySpec;

/**
 * The keys under which secrets are encrypted (AES-256-GCM, NIST SP 800-38D): the first encrypts and
 * decrypts, the others only decrypt what an earlier first one has encrypted. An encrypted secret
 * names its key, and is bound to the name of the field that it belongs to. Immutable; thread-safe.
 */
public final class SecretKeys {
  /** No keys: nothing can be encrypted or decrypted. */
  public static final SecretKeys NONE = new SecretKeys(Map.of());

  private static final int KEY_BYTES = 32;
  private static final int NONCE_BYTES = 12;
  private static final int TAG_BITS = 128;
  private static final String FORM = "v1";
  private static final Pattern ID = Pattern.compile("[A-Za-z0-9_-]{1,32}");
  private static final String LINE_RULE =
      "must be the name of a key (1 to 32 letters, digits, - and _), a space, and 32 random bytes"
          + " in Base64";

  private static final SecureRandom RANDOM = new SecureRandom();

  private final Map<String, SecretKeySpec> keys;

  private SecretKeys(Map<String, SecretKeySpec> keys) {
    this.keys = keys;
  }

  /**
   * Reads keys: one a line, its name and 32 bytes in Base64, the current one first. Empty lines and
   * those that begin with {@code #} are passed over; a comma divides as well as the end of a line.
   *
   * @param source what to call the text in errors, such as the name of the file
   * @throws IllegalArgumentException naming the source, the line and the rule, never a key
   */
  public static SecretKeys parse(String text, String source) {
    Map<String, SecretKeySpec> keys = new LinkedHashMap<>();
    List<String> lines =
        text.lines().flatMap(line -> List.of(line.split(",", -1)).stream()).toList();
    for (int i = 0; i < lines.size(); i++) {
      String line = lines.get(i).strip();
      if (line.isEmpty() || line.startsWith("#")) {
        continue;
      }
      String[] parts = line.split("\\s+", -1);
      if (parts.length != 2 || !ID.matcher(parts[0]).matches()) {
        throw wrong(source, i + 1, LINE_RULE);
      }
      byte[] key;
      try {
        key = Base64.getDecoder().decode(parts[1]);
      } catch (IllegalArgumentException e) {
        throw wrong(source, i + 1, LINE_RULE);
      }
      if (key.length != KEY_BYTES) {
        throw wrong(source, i + 1, "has a key of " + key.length + " bytes: must have " + KEY_BYTES);
      }
      if (keys.put(parts[0], new SecretKeySpec(key, "AES")) != null) {
        throw wrong(source, i + 1, "names key '" + parts[0] + "' a second time");
      }
    }
    if (keys.isEmpty()) {
      throw new IllegalArgumentException(source + " has no key: each line " + LINE_RULE);
    }
    return new SecretKeys(keys);
  }

  private static IllegalArgumentException wrong(String source, int line, String rule) {
    return new IllegalArgumentException(source + ", line " + line + ": " + rule);
  }

  /** Returns a new line of a key file: a name and a key from the system's random source. */
  public static String newLine(String id) {
    if (!ID.matcher(id).matches()) {
      throw new IllegalArgumentException(
          "key name '" + id + "' must be 1 to 32 letters, digits, - and _");
    }
    byte[] key = new byte[KEY_BYTES];
    RANDOM.nextBytes(key);
    return id + " " + Base64.getEncoder().encodeToString(key);
  }

  /** Returns whether there is no key, so that secrets must be refused. */
  public boolean isEmpty() {
    return keys.isEmpty();
  }

  /** Returns whether there is a key with this name. */
  public boolean has(String id) {
    return keys.containsKey(id);
  }

  /** Returns the name of the key that encrypts; empty without one. */
  public String currentId() {
    return keys.isEmpty() ? "" : keys.keySet().iterator().next();
  }

  /**
   * Encrypts a secret.
   *
   * @param field the field that it belongs to: it decrypts for no other
   * @return one word of text
   * @throws IllegalStateException without a key
   */
  public String seal(String secret, String field) {
    if (keys.isEmpty()) {
      throw new IllegalStateException("there is no key for secrets");
    }
    String id = currentId();
    byte[] nonce = new byte[NONCE_BYTES];
    RANDOM.nextBytes(nonce);
    byte[] encrypted = crypt(Cipher.ENCRYPT_MODE, id, nonce, secret.getBytes(UTF_8), field);
    byte[] whole =
        ByteBuffer.allocate(NONCE_BYTES + encrypted.length).put(nonce).put(encrypted).array();
    return FORM + "." + id + "." + Base64.getUrlEncoder().withoutPadding().encodeToString(whole);
  }

  /**
   * Decrypts what {@link #seal} has made.
   *
   * @throws UnreadableSecretException if its key is not among these, or it was changed; the message
   *     says which, for the operator
   */
  public String open(String sealed, String field) {
    String id = idOf(sealed);
    if (!keys.containsKey(id)) {
      throw new UnreadableSecretException(
          "secret '" + field + "' is encrypted under key '" + id + "', which was not given");
    }
    byte[] whole;
    try {
      whole = Base64.getUrlDecoder().decode(sealed.substring(sealed.lastIndexOf('.') + 1));
    } catch (IllegalArgumentException e) {
      throw changed(field, id);
    }
    if (whole.length <= NONCE_BYTES) {
      throw changed(field, id);
    }
    byte[] nonce = Arrays.copyOf(whole, NONCE_BYTES);
    byte[] encrypted = Arrays.copyOfRange(whole, NONCE_BYTES, whole.length);
    return new String(crypt(Cipher.DECRYPT_MODE, id, nonce, encrypted, field), UTF_8);
  }

  /** Returns the name of the key under which a secret is encrypted; empty if it names none. */
  public static String idOf(String sealed) {
    String[] parts = sealed.split("\\.", -1);
    return parts.length == 3 && parts[0].equals(FORM) ? parts[1] : "";
  }

  private byte[] crypt(int mode, String id, byte[] nonce, byte[] text, String field) {
    try {
      Cipher cipher = Cipher.getInstance("AES/GCM/NoPadding");
      cipher.init(mode, keys.get(id), new GCMParameterSpec(TAG_BITS, nonce));
      cipher.updateAAD((FORM + "." + id + "." + field).getBytes(UTF_8));
      return cipher.doFinal(text);
    } catch (GeneralSecurityException e) {
      if (mode == Cipher.DECRYPT_MODE) {
        throw changed(field, id);
      }
      throw new IllegalStateException("every Java platform has AES/GCM", e);
    }
  }

  private static UnreadableSecretException changed(String field, String id) {
    return new UnreadableSecretException(
        "secret '"
            + field
            + "' cannot be decrypted: it was changed, or key '"
            + id
            + "' is another one than it was encrypted under");
  }

  /** Thrown for a secret that cannot be decrypted; the message is for the operator. */
  public static final class UnreadableSecretException extends RuntimeException {
    private static final long serialVersionUID = 1L;

    UnreadableSecretException(String message) {
      super(message);
    }
  }
}
