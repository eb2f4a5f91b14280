package dev.reprise.device;

import static org.assertj.core.api.Assertions.assertThat;

import dev.reprise.core.retry.TimeSource;
import dev.reprise.device.message.MessageOutcome;
import dev.reprise.device.message.MessageOutcome.Kind;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;

class TellerTest {
  @Test
  void whatDependsOnOneStageMayWaitForAnotherOfTheSameTurn() throws Exception {
    Teller teller = new Teller(DeviceThreads.forBlocking(), TimeSource.system(), null, null);
    CompletableFuture<MessageOutcome> first = new CompletableFuture<>();
    CompletableFuture<MessageOutcome> second = new CompletableFuture<>();
    CompletableFuture<Void> dependent = first.thenAccept(outcome -> second.join());

    teller.outcome(first, new MessageOutcome("a", Kind.ACKNOWLEDGED, 1, null));
    teller.outcome(second, new MessageOutcome("b", Kind.ACKNOWLEDGED, 1, null));
    teller.endTurn();

    dependent.get(30, TimeUnit.SECONDS);
    assertThat(second).isCompleted();
  }
}
