package dev.reprise.server.access;

import static org.assertj.core.api.Assertions.assertThat;

import dev.reprise.delivery.store.RocksSettings;
import dev.reprise.delivery.store.RocksStore;
import dev.reprise.server.http.Scope;
import io.vertx.core.MultiMap;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The bounds of sessions, in time and in number. */
class BrowserSessionsTest {
  @TempDir Path folder;
  private RocksStore store;
  private long nanos;
  private long millis = 1_000_000;
  private ApiKeys keys;
  private BrowserSessions sessions;

  @BeforeEach
  void open() {
    store = RocksStore.open(folder, RocksSettings.defaults());
    keys = new ApiKeys(store.view(0), false, () -> millis);
    sessions = new BrowserSessions(keys, () -> nanos);
  }

  @AfterEach
  void close() {
    store.close();
  }

  private ApiKeys.Fresh key(long expiresAtMillis) {
    return keys.create("k", Set.of(Scope.READ), null, expiresAtMillis);
  }

  private String begin(ApiKeys.Fresh key) {
    return sessions.begin(keys.proof(key.text()), false);
  }

  private boolean lives(String token) {
    return sessions.find(cookie("a=b; reprise_session=" + token + "; c=d")) != null;
  }

  private static MultiMap cookie(String text) {
    return MultiMap.caseInsensitiveMultiMap().add("Cookie", text);
  }

  @Test
  void aSessionEndsWhenItIsNotUsed() {
    String token = begin(key(0));
    nanos += BrowserSessions.IDLE_NANOS - 1;
    assertThat(lives(token)).isTrue();
    nanos += BrowserSessions.IDLE_NANOS;
    assertThat(lives(token)).isFalse();
    nanos -= BrowserSessions.IDLE_NANOS;
    assertThat(lives(token)).as("it does not come back").isFalse();
  }

  @Test
  void aSessionEndsHoweverMuchItIsUsed() {
    String token = begin(key(0));
    for (int i = 0; i < 23; i++) {
      nanos += TimeUnit.MINUTES.toNanos(30);
      assertThat(lives(token)).isTrue();
    }
    nanos += TimeUnit.MINUTES.toNanos(30);
    assertThat(lives(token)).isFalse();
  }

  @Test
  void aSessionEndsWithItsKey() {
    String expiring = begin(key(millis + 1000));
    ApiKeys.Fresh rotated = key(0);
    String before = begin(rotated);
    millis += 999;
    assertThat(lives(expiring)).isTrue();
    millis++;
    assertThat(lives(expiring)).isFalse();

    keys.rotate(rotated.id(), null, Duration.ofSeconds(5));
    assertThat(lives(before)).isTrue();
    millis += 5000;
    assertThat(lives(before)).isFalse();
  }

  @Test
  void oneKeyDoesNotEndTheSessionsOfOthers() {
    String other = begin(key(0));
    ApiKeys.Fresh greedy = key(0);
    List<String> own = new ArrayList<>();
    for (int i = 0; i < BrowserSessions.MAX_SESSIONS + 1; i++) {
      own.add(begin(greedy));
    }

    assertThat(lives(other)).isTrue();
    assertThat(own.stream().filter(this::lives)).hasSize(BrowserSessions.MAX_SESSIONS_OF_KEY);
    assertThat(lives(own.get(own.size() - 1))).isTrue();
  }

  @Test
  void thereAreNoMoreThanTheMost() {
    List<String> all = new ArrayList<>();
    for (int i = 0; i < BrowserSessions.MAX_SESSIONS + 10; i++) {
      all.add(begin(key(0)));
    }
    assertThat(all.stream().filter(this::lives)).hasSize(BrowserSessions.MAX_SESSIONS);
    assertThat(lives(all.get(0))).isFalse();
  }

  @Test
  void nothingButItsTokenIsASession() {
    String token = begin(key(0));
    for (String wrong :
        List.of("", token.substring(1), token + "A", token.toLowerCase(Locale.ROOT))) {
      assertThat(lives(wrong)).as(wrong).isFalse();
    }
    assertThat(sessions.find(cookie("reprise_session2=" + token))).isNull();
    assertThat(sessions.find(cookie("xreprise_session=" + token))).isNull();
    assertThat(sessions.find(MultiMap.caseInsensitiveMultiMap())).isNull();
  }
}
