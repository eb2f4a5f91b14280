package dev.reprise.server.peer;

import static org.assertj.core.api.Assertions.assertThat;

import dev.reprise.delivery.store.RocksSettings;
import dev.reprise.delivery.store.RocksStore;
import java.nio.file.Path;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class PeerSecretTest {
  @TempDir Path folder;
  private RocksStore store;
  private long millis = 1_000_000;
  private PeerSecret secret;

  @BeforeEach
  void open() {
    store = RocksStore.open(folder, RocksSettings.defaults().withReserveBytes(0));
    secret = new PeerSecret(store.view(0), () -> millis);
  }

  @AfterEach
  void close() {
    store.close();
  }

  @Test
  void aTokenIsGoodForItsRequestAlone() {
    secret.make();
    String token = secret.sign("0123456789ab", "2001:db8::1", "POST", "/v1/x?a=b");

    assertThat(secret.verify(token, "POST", "/v1/x?a=b"))
        .isEqualTo(new PeerSecret.Sender("0123456789ab", "2001:db8::1"));
    assertThat(secret.verify(token, "PUT", "/v1/x?a=b")).isNull();
    assertThat(secret.verify(token, "POST", "/v1/x")).isNull();
    assertThat(secret.verify(token.replace("0123456789ab", "ba9876543210"), "POST", "/v1/x?a=b"))
        .isNull();
    assertThat(secret.verify(token + "0", "POST", "/v1/x?a=b")).isNull();
    for (String damaged : new String[] {"", ".", "...", "1.2.3.4", "x" + token, "-" + token}) {
      assertThat(secret.verify(damaged, "POST", "/v1/x?a=b")).as(damaged).isNull();
    }
  }

  @Test
  void aTokenIsGoodForHalfAMinute() {
    secret.make();
    String token = secret.sign("", "", "POST", "/v1/peer");
    PeerSecret.Sender node = secret.verify(token, "POST", "/v1/peer");
    assertThat(node).isNotNull();
    assertThat(node.isNode()).isTrue();
    millis += 30_001;
    assertThat(secret.verify(token, "POST", "/v1/peer")).isNull();
    millis -= 60_002;
    assertThat(secret.verify(token, "POST", "/v1/peer")).as("of a clock ahead").isNull();
  }

  @Test
  void onlyTheNodesOfOneClusterHaveIt() {
    assertThat(secret.exists()).isFalse();
    secret.make();
    String token = secret.sign("", "", "POST", "/v1/peer");
    secret.make();
    assertThat(secret.verify(token, "POST", "/v1/peer")).as("it is made once").isNotNull();

    PeerSecret other = new PeerSecret(store.view(1), () -> millis);
    assertThat(other.verify(token, "POST", "/v1/peer")).as("it has none yet").isNull();
    other.make();
    assertThat(other.verify(token, "POST", "/v1/peer")).isNull();
  }
}
