package dev.reprise.server.access;

import static java.nio.charset.StandardCharsets.UTF_8;

import dev.reprise.server.http.ApiError;
import dev.reprise.server.http.ApiException;
import dev.reprise.server.http.Caller;
import dev.reprise.server.http.RequestFields;
import dev.reprise.server.proxy.PublicUrl;
import dev.reprise.server.proxy.RequestSource;
import io.vertx.core.MultiMap;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.security.SecureRandom;
import java.util.ArrayList;
import java.util.Base64;
import java.util.Comparator;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.function.LongSupplier;
import org.jspecify.annotations.Nullable;

/**
 * The sessions of browsers that have signed in with an API key. They are in memory only: a restart
 * ends them. A session can do what its key can, and ends with it. Safe for use by many threads.
 *
 * <p>A browser sends the cookie by itself, so a change needs a sign that a page of ours asks for
 * it: the same origin, and a header that other pages cannot send. Requests with an API key need
 * neither.
 */
public final class BrowserSessions implements Sessions {
  /** The header that changes must have. */
  static final String CONSOLE_HEADER = "Reprise-Console";

  public static final String COOKIE = "reprise_session";

  /** The time after which a session ends that is not used. */
  static final long IDLE_NANOS = TimeUnit.HOURS.toNanos(1);

  /** The time after which a session ends that is used. */
  static final long MAX_NANOS = TimeUnit.HOURS.toNanos(12);

  /** The most of all projects together. */
  static final int MAX_SESSIONS_OF_PROJECTS = 9_500;

  /** The most of one project, and the most of all operators. */
  static final int MAX_SESSIONS_OF_OWNER = 500;

  /** So that the holder of a key cannot end the sessions of others by signing in repeatedly. */
  static final int MAX_SESSIONS_OF_KEY = 50;

  /** The owner of operators' sessions; no project has an empty name. */
  private static final String OPERATORS = "";

  private static final int TOKEN_BYTES = 32;

  private final ApiKeys keys;
  private final LongSupplier nanoTime;
  private final SecureRandom random = new SecureRandom();

  /** Those of a project, or of all operators, by the hash of their token. */
  private final Map<String, Owned> owners = new HashMap<>();

  private final Map<String, Owned> ownerOfHash = new HashMap<>();

  /** The sessions of one owner, the one that was used longest ago first. */
  private static final class Owned extends LinkedHashMap<String, Session> {
    private static final long serialVersionUID = 1;
    final String owner;

    Owned(String owner) {
      super(16, 0.75f, true);
      this.owner = owner;
    }

    String oldest() {
      return keySet().iterator().next();
    }
  }

  private static final class Session {
    final ApiKeys.Proof proof;
    final long begunNanos;
    long usedNanos;

    Session(ApiKeys.Proof proof, long nowNanos) {
      this.proof = proof;
      this.begunNanos = nowNanos;
      this.usedNanos = nowNanos;
    }
  }

  /**
   * No sessions yet.
   *
   * @param nanoTime a monotonic clock
   */
  BrowserSessions(ApiKeys keys, LongSupplier nanoTime) {
    this.keys = keys;
    this.nanoTime = nanoTime;
  }

  @Override
  public String begin(ApiKeys.Proof proof, boolean secure) {
    String project = keys.check(proof).project();
    byte[] bytes = new byte[TOKEN_BYTES];
    random.nextBytes(bytes);
    String token = Base64.getUrlEncoder().withoutPadding().encodeToString(bytes);
    add(hash(token), proof, project == null ? OPERATORS : project);
    return token;
  }

  private synchronized void add(String hash, ApiKeys.Proof proof, String owner) {
    long now = nanoTime.getAsLong();
    makeRoom(owner, proof.id(), now);
    Owned own = owners.computeIfAbsent(owner, Owned::new);
    own.put(hash, new Session(proof, now));
    ownerOfHash.put(hash, own);
  }

  /**
   * Ends what stands in the way of one more session: the oldest of its own key, or of its own
   * project. Where the projects have all that there may be, the one with the most loses its oldest,
   * so that none takes the place of one that has fewer. Operators have places of their own.
   */
  private void makeRoom(String owner, String key, long now) {
    Owned own = owners.getOrDefault(owner, new Owned(owner));
    endThoseThatAreOver(own, now);
    List<String> ofKey = new ArrayList<>();
    own.forEach(
        (hash, session) -> {
          if (session.proof.id().equals(key)) {
            ofKey.add(hash);
          }
        });
    if (ofKey.size() >= MAX_SESSIONS_OF_KEY) {
      remove(ofKey.get(0));
    } else if (own.size() >= MAX_SESSIONS_OF_OWNER) {
      remove(own.oldest());
    }
    if (!owner.equals(OPERATORS) && ofProjects() >= MAX_SESSIONS_OF_PROJECTS) {
      List.copyOf(owners.values()).forEach(each -> endThoseThatAreOver(each, now));
      if (ofProjects() >= MAX_SESSIONS_OF_PROJECTS) {
        remove(oldestOfTheLargest());
      }
    }
  }

  private int ofProjects() {
    Owned operators = owners.get(OPERATORS);
    return ownerOfHash.size() - (operators == null ? 0 : operators.size());
  }

  private String oldestOfTheLargest() {
    return owners.values().stream()
        .filter(each -> !each.owner.equals(OPERATORS))
        .max(Comparator.comparingInt(Map::size))
        .orElseThrow()
        .oldest();
  }

  /** Looks at those that are not used; one that is, and is too old, is found by its next use. */
  private void endThoseThatAreOver(Owned own, long now) {
    while (!own.isEmpty() && hasEnded(own.values().iterator().next(), now)) {
      remove(own.oldest());
    }
  }

  private synchronized void remove(String hash) {
    Owned own = ownerOfHash.remove(hash);
    if (own != null) {
      own.remove(hash);
      if (own.isEmpty()) {
        owners.remove(own.owner);
      }
    }
  }

  @Override
  public void end(MultiMap headers) {
    String token = token(headers);
    if (token != null) {
      remove(hash(token));
    }
  }

  @Override
  public @Nullable Caller find(MultiMap headers) {
    String token = token(headers);
    if (token == null) {
      return null;
    }
    String hash = hash(token);
    Session session;
    synchronized (this) {
      Owned own = ownerOfHash.get(hash);
      session = own == null ? null : own.get(hash);
      if (session == null) {
        return null;
      }
      long now = nanoTime.getAsLong();
      if (hasEnded(session, now)) {
        remove(hash);
        return null;
      }
      session.usedNanos = now;
    }
    try {
      return keys.check(session.proof);
    } catch (ApiException revoked) {
      remove(hash);
      return null;
    }
  }

  /**
   * Refuses what a page of another origin may have made the browser send.
   *
   * @param source where the request comes from
   * @param change whether the request changes anything
   * @param publicUrl where browsers reach the service
   * @throws ApiException 403
   */
  public static void checkOrigin(
      MultiMap headers, RequestSource source, boolean change, PublicUrl publicUrl) {
    String site = headers.get("Sec-Fetch-Site");
    if (site != null && !site.equals("same-origin") && !site.equals("none")) {
      throw forbidden("this request comes from a page of another origin");
    }
    if (!change) {
      return;
    }
    if (!"1".equals(headers.get(CONSOLE_HEADER))) {
      throw forbidden(
          "a change with a session of the console needs the header " + CONSOLE_HEADER + ": 1");
    }
    String origin = headers.get("Origin");
    String host = source.host();
    if (site == null || site.equals("none")) {
      if (!publicUrl.isOrigin(origin) && (origin == null || host == null || !isOf(origin, host))) {
        throw forbidden(
            "Origin is "
                + (origin == null ? "absent" : RequestFields.shortened(origin))
                + ": a change with a session of the console must come from its own pages");
      }
    }
  }

  /** The scheme is the browser's: something that ends TLS may stand before the service. */
  private static boolean isOf(String origin, String host) {
    return origin.equalsIgnoreCase("https://" + host) || origin.equalsIgnoreCase("http://" + host);
  }

  /** Returns the header that makes a browser keep a session, or with an empty token forget it. */
  public static String cookie(String token, boolean secure, PublicUrl publicUrl) {
    return COOKIE
        + "="
        + token
        + "; Path="
        + publicUrl.path()
        + "; HttpOnly; SameSite=Strict"
        + (token.isEmpty()
            ? "; Max-Age=0"
            : "; Max-Age=" + TimeUnit.NANOSECONDS.toSeconds(MAX_NANOS))
        + (secure || publicUrl.isSecure() ? "; Secure" : "");
  }

  private static boolean hasEnded(Session session, long nowNanos) {
    return nowNanos - session.usedNanos >= IDLE_NANOS || nowNanos - session.begunNanos >= MAX_NANOS;
  }

  /** Returns the token in the cookie of a request; null without one. */
  static @Nullable String token(MultiMap headers) {
    String cookies = headers.get("Cookie");
    if (cookies == null) {
      return null;
    }
    for (String each : cookies.split(";", -1)) {
      String cookie = each.trim();
      if (cookie.startsWith(COOKIE + "=")) {
        return cookie.substring(COOKIE.length() + 1);
      }
    }
    return null;
  }

  /** Hashed, so that neither this memory nor the time of a look-up reveals a valid token. */
  private static String hash(String token) {
    try {
      byte[] hash = MessageDigest.getInstance("SHA-256").digest(token.getBytes(UTF_8));
      return Base64.getEncoder().encodeToString(hash);
    } catch (NoSuchAlgorithmException e) {
      throw new IllegalStateException("every Java platform has SHA-256", e);
    }
  }

  private static ApiException forbidden(String message) {
    return new ApiException(ApiError.of(403, "forbidden", message));
  }
}
