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
    for (int i = 0; i < BrowserSessions.MAX_SESSIONS_OF_OWNER + 1; i++) {
      own.add(begin(greedy));
    }

    assertThat(lives(other)).isTrue();
    assertThat(own.stream().filter(this::lives)).hasSize(BrowserSessions.MAX_SESSIONS_OF_KEY);
    assertThat(lives(own.get(own.size() - 1))).isTrue();
  }

  private ApiKeys.Fresh keyOf(String project) {
    return keys.create("k", Set.of(Scope.MANAGE), project, 0);
  }

  /** Signs in with many keys of a project, as often as each may, until there are so many. */
  private List<String> flood(String project, int signIns) {
    List<String> tokens = new ArrayList<>();
    while (tokens.size() < signIns) {
      ApiKeys.Fresh key = keyOf(project);
      for (int i = 0; i < BrowserSessions.MAX_SESSIONS_OF_KEY; i++) {
        tokens.add(begin(key));
      }
    }
    return tokens;
  }

  private long living(List<String> tokens) {
    return tokens.stream().filter(this::lives).count();
  }

  @Test
  void aProjectWithManyKeysEndsNoSessionsButItsOwn() {
    String operator = begin(key(0));
    String other = begin(keyOf("beta"));

    List<String> greedy = flood("alpha", BrowserSessions.MAX_SESSIONS_OF_PROJECTS + 100);

    assertThat(lives(operator)).as("the operator's").isTrue();
    assertThat(lives(other)).as("another project's").isTrue();
    assertThat(living(greedy)).isEqualTo(BrowserSessions.MAX_SESSIONS_OF_OWNER);
    assertThat(lives(greedy.get(greedy.size() - 1))).as("its newest").isTrue();
  }

  @Test
  void operatorsEndNoSessionsOfProjects() {
    String other = begin(keyOf("beta"));
    assertThat(living(flood(null, BrowserSessions.MAX_SESSIONS_OF_OWNER + 100)))
        .isEqualTo(BrowserSessions.MAX_SESSIONS_OF_OWNER);
    assertThat(lives(other)).isTrue();
  }

  @Test
  void whereAllIsFullTheProjectWithTheMostGivesWay() {
    String operator = begin(key(0));
    String small = begin(keyOf("small"));
    List<String> all = new ArrayList<>(List.of(operator, small));
    int projects =
        BrowserSessions.MAX_SESSIONS_OF_PROJECTS / BrowserSessions.MAX_SESSIONS_OF_OWNER + 1;
    for (int i = 0; i < projects; i++) {
      all.addAll(flood("greedy-" + i, BrowserSessions.MAX_SESSIONS_OF_OWNER));
    }
    String late = begin(keyOf("late"));
    all.add(late);

    assertThat(lives(operator)).as("the operator's").isTrue();
    assertThat(lives(small)).as("a small project's").isTrue();
    assertThat(lives(late)).as("a late project's").isTrue();
    assertThat(living(all)).isEqualTo(BrowserSessions.MAX_SESSIONS_OF_PROJECTS + 1);
  }

  @Test
  void sessionsThatAreOverGiveWayBeforeOthers() {
    int projects = BrowserSessions.MAX_SESSIONS_OF_PROJECTS / BrowserSessions.MAX_SESSIONS_OF_OWNER;
    for (int i = 1; i < projects; i++) {
      flood("old-" + i, BrowserSessions.MAX_SESSIONS_OF_OWNER);
    }
    nanos += BrowserSessions.IDLE_NANOS;
    List<String> alive = flood("alpha", BrowserSessions.MAX_SESSIONS_OF_OWNER);
    alive.add(begin(keyOf("beta")));
    assertThat(living(alive)).isEqualTo(alive.size());
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
