package dev.reprise.server.access;

import static java.nio.charset.StandardCharsets.US_ASCII;

import dev.reprise.server.http.ApiException;
import dev.reprise.server.http.Caller;
import dev.reprise.server.peer.PeerSecret;
import dev.reprise.server.proxy.PublicUrl;
import io.vertx.core.MultiMap;
import java.security.MessageDigest;
import java.security.SecureRandom;
import java.util.HexFormat;
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
 */
public final class SignedSessions implements Sessions {
  /** The time after which a token is renewed that is used. */
  static final long RENEW_MILLIS = TimeUnit.MINUTES.toMillis(5);

  static final int MAX_ENDED = 10_000;

  private static final long IDLE_MILLIS = TimeUnit.NANOSECONDS.toMillis(BrowserSessions.IDLE_NANOS);
  private static final long MAX_MILLIS = TimeUnit.NANOSECONDS.toMillis(BrowserSessions.MAX_NANOS);
  private static final int ID_BYTES = 16;
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

  /** Those that were ended, and when, the first one first. */
  private final Map<String, Long> ended =
      new LinkedHashMap<>() {
        private static final long serialVersionUID = 1;

        @Override
        protected boolean removeEldestEntry(Map.Entry<String, Long> eldest) {
          return size() > MAX_ENDED || wallMillis.getAsLong() - eldest.getValue() > MAX_MILLIS;
        }
      };

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
    byte[] id = new byte[ID_BYTES];
    random.nextBytes(id);
    long now = wallMillis.getAsLong();
    return write(new Token(HexFormat.of().formatHex(id), proof, now, now, secure));
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
    return over || hasEnded(token.id()) ? null : token;
  }

  private synchronized boolean hasEnded(String id) {
    return ended.containsKey(id);
  }

  /** Another node has ended a session. */
  public synchronized void ended(String id) {
    ended.put(id, wallMillis.getAsLong());
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
