package dev.reprise.server.api;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import dev.reprise.policy.document.Violation;
import dev.reprise.server.http.ApiError;
import dev.reprise.server.http.ApiException;
import dev.reprise.server.http.EventLoopQueue;
import dev.reprise.server.http.RequestFields;
import dev.reprise.server.http.StrictJson;
import dev.reprise.server.publish.MessageReader;
import io.vertx.core.Vertx;
import java.util.Arrays;
import java.util.Collections;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

/** What a request or a mistake may cost at the most. */
class LimitsTest {
  private static ApiError refusal(Runnable work) {
    return assertThatExceptionOfType(ApiException.class).isThrownBy(work::run).actual().error();
  }

  @Test
  void linesAreCountedNoFurtherThanNeeded() {
    byte[] lines = new byte[PublishOperations.MAX_LINES_BYTES];
    Arrays.fill(lines, (byte) '\n');
    lines[lines.length - 1] = 'x';
    assertThat(refusal(() -> PublishOperations.lines(lines)).message())
        .contains("more than 1000 lines");
    assertThat(refusal(() -> PublishOperations.lines("\n\n".getBytes(UTF_8))).message())
        .contains("0 lines");
    assertThat(PublishOperations.lines("x\n".repeat(1000).getBytes(UTF_8))).hasSize(1000);
    assertThat(PublishOperations.lines("x\n\ny".getBytes(UTF_8))).hasSize(3);
  }

  @Test
  void violationsEndAtTwenty() {
    String fields =
        IntStream.range(0, 5000)
            .mapToObj(i -> "\"f" + i + "\":1")
            .collect(Collectors.joining(",", "{", "}"));
    byte[] json = fields.getBytes(UTF_8);
    for (ApiError error :
        List.of(
            refusal(() -> MessageReader.read(json, 0, json.length, false)),
            refusal(() -> RequestFields.check(StrictJson.read(json), "body", List.of("a"))),
            ApiError.invalid(Collections.nCopies(21, new Violation("f", "1", "must be 2"))))) {
      assertThat(error.violations()).hasSize(20);
      assertThat(error.message()).startsWith("more than 20 rules are broken; the first: f");
    }
    assertThat(ApiError.invalid(Collections.nCopies(20, new Violation("f", "1", "r"))).message())
        .startsWith("20 rules");
  }

  @Test
  void workThatFailsKeepsNoOtherBack() throws InterruptedException {
    Vertx vertx = Vertx.vertx();
    try {
      EventLoopQueue queue = new EventLoopQueue(vertx.getOrCreateContext());
      CountDownLatch done = new CountDownLatch(1);
      CountDownLatch added = new CountDownLatch(1);
      queue.run(
          () -> {
            try {
              added.await();
            } catch (InterruptedException e) {
              Thread.currentThread().interrupt();
            }
            throw new IllegalStateException("on purpose");
          });
      queue.run(done::countDown);
      added.countDown();
      assertThat(done.await(300, TimeUnit.SECONDS)).isTrue();
    } finally {
      vertx.close().await();
    }
  }

  @Test
  void answerIsAskedForAnewWhenItIsOld() {
    AtomicLong now = new AtomicLong();
    AtomicInteger asked = new AtomicInteger();
    Remembered<Integer> answer = new Remembered<>(asked::incrementAndGet, 1000, now::get);
    assertThat(answer.get()).isEqualTo(1);
    now.set(999);
    assertThat(answer.get()).isEqualTo(1);
    now.set(1000);
    assertThat(answer.get()).isEqualTo(2);
  }
}
