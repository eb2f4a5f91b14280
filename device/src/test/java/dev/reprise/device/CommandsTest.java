package dev.reprise.device;

import static dev.reprise.device.ConnectionState.CONNECTED;
import static java.time.Duration.ofSeconds;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.reprise.device.message.Command;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

/** Commands over a transport whose every move is made here, in virtual time. */
class CommandsTest extends ScriptedDevice {
  @Test
  void commandsAreAskedForAgainAfterEachReconnect() throws Exception {
    List<Boolean> replies = new ArrayList<>();
    DeviceClient client = connected();
    CompletableFuture<@Nullable Void> granted =
        client
            .subscribe(
                command -> {
                  if (command.id().equals("bad")) {
                    throw new IOException("not today");
                  }
                })
            .toCompletableFuture();
    settle();
    assertThat(transport.last().subscriptions).isEqualTo(1);
    assertThat(granted).isNotDone();
    transport.last().listener.onSubscribed(null);
    settle();
    assertThat(granted).isCompleted();
    transport
        .last()
        .listener
        .onCommand(new Command("c", "good", new byte[0], Map.of()), replies::add);
    transport
        .last()
        .listener
        .onCommand(new Command("c", "bad", new byte[0], Map.of()), replies::add);
    settle();
    assertThat(replies).containsExactly(true, false);

    transport.last().lose(lost);
    time.advance(ofSeconds(1));
    assertThat(transport.last().request.receivesCommands()).isTrue();
  }

  @Test
  void commandsThatAreWantedWhileConnectingAreAskedForWhenReady() throws Exception {
    DeviceClient client = client(builder -> builder);
    client.open();
    settle();
    CompletableFuture<@Nullable Void> granted =
        client.subscribe(command -> {}).toCompletableFuture();
    settle();
    assertThat(transport.last().request.receivesCommands()).isFalse();
    transport.last().ready();
    settle();
    assertThat(transport.last().subscriptions).isEqualTo(1);
    assertThat(granted).isNotDone();
    transport.last().listener.onSubscribed(null);
    settle();
    assertThat(granted).isCompleted();
  }

  @Test
  void refusedCommandsAreAskedForAgainWithTheNextConnection() throws Exception {
    DeviceClient client = connected();
    CompletableFuture<@Nullable Void> granted =
        client.subscribe(command -> {}).toCompletableFuture();
    settle();
    transport.last().listener.onSubscribed(tooLarge);
    settle();
    assertThatThrownBy(granted::join).hasCause(tooLarge);
    assertThat(client.status().state()).isEqualTo(CONNECTED);
    transport.last().lose(lost);
    time.advance(ofSeconds(1));
    assertThat(transport.last().request.receivesCommands()).isTrue();
  }

  @Test
  void whoWaitsForCommandsIsToldWhenTheClientGivesUp() throws Exception {
    DeviceClient client = client(builder -> builder);
    CompletableFuture<@Nullable Void> granted =
        client.subscribe(command -> {}).toCompletableFuture();
    client.open();
    settle();
    transport.last().lose(refusedPassword);
    settle();
    assertThatThrownBy(granted::join).hasCause(refusedPassword);
  }
}
