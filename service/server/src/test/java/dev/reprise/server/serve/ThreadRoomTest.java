package dev.reprise.server.serve;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

class ThreadRoomTest {
  private final List<Thread> made = new ArrayList<>();

  private Thread made(Runnable running) {
    Thread thread = new Thread(running);
    made.add(thread);
    return thread;
  }

  @Test
  void threadsThatWereAskedForHaveEnded() {
    ThreadRoom.check(5, this::made);

    assertThat(made).hasSize(5).noneMatch(Thread::isAlive);
  }

  @Test
  void aThreadThatTheSystemRefusesEndsTheOthersAndIsSaid() {
    OutOfMemoryError refused = new OutOfMemoryError("unable to create native thread");

    assertThatExceptionOfType(OutOfMemoryError.class)
        .isThrownBy(
            () ->
                ThreadRoom.check(
                    5,
                    running -> {
                      if (made.size() == 3) {
                        throw refused;
                      }
                      return made(running);
                    }))
        .isSameAs(refused);
    assertThat(made).hasSize(3).noneMatch(Thread::isAlive);
  }
}
