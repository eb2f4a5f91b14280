package dev.reprise.server.api;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import dev.reprise.delivery.MessageId;
import dev.reprise.delivery.engine.PublishReceipt;
import dev.reprise.server.http.Answer;
import dev.reprise.server.http.ApiError;
import dev.reprise.server.http.ApiException;
import dev.reprise.server.publish.BulkPublish;
import dev.reprise.server.publish.BulkQueue;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.Test;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

/** Requests of many lines: their turns, and what is answered. */
class BulkTest {
  private static final PublishReceipt RECEIPT =
      new PublishReceipt(MessageId.parse("01934c5e-7b2a-7c3d-8e4f-5a6b7c8d9e0f"), 3, false);

  private final List<String> begun = new ArrayList<>();

  @Test
  void requestsBeginInOrderAsRoomAllows() {
    BulkQueue queue = new BulkQueue(100, 2, Runnable::run);
    queue.run(60, () -> begun.add("a"));
    queue.run(50, () -> begun.add("b"));
    // It would fit, but others were first.
    queue.run(10, () -> begun.add("c"));
    assertThat(begun).containsExactly("a");
    assertThatExceptionOfType(ApiException.class)
        .isThrownBy(() -> queue.run(1, () -> begun.add("d")))
        .satisfies(
            e -> {
              assertThat(e.error().status()).isEqualTo(503);
              assertThat(e.error().headers()).containsEntry("Retry-After", "1");
            });
    queue.done(60);
    assertThat(begun).containsExactly("a", "b", "c");
    assertThat(queue.inWork()).isEqualTo(60);
    queue.done(50);
    queue.done(10);
    assertThat(queue.inWork()).isZero();
    assertThat(queue.waiting()).isZero();
  }

  @Test
  void requestLargerThanTheBudgetGoesAlone() {
    BulkQueue queue = new BulkQueue(100, 2, Runnable::run);
    queue.run(1000, () -> begun.add("large"));
    queue.run(1, () -> begun.add("small"));
    assertThat(begun).containsExactly("large");
    queue.done(1000);
    assertThat(begun).containsExactly("large", "small");
  }

  private static Answer answer(Object... lines) {
    CompletableFuture<Answer> answer = new CompletableFuture<>();
    BulkPublish publish = new BulkPublish(lines.length, answer);
    for (int i = lines.length - 1; i >= 0; i--) {
      assertThat(answer).isNotDone();
      if (lines[i] instanceof ApiError error) {
        publish.refused(i, error);
      } else {
        publish.accepted(i, (PublishReceipt) lines[i]);
      }
    }
    return answer.join();
  }

  private static JsonNode json(Answer answer) {
    return JsonMapper.shared().readTree(new String(answer.body(), UTF_8));
  }

  @Test
  void whatIsAcceptedInPartIsAccepted() {
    Answer answer = answer(ApiError.of(400, "invalid", "no"), RECEIPT);
    assertThat(answer.status()).isEqualTo(202);
    assertThat(answer.mustArrive()).isTrue();
    assertThat(json(answer))
        .hasToString(
            "{\"items\":[{\"error\":{\"code\":\"invalid\",\"message\":\"no\"}},"
                + "{\"messageId\":\"01934c5e-7b2a-7c3d-8e4f-5a6b7c8d9e0f\",\"deliveries\":3,"
                + "\"repeated\":false}]}");
  }

  @Test
  void whatIsRefusedAsAWholeIsNoSuccess() {
    ApiError invalid = ApiError.of(400, "invalid", "no");
    ApiError large = ApiError.of(413, "too_large", "no");
    ApiError full = ApiError.of(507, "storage_full", "full");
    ApiError busy = ApiError.of(503, "overloaded", "busy").withHeader("Retry-After", "1");
    assertThat(answer(invalid, invalid).status()).isEqualTo(400);
    assertThat(answer(large).status()).isEqualTo(413);
    assertThat(answer(large, invalid).status()).isEqualTo(400);
    assertThat(answer(full, full).status()).isEqualTo(507);
    Answer answer = answer(invalid, busy, full);
    assertThat(answer.status()).isEqualTo(503);
    assertThat(answer.headers()).containsEntry("Retry-After", "1");
    assertThat(json(answer).at("/error/code").asString()).isEqualTo("overloaded");
    assertThat(json(answer).at("/error/message").asString())
        .isEqualTo("none of the 3 lines was accepted; the first: no");
    assertThat(json(answer).get("items")).hasSize(3);
  }
}
