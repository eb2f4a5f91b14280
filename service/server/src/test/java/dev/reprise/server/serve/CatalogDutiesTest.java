package dev.reprise.server.serve;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;

class CatalogDutiesTest {
  private final AtomicInteger done = new AtomicInteger();
  private boolean owner;
  private boolean fails;

  private final CatalogDuties duties =
      new CatalogDuties(
          () -> owner,
          () -> {
            if (fails) {
              throw new IllegalStateException("the catalog is written by another node just now");
            }
            done.incrementAndGet();
          });

  @Test
  void theyAreDoneEachTimeThatTheCatalogComesHere() {
    assertThat(duties.call()).isFalse();
    owner = true;
    assertThat(duties.call()).isTrue();
    assertThat(duties.call()).isTrue();
    assertThat(done).hasValue(1);
    owner = false;
    assertThat(duties.call()).isFalse();
    owner = true;
    assertThat(duties.call()).isTrue();
    assertThat(done).hasValue(2);
  }

  @Test
  void whatFailsIsDoneAtTheNextLook() {
    owner = true;
    fails = true;
    assertThat(duties.call()).isFalse();
    fails = false;
    assertThat(duties.call()).isTrue();
    assertThat(done).hasValue(1);
  }

  @Test
  void nothingIsDoneAfterTheEnd() {
    owner = true;
    duties.close();
    assertThat(duties.call()).isFalse();
    assertThat(done).hasValue(0);
  }
}
