package dev.reprise.server.serve;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.reprise.delivery.store.Batch;
import dev.reprise.delivery.store.RocksSettings;
import dev.reprise.delivery.store.RocksStore;
import dev.reprise.delivery.store.Store;
import dev.reprise.delivery.store.StoreException;
import dev.reprise.server.peer.PeerSecret;
import java.nio.file.Path;
import java.time.Duration;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** What a node does at its start until the catalog of its cluster is there. */
class CatalogWaitTest {
  @TempDir Path folder;
  private RocksStore rocks;
  private int refusals;

  @BeforeEach
  void open() {
    rocks = RocksStore.open(folder, RocksSettings.defaults().withReserveBytes(0));
  }

  @AfterEach
  void close() {
    rocks.close();
  }

  @Test
  void aCatalogThatIsLostWhileItIsWrittenIsWaitedForAgain() {
    refusals = 1;
    PeerSecret secret = new PeerSecret(new Refusing(rocks.view(0)), () -> 0);

    Service.awaitCatalog(() -> true, secret, Duration.ofMinutes(1));

    assertThat(secret.exists()).isTrue();
  }

  @Test
  void aCatalogThatTakesNothingIsNamedWithItsReason() {
    refusals = Integer.MAX_VALUE;
    PeerSecret secret = new PeerSecret(new Refusing(rocks.view(0)), () -> 0);

    assertThatThrownBy(() -> Service.awaitCatalog(() -> true, secret, Duration.ofMillis(50)))
        .isInstanceOf(StartException.class)
        .hasMessageContaining("catalog-0 cannot be written: fenced");
  }

  @Test
  void aNodeThatDoesNotOwnTheCatalogWritesNothing() {
    PeerSecret secret = new PeerSecret(rocks.view(0), () -> 0);

    assertThatThrownBy(() -> Service.awaitCatalog(() -> false, secret, Duration.ZERO))
        .isInstanceOf(StartException.class)
        .hasMessageContaining("the group does not agree");
    assertThat(secret.exists()).isFalse();
  }

  /** Another node owns it as often as {@code refusals} says. */
  private final class Refusing implements Store {
    private final Store store;

    Refusing(Store store) {
      this.store = store;
    }

    @Override
    public byte @Nullable [] get(byte[] key) {
      return store.get(key);
    }

    @Override
    public Cursor range(byte[] from, byte[] to) {
      return store.range(from, to);
    }

    @Override
    public Cursor reverseRange(byte[] from, byte[] to) {
      return store.reverseRange(from, to);
    }

    @Override
    public void write(Batch batch) {
      if (refusals-- > 0) {
        throw StoreException.lost("catalog-0 cannot be written: fenced", null);
      }
      store.write(batch);
    }

    @Override
    public void close() {
      store.close();
    }
  }
}
