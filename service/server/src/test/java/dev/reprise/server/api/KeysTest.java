package dev.reprise.server.api;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import dev.reprise.delivery.catalog.ConflictException;
import dev.reprise.delivery.catalog.NotFoundException;
import dev.reprise.delivery.store.Batch;
import dev.reprise.delivery.store.RocksSettings;
import dev.reprise.delivery.store.RocksStore;
import dev.reprise.delivery.store.Store;
import dev.reprise.server.access.ApiKeys;
import dev.reprise.server.http.ApiException;
import dev.reprise.server.http.Caller;
import dev.reprise.server.http.Scope;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.security.MessageDigest;
import java.time.Duration;
import java.util.EnumSet;
import java.util.HexFormat;
import java.util.List;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Keys over time, on a clock of the test. */
@Tag("slow")
class KeysTest {
  private static final long DAY = TimeUnit.DAYS.toMillis(1);

  @TempDir Path folder;
  private final AtomicLong clock = new AtomicLong(1_700_000_000_000L);
  private RocksStore rocks;
  private Store store;
  private ApiKeys keys;

  @BeforeEach
  void open() {
    rocks = RocksStore.open(folder, RocksSettings.defaults());
    store = rocks.view(7);
    keys = new ApiKeys(store, false, clock::get);
  }

  @AfterEach
  void close() {
    rocks.close();
  }

  private static String bearer(ApiKeys.Fresh key) {
    return "Bearer " + key.text();
  }

  private void assertRefused(ApiKeys.Fresh key, String why) {
    assertThatExceptionOfType(ApiException.class)
        .isThrownBy(() -> keys.check(bearer(key)))
        .satisfies(e -> assertThat(e.error().status()).isEqualTo(401))
        .withMessageContaining(why);
  }

  @Test
  void aKeyIsGoodUntilItExpires() {
    ApiKeys.Fresh key = keys.create("ci", EnumSet.of(Scope.PUBLISH), "shop", clock.get() + DAY);
    clock.addAndGet(DAY - 1);
    Caller caller = keys.check(bearer(key));
    assertThat(caller.project()).isEqualTo("shop");
    assertThat(caller.scopes()).containsExactly(Scope.PUBLISH);
    assertThat(caller.isOperator()).isFalse();
    clock.incrementAndGet();
    assertRefused(key, "(ci) has expired at 2023-11-15T");
    keys = new ApiKeys(store, false, clock::get);
    assertRefused(key, "has expired");
  }

  @Test
  void aRotatedKeyIsGoodWithBothSecretsForAWhile() {
    ApiKeys.Fresh old = keys.createForOperator("a");
    ApiKeys.Fresh fresh = keys.rotate(old.id(), null, Duration.ofDays(1));
    assertThat(fresh.id()).isEqualTo(old.id());
    assertThat(fresh.text()).isNotEqualTo(old.text());
    clock.addAndGet(DAY - 1);
    keys = new ApiKeys(store, false, clock::get);
    assertThat(keys.check(bearer(old))).isEqualTo(keys.check(bearer(fresh)));
    clock.incrementAndGet();
    assertRefused(old, "not an API key");
    assertThat(keys.check(bearer(fresh)).name()).isEqualTo("a");

    // Rotated at once: the first of three secrets is worthless, whatever overlap it was given.
    ApiKeys.Fresh third = keys.rotate(old.id(), null, Duration.ofDays(1));
    ApiKeys.Fresh fourth = keys.rotate(old.id(), null, Duration.ZERO);
    assertRefused(fresh, "not an API key");
    assertRefused(third, "not an API key");
    assertThat(keys.check(bearer(fourth)).name()).isEqualTo("a");
  }

  @Test
  void theLastKeyThatIsForEverStays() {
    ApiKeys.Fresh last = keys.createForOperator("last");
    keys.create("short", Scope.ALL, null, clock.get() + DAY);
    keys.create("shop", Scope.ALL, "shop", 0);
    keys.create("reader", Set.of(Scope.READ), null, 0);
    assertThatExceptionOfType(ConflictException.class)
        .isThrownBy(() -> keys.revoke(last.id(), null))
        .withMessageContaining("create another one first");
    assertThat(keys.check(bearer(last)).isOperator()).isTrue();
    ApiKeys.Fresh other = keys.createForOperator("other");
    keys.revoke(last.id(), null);
    assertThat(keys.lacksOperator()).isFalse();
    assertRefused(last, "not an API key");
    assertThat(keys.check(bearer(other)).name()).isEqualTo("other");
  }

  @Test
  void keysOfAnotherProjectAreNotFound() {
    ApiKeys.Fresh key = keys.create("shop", Scope.ALL, "shop", 0);
    assertThatExceptionOfType(NotFoundException.class)
        .isThrownBy(() -> keys.revoke(key.id(), "other"));
    assertThatExceptionOfType(NotFoundException.class)
        .isThrownBy(() -> keys.rotate(key.id(), "other", Duration.ZERO));
    assertThat(keys.list("other")).isEmpty();
    assertThat(keys.list("shop")).hasSize(1);
    keys.revoke(key.id(), "shop");
  }

  @Test
  void lastUseIsKnownToTheMinuteAndStoredNowAndThen() {
    ApiKeys.Fresh key = keys.createForOperator("a");
    assertThat(lastUse()).isZero();
    keys.check(bearer(key));
    long minute = clock.get() - clock.get() % 60_000;
    assertThat(lastUse()).isEqualTo(minute);
    clock.addAndGet(59_999 - clock.get() % 60_000);
    keys.check(bearer(key));
    assertThat(lastUse()).isEqualTo(minute);
    keys.storeUses();
    clock.addAndGet(1);
    keys.check(bearer(key));
    assertThat(lastUse()).isEqualTo(minute + 60_000);
    keys = new ApiKeys(store, false, clock::get);
    assertThat(lastUse()).isEqualTo(minute);
    keys.rotate(key.id(), null, Duration.ZERO);
    assertThat(lastUse()).isEqualTo(minute);
  }

  private long lastUse() {
    return keys.list(null).get(0).lastUsedMillis();
  }

  @Test
  void aKeyOfAnEarlierVersionIsAnOperatorsThatMayDoEverything() throws Exception {
    String text = "rk_0123456789ab_" + "x".repeat(43);
    byte[] hash =
        MessageDigest.getInstance("SHA-256").digest(text.getBytes(StandardCharsets.UTF_8));
    Batch batch = new Batch();
    batch.put(
        "0123456789ab".getBytes(StandardCharsets.US_ASCII),
        ("{\"name\":\"old\",\"createdAt\":1,\"sha256\":\"" + HexFormat.of().formatHex(hash) + "\"}")
            .getBytes(StandardCharsets.UTF_8));
    store.write(batch);
    keys = new ApiKeys(store, false, clock::get);
    Caller caller = keys.check("Bearer " + text);
    assertThat(caller.isOperator()).isTrue();
    assertThat(caller.scopes()).containsExactlyInAnyOrderElementsOf(List.of(Scope.values()));
    assertThat(keys.lacksOperator()).isFalse();
  }
}
