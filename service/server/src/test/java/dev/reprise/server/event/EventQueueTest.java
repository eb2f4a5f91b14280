package dev.reprise.server.event;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

/** Events that nobody publishes yet. */
class EventQueueTest {
  private final List<OperatorEvent.Type> told = new ArrayList<>();
  private final List<OperatorEvent.Type> dropped = new ArrayList<>();

  @Test
  void whatFindsNoRoomIsDroppedAndCounted() {
    OperatorEvents.Counts counts =
        new OperatorEvents.Counts() {
          @Override
          public void told(OperatorEvent.Type type) {
            told.add(type);
          }

          @Override
          public void dropped(OperatorEvent.Type type) {
            dropped.add(type);
          }
        };
    try (OperatorEvents events = new OperatorEvents(counts)) {
      for (int i = 0; i < OperatorEvents.MAX_WAITING + 3; i++) {
        events.tell(OperatorEvent.SecretRotated.ofKey(null, "k"));
      }
      assertThat(told).hasSize(OperatorEvents.MAX_WAITING);
      assertThat(dropped).hasSize(3).containsOnly(OperatorEvent.Type.SECRET_ROTATED);
    }
  }
}
