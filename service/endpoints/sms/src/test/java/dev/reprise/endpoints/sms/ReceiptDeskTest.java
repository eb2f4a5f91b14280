package dev.reprise.endpoints.sms;

import static org.assertj.core.api.Assertions.assertThat;

import dev.reprise.delivery.carrier.Receipt;
import dev.reprise.endpoints.fixtures.TestContext;
import dev.reprise.fixtures.Await;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import org.junit.jupiter.api.Test;

class ReceiptDeskTest {
  private static Receipt receipt(String id) {
    return new Receipt(id, true, 2, "DELIVRD");
  }

  @Test
  void aReceiptWaitsForThoseThatWereUnderWay() throws Exception {
    TestContext context = new TestContext(10);
    try (ReceiptDesk desk = new ReceiptDesk(context, "test")) {
      long first = desk.began();
      long second = desk.began();
      List<Boolean> answers = new ArrayList<>();
      desk.take(receipt("a"), "a", answers::add);
      // The SMS centre need not wait with it.
      assertThat(answers).containsExactly(true);
      long third = desk.began();
      desk.ended(second, List.of("b"));
      assertThat(context.receiptsLeft()).isZero();
      desk.ended(first, List.of("a"));

      assertThat(context.awaitReceipt().id()).isEqualTo("a");
      desk.ended(third, List.of());
    }
  }

  @Test
  void aReceiptOfAnAttemptThatHasEndedDoesNotWait() throws Exception {
    TestContext context = new TestContext(10);
    try (ReceiptDesk desk = new ReceiptDesk(context, "test")) {
      desk.ended(desk.began(), List.of("a"));
      desk.began();
      desk.take(receipt("a"), "a", taken -> {});
      assertThat(context.awaitReceipt().id()).isEqualTo("a");
      desk.take(receipt("other form"), "a", taken -> {});
      assertThat(context.awaitReceipt().id()).isEqualTo("a");
    }
  }

  @Test
  void theOldestGoesOnWhenTooManyWait() throws Exception {
    TestContext context = new TestContext(10);
    try (ReceiptDesk desk = new ReceiptDesk(context, "test")) {
      desk.began();
      for (int i = 0; i < 10_001; i++) {
        desk.take(receipt("id" + i), "", taken -> {});
      }
      assertThat(context.awaitReceipt().id()).isEqualTo("id0");
      assertThat(context.receiptsLeft()).isZero();
    }
  }

  @Test
  void theOtherSideIsAskedToComeAgainWhenNothingMoves() throws Exception {
    BlockedContext context = new BlockedContext();
    List<Boolean> answers = Collections.synchronizedList(new ArrayList<>());
    try (ReceiptDesk desk = new ReceiptDesk(context, "test")) {
      for (int i = 0; i < 1_100; i++) {
        desk.take(receipt("id" + i), "", answers::add);
      }
      assertThat(answers).hasSizeBetween(90, 100).containsOnly(false);
      context.goOn.countDown();
      Await.until("all are answered", () -> answers.size() == 1_100);
    }
    assertThat(context.received.get()).isEqualTo(Collections.frequency(answers, true));
  }
}
