package dev.reprise.server.api;

import static java.nio.charset.StandardCharsets.US_ASCII;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.reprise.server.http.ApiException;
import dev.reprise.server.http.Caller;
import dev.reprise.server.http.EventSource;
import dev.reprise.server.http.Scope;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;

/** The bounds of streams, by key, by project and in all. */
class OverviewStreamsTest {
  private static final byte[] FIGURES = "{}".getBytes(US_ASCII);

  private long nanos;
  private final OverviewStreams streams = new OverviewStreams(project -> FIGURES, () -> nanos);

  private static final class Client implements EventSource.Listening {
    int events;
    boolean ended;
    boolean gone;

    @Override
    public void send(byte[] data) {
      events++;
    }

    @Override
    public void end() {
      ended = true;
    }

    @Override
    public boolean gone() {
      return gone;
    }
  }

  private static Caller caller(String key, String project) {
    return new Caller(key, "k", Set.of(Scope.READ), project, 0);
  }

  private EventSource open(Caller caller) {
    return streams.open(null, caller, () -> true, 1000);
  }

  private Client listen(Caller caller) {
    Client client = new Client();
    open(caller).start(client);
    return client;
  }

  /** Opens streams until one is refused, with this message. */
  private int openAll(String key, String project, String refusal) {
    for (int i = 0; i <= OverviewStreams.MAX_STREAMS; i++) {
      try {
        open(caller(key, project));
      } catch (ApiException e) {
        assertThat(e.error().status()).isEqualTo(503);
        assertThat(e).hasMessageContaining(refusal).hasMessageContaining("/v1/overview instead");
        return i;
      }
    }
    throw new AssertionError("none was refused");
  }

  @Test
  void aKeyAProjectAndAllProjectsHaveTheirBounds() {
    assertThat(openAll("a1", "alpha", "key 'a1' (k) has 25 streams already, the most of a key"))
        .isEqualTo(OverviewStreams.MAX_OF_KEY);
    int rest = openAll("a2", "alpha", "project 'alpha' has 40 streams already");
    assertThat(OverviewStreams.MAX_OF_KEY + rest).isEqualTo(OverviewStreams.MAX_OF_PROJECT);

    int ofProjects = OverviewStreams.MAX_OF_PROJECT;
    for (int i = 0; ofProjects < OverviewStreams.MAX_OF_PROJECTS; i++) {
      ofProjects += openAll("k" + i, "p" + i, "already");
    }
    assertThat(ofProjects).isEqualTo(OverviewStreams.MAX_OF_PROJECTS);
    assertThat(openAll("late", "late", "150 streams already, the most of all projects")).isZero();

    assertThat(openAll("o1", null, "the most of a key")).isEqualTo(OverviewStreams.MAX_OF_KEY);
    assertThat(openAll("o2", null, "the most of a key")).isEqualTo(OverviewStreams.MAX_OF_KEY);
    assertThat(openAll("o3", null, "there are 200 streams already, the most of all")).isZero();
  }

  @Test
  void theBoundHoldsWhenManyAskAtOnce() throws InterruptedException {
    CountDownLatch go = new CountDownLatch(1);
    AtomicInteger opened = new AtomicInteger();
    List<Thread> threads = new ArrayList<>();
    for (int i = 0; i < 8; i++) {
      Thread thread =
          new Thread(
              () -> {
                try {
                  go.await();
                } catch (InterruptedException e) {
                  return;
                }
                for (int tries = 0; tries < OverviewStreams.MAX_OF_KEY; tries++) {
                  try {
                    open(caller("a", "alpha"));
                    opened.incrementAndGet();
                  } catch (ApiException full) {
                    // As it must be for most.
                  }
                }
              });
      thread.start();
      threads.add(thread);
    }
    go.countDown();
    for (Thread thread : threads) {
      thread.join();
    }
    assertThat(opened.get()).isEqualTo(OverviewStreams.MAX_OF_KEY);
  }

  @Test
  void aPlaceIsFreeAgainHoweverItsStreamEnds() {
    Caller caller = caller("a", "alpha");
    EventSource dropped = open(caller);
    Client gone = listen(caller);
    Client single = new Client();
    streams.open(null, caller, () -> true, 1).start(single);
    assertThat(single.ended).as("after its only event").isTrue();
    assertThat(openAll("a", "alpha", "the most of a key"))
        .isEqualTo(OverviewStreams.MAX_OF_KEY - 2);

    dropped.drop();
    gone.gone = true;
    streams.tick();
    assertThat(openAll("a", "alpha", "the most of a key")).isEqualTo(2);

    // None of these has begun, and nobody has dropped them.
    nanos += TimeUnit.MINUTES.toNanos(1);
    streams.tick();
    assertThat(openAll("a", "alpha", "the most of a key")).isEqualTo(OverviewStreams.MAX_OF_KEY);
  }

  @Test
  void aStreamThatBeginsTooLateEndsAtOnce() {
    EventSource late = open(caller("a", null));
    streams.close();
    Client client = new Client();
    late.start(client);
    assertThat(client.ended).isTrue();
    assertThatThrownBy(() -> open(caller("a", null))).hasMessageContaining("stopping");
  }

  @Test
  void aStreamEndsWithItsKey() {
    boolean[] admitted = {true};
    Client client = new Client();
    streams.open(null, caller("a", "alpha"), () -> admitted[0], 1000).start(client);
    Client other = listen(caller("b", "alpha"));
    streams.tick();
    admitted[0] = false;
    streams.tick();
    assertThat(client.ended).isTrue();
    assertThat(client.events).isEqualTo(2);
    assertThat(other.ended).isFalse();
    assertThat(other.events).isEqualTo(3);
  }
}
