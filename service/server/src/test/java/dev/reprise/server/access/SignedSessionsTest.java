package dev.reprise.server.access;

import static java.nio.charset.StandardCharsets.US_ASCII;
import static org.assertj.core.api.Assertions.assertThat;

import dev.reprise.delivery.store.RocksSettings;
import dev.reprise.delivery.store.RocksStore;
import dev.reprise.server.http.Scope;
import dev.reprise.server.peer.PeerSecret;
import dev.reprise.server.proxy.PublicUrl;
import io.vertx.core.MultiMap;
import java.nio.file.Path;
import java.time.Duration;
import java.util.HexFormat;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** A session that one node began, at that node and at another. */
class SignedSessionsTest {
  @TempDir Path folder;
  private RocksStore store;
  private long millis = 1_000_000_000;
  private ApiKeys keys;
  private PeerSecret secret;
  private SignedSessions one;
  private SignedSessions two;

  @BeforeEach
  void open() {
    store = RocksStore.open(folder, RocksSettings.defaults().withReserveBytes(0));
    keys = new ApiKeys(store.view(0), false, () -> millis);
    secret = new PeerSecret(store.view(1), () -> millis);
    secret.make();
    two = new SignedSessions(keys, secret, () -> millis, ended -> {}, PublicUrl.NONE);
    one =
        new SignedSessions(
            keys,
            secret,
            () -> millis,
            ended -> two.ended(new String(ended, US_ASCII)),
            PublicUrl.NONE);
  }

  @AfterEach
  void close() {
    store.close();
  }

  private ApiKeys.Fresh key() {
    return keys.create("k", Set.of(Scope.READ), null, 0);
  }

  private String begin(ApiKeys.Fresh key) {
    return one.begin(keys.proof(key.text()), true);
  }

  private static MultiMap cookie(String token) {
    return MultiMap.caseInsensitiveMultiMap().add("Cookie", "a=b; reprise_session=" + token);
  }

  private boolean lives(String token) {
    boolean here = one.find(cookie(token)) != null;
    assertThat(two.find(cookie(token)) != null).isEqualTo(here);
    return here;
  }

  @Test
  void everyNodeKnowsASessionAndNobodyCanMakeOne() {
    String token = begin(key());
    assertThat(lives(token)).isTrue();
    assertThat(two.find(cookie(token)).name()).isEqualTo("k");
    for (int i = 0; i < token.length(); i++) {
      char other = token.charAt(i) == '1' ? '2' : '1';
      assertThat(lives(token.substring(0, i) + other + token.substring(i + 1))).isFalse();
    }
    assertThat(lives("")).isFalse();
    assertThat(token).doesNotContain("rk_");
  }

  @Test
  void aSessionEndsWhenItIsNotUsed() {
    String token = begin(key());
    millis += TimeUnit.HOURS.toMillis(1) - 1;
    assertThat(lives(token)).isTrue();
    millis++;
    assertThat(lives(token)).isFalse();
  }

  @Test
  void aSessionThatIsUsedIsRenewedForTwelveHours() {
    String token = begin(key());
    assertThat(one.renewed(cookie(token))).as("not each time").isNull();
    for (int i = 0; i < 23; i++) {
      millis += TimeUnit.MINUTES.toMillis(30);
      String renewed = two.renewed(cookie(token));
      assertThat(renewed).contains("HttpOnly", "SameSite=Strict", "Secure");
      token = renewed.substring("reprise_session=".length(), renewed.indexOf(';'));
      assertThat(lives(token)).isTrue();
    }
    millis += TimeUnit.MINUTES.toMillis(30);
    assertThat(lives(token)).isFalse();
    assertThat(two.renewed(cookie(token))).isNull();
  }

  @Test
  void signingOutEndsItEverywhere() {
    ApiKeys.Fresh key = key();
    String token = begin(key);
    String other = begin(key);
    one.end(cookie(token));
    assertThat(lives(token)).isFalse();
    assertThat(lives(other)).isTrue();
  }

  @Test
  void aSessionEndsWithItsKey() {
    ApiKeys.Fresh rotated = key();
    String before = begin(rotated);
    keys.rotate(rotated.id(), null, Duration.ofSeconds(5));
    assertThat(lives(before)).isTrue();
    millis += 5000;
    assertThat(lives(before)).isFalse();
  }

  /** A session of an older node, whose id has nothing of its key. */
  private String ofOlderNode(ApiKeys.Fresh key) {
    ApiKeys.Proof proof = keys.proof(key.text());
    String text =
        "1."
            + "0123456789abcdef".repeat(2)
            + "."
            + proof.id()
            + "."
            + HexFormat.of().formatHex(proof.sha256())
            + ("." + millis).repeat(2)
            + ".s";
    return text + "." + secret.signature("session\n" + text);
  }

  @Test
  void theSessionsOfOlderNodesEndAsWell() {
    String token = ofOlderNode(key());
    assertThat(lives(token)).isTrue();
    one.end(cookie(token));
    assertThat(lives(token)).isFalse();
  }

  @Test
  void nobodyMakesASignedOutSessionLiveAgain() {
    ApiKeys.Fresh operator = key();
    ApiKeys.Fresh tenant = keys.create("t", Set.of(Scope.READ), "alpha", 0);
    String signedOut = begin(operator);
    String other = begin(operator);
    String first = begin(tenant);
    String old = begin(tenant);
    String ofBeta = begin(keys.create("b", Set.of(Scope.READ), "beta", 0));
    one.end(cookie(signedOut));
    one.end(cookie(first));

    millis++;
    for (int i = 0; i < 10_000 + SignedSessions.MAX_ENDED; i++) {
      one.end(cookie(begin(tenant)));
    }

    assertThat(lives(signedOut)).as("the operator's that was signed out").isFalse();
    assertThat(lives(other)).as("the operator's that was not").isTrue();
    assertThat(lives(ofBeta)).as("another project's").isTrue();
    assertThat(lives(first)).as("the project's own that was signed out").isFalse();
    assertThat(lives(old)).as("the project's own from before").isFalse();
    millis++;
    assertThat(lives(begin(tenant))).as("a new one of the project").isTrue();
  }
}
