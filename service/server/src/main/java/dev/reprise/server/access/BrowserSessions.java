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
import java.util.Iterator;
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

  static final int MAX_SESSIONS = 1000;

  /** So that the holder of a key cannot end the sessions of others by signing in repeatedly. */
  static final int MAX_SESSIONS_OF_KEY = 50;

  private static final int TOKEN_BYTES = 32;

  private final ApiKeys keys;
  private final LongSupplier nanoTime;
  private final SecureRandom random = new SecureRandom();

  /** By the hash of their token, the one that was used longest ago first. */
  private final Map<String, Session> sessions = new LinkedHashMap<>(16, 0.75f, true);

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
  public synchronized String begin(ApiKeys.Proof proof, boolean secure) {
    byte[] bytes = new byte[TOKEN_BYTES];
    random.nextBytes(bytes);
    String token = Base64.getUrlEncoder().withoutPadding().encodeToString(bytes);
    long now = nanoTime.getAsLong();
    Iterator<Session> oldestFirst = sessions.values().iterator();
    while (oldestFirst.hasNext()) {
      boolean ended = hasEnded(oldestFirst.next(), now);
      if (!ended && sessions.size() < MAX_SESSIONS) {
        break;
      }
      oldestFirst.remove();
    }
    endOldestOf(proof.id());
    sessions.put(hash(token), new Session(proof, now));
    return token;
  }

  /** Makes room for one more session of a key that has as many as it may. */
  private void endOldestOf(String key) {
    List<String> own = new ArrayList<>();
    sessions.forEach(
        (hash, session) -> {
          if (session.proof.id().equals(key)) {
            own.add(hash);
          }
        });
    if (own.size() >= MAX_SESSIONS_OF_KEY) {
      sessions.remove(own.get(0));
    }
  }

  @Override
  public synchronized void end(MultiMap headers) {
    String token = token(headers);
    if (token != null) {
      sessions.remove(hash(token));
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
      session = sessions.get(hash);
      if (session == null) {
        return null;
      }
      long now = nanoTime.getAsLong();
      if (hasEnded(session, now)) {
        sessions.remove(hash);
        return null;
      }
      session.usedNanos = now;
    }
    try {
      return keys.check(session.proof);
    } catch (ApiException revoked) {
      synchronized (this) {
        sessions.remove(hash);
      }
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
