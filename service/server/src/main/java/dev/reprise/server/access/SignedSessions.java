package dev.reprise.server.access;

import static java.nio.charset.StandardCharsets.US_ASCII;

import dev.reprise.server.http.ApiException;
import dev.reprise.server.http.Caller;
import dev.reprise.server.peer.PeerSecret;
import dev.reprise.server.proxy.PublicUrl;
import io.vertx.core.MultiMap;
import java.security.MessageDigest;
import java.security.SecureRandom;
import java.util.HashMap;
import java.util.HexFormat;
import java.util.Iterator;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import java.util.function.LongSupplier;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * Sessions that every node of a cluster knows: the token itself says whose it is and since when,
 * signed with the cluster's secret. It is renewed while it is used, because no node sees all of its
 * uses. Nothing of it is kept, and a restart ends no session.
 *
 * <p>The end of a session is reported to the other nodes, each of which remembers it for as long as
 * the token would be good. One that was down or not reached then does not know; the browser has
 * forgotten the token all the same.
 *
 * <p>What is remembered is bounded, for each project and for operators. Where that is exceeded, all
 * sessions of the project end that were begun before the oldest was signed out: none that was
 * signed out lives again, and none of another project ends.
 */
public final class SignedSessions implements Sessions {
  /** The time after which a token is renewed that is used. */
  static final long RENEW_MILLIS = TimeUnit.MINUTES.toMillis(5);

  /** The most ended sessions of a project, and of all operators, that are remembered. */
  static final int MAX_ENDED = 1000;

  private static final long IDLE_MILLIS = TimeUnit.NANOSECONDS.toMillis(BrowserSessions.IDLE_NANOS);
  private static final long MAX_MILLIS = TimeUnit.NANOSECONDS.toMillis(BrowserSessions.MAX_NANOS);

  /** The random part of an id; the id of the key stands before it, in 12 digits. */
  private static final int ID_BYTES = 10;

  private static final int KEY_DIGITS = 12;
  private static final String OPERATORS = "";

  /** No name of a project. */
  private static final String UNKNOWN = "?";

  private static final String PURPOSE = "session\n";
  private static final Pattern TOKEN =
      Pattern.compile(
          "(1\\.([0-9a-f]{32})\\.([A-Za-z0-9]{1,64})\\.([0-9a-f]{64})"
              + "\\.([0-9]{1,15})\\.([0-9]{1,15})\\.([st]))\\.([0-9a-f]{64})");

  private final ApiKeys keys;
  private final PeerSecret secret;
  private final LongSupplier wallMillis;
  private final Consumer<byte[]> others;
  private final PublicUrl publicUrl;
  private final SecureRandom random = new SecureRandom();

  /** By project, with an empty name those of operators. */
  private final Map<String, Ended> ended = new HashMap<>();

  /** The sessions of one project, or of all operators, that were ended. */
  private static final class Ended {
    /** By their ids, when; the first one first. */
    final Map<String, Long> sessions = new LinkedHashMap<>();

    /** All that were begun until then have ended, whether they are remembered or not. */
    long allUntilMillis = Long.MIN_VALUE;

    long lastMillis;

    void add(String id, long nowMillis) {
      sessions.put(id, nowMillis);
      lastMillis = nowMillis;
      Iterator<Long> oldestFirst = sessions.values().iterator();
      while (oldestFirst.hasNext()) {
        long millis = oldestFirst.next();
        boolean outlived = isOutlived(millis, nowMillis);
        if (!outlived && sessions.size() <= MAX_ENDED) {
          return;
        }
        oldestFirst.remove();
        if (!outlived) {
          allUntilMillis = millis;
        }
      }
    }

    static boolean isOutlived(long endedMillis, long nowMillis) {
      return nowMillis - endedMillis > MAX_MILLIS;
    }
  }

  /**
   * A token that is as it was made.
   *
   * @param secure whether its cookie goes over TLS only
   */
  private record Token(
      String id, ApiKeys.Proof proof, long begunMillis, long renewedMillis, boolean secure) {}

  /**
   * Sessions of a cluster.
   *
   * @param wallMillis the clock of this node
   * @param others notifies the other nodes that a session has ended
   * @param publicUrl where browsers reach the service
   */
  SignedSessions(
      ApiKeys keys,
      PeerSecret secret,
      LongSupplier wallMillis,
      Consumer<byte[]> others,
      PublicUrl publicUrl) {
    this.publicUrl = publicUrl;
    this.keys = keys;
    this.secret = secret;
    this.wallMillis = wallMillis;
    this.others = others;
  }

  @Override
  public String begin(ApiKeys.Proof proof, boolean secure) {
    byte[] bytes = new byte[ID_BYTES];
    random.nextBytes(bytes);
    String id = proof.id() + HexFormat.of().formatHex(bytes);
    long now = wallMillis.getAsLong();
    return write(new Token(id, proof, now, now, secure));
  }

  private String write(Token token) {
    String text =
        "1."
            + token.id()
            + "."
            + token.proof().id()
            + "."
            + HexFormat.of().formatHex(token.proof().sha256())
            + "."
            + token.begunMillis()
            + "."
            + token.renewedMillis()
            + (token.secure() ? ".s" : ".t");
    return text + "." + secret.signature(PURPOSE + text);
  }

  private @Nullable Token read(MultiMap headers) {
    String text = BrowserSessions.token(headers);
    Matcher parts = text == null ? null : TOKEN.matcher(text);
    if (parts == null || !parts.matches() || !secret.exists()) {
      return null;
    }
    byte[] right = secret.signature(PURPOSE + parts.group(1)).getBytes(US_ASCII);
    if (!MessageDigest.isEqual(right, parts.group(8).getBytes(US_ASCII))) {
      return null;
    }
    Token token =
        new Token(
            parts.group(2),
            new ApiKeys.Proof(parts.group(3), HexFormat.of().parseHex(parts.group(4))),
            Long.parseLong(parts.group(5)),
            Long.parseLong(parts.group(6)),
            parts.group(7).equals("s"));
    long now = wallMillis.getAsLong();
    boolean over =
        now - token.renewedMillis() >= IDLE_MILLIS || now - token.begunMillis() >= MAX_MILLIS;
    return over || hasEnded(token) ? null : token;
  }

  private synchronized boolean hasEnded(Token token) {
    Ended own = ended.get(owner(token.id()));
    Ended beside = ended.get(UNKNOWN);
    return (own != null
            && (own.sessions.containsKey(token.id()) || token.begunMillis() <= own.allUntilMillis))
        || (beside != null && beside.sessions.containsKey(token.id()));
  }

  /**
   * Returns the project of a session's key, and for an operator's an empty name. The key of a
   * session that an older node began is not in its id, and a new key may not be known here yet:
   * these are remembered beside the others.
   */
  private String owner(String id) {
    Caller caller = id.length() < KEY_DIGITS ? null : keys.find(id.substring(0, KEY_DIGITS));
    if (caller == null) {
      return UNKNOWN;
    }
    String project = caller.project();
    return project == null ? OPERATORS : project;
  }

  /** Another node has ended a session. */
  public synchronized void ended(String id) {
    long now = wallMillis.getAsLong();
    ended.values().removeIf(of -> Ended.isOutlived(of.lastMillis, now));
    ended.computeIfAbsent(owner(id), ignored -> new Ended()).add(id, now);
  }

  @Override
  public void end(MultiMap headers) {
    Token token = read(headers);
    if (token != null) {
      ended(token.id());
      others.accept(token.id().getBytes(US_ASCII));
    }
  }

  @Override
  public @Nullable Caller find(MultiMap headers) {
    Token token = read(headers);
    try {
      return token == null ? null : keys.check(token.proof());
    } catch (ApiException revoked) {
      return null;
    }
  }

  @Override
  public @Nullable String renewed(MultiMap headers) {
    if (headers.contains("Authorization") || !headers.contains("Cookie")) {
      return null;
    }
    Token token = read(headers);
    long now = wallMillis.getAsLong();
    if (token == null || now - token.renewedMillis() < RENEW_MILLIS) {
      return null;
    }
    Token fresh = new Token(token.id(), token.proof(), token.begunMillis(), now, token.secure());
    return BrowserSessions.cookie(write(fresh), token.secure(), publicUrl);
  }
}
