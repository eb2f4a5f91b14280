package dev.reprise.lab.calls;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import org.junit.jupiter.api.Test;

class LayerCallTest {
  @Test
  void noTwoCallsHaveTheSameRandomness() {
    List<Long> asking = new ArrayList<>();
    for (long call = 0; call < 1_000; call++) {
      asking.add(call);
    }
    Set<Long> ids = new HashSet<>(asking);
    int made = asking.size();
    for (int layer = 0; layer < 3; layer++) {
      List<Long> asked = new ArrayList<>();
      for (long id : asking) {
        for (int attempt = 1; attempt <= 5; attempt++) {
          asked.add(LayerCall.idOf(id, attempt));
        }
      }
      ids.addAll(asked);
      made += asked.size();
      asking = asked;
    }
    assertThat(ids.size()).isEqualTo(made);
  }
}
