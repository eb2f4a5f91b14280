package dev.reprise.device;

import static java.time.Duration.ofHours;
import static java.time.Duration.ofSeconds;
import static org.assertj.core.api.Assertions.assertThat;

import dev.reprise.device.credential.Credential;
import dev.reprise.device.credential.CredentialSupplier;
import dev.reprise.device.error.DeviceErrors;
import dev.reprise.device.error.ErrorDetails;
import dev.reprise.device.error.TransportException;
import dev.reprise.device.hub.HubProfile;
import dev.reprise.device.message.Message;
import dev.reprise.device.message.MessageOutcome;
import dev.reprise.device.message.NotDeliveredException;
import dev.reprise.device.retry.RetryPolicies;
import dev.reprise.device.retry.RetryPolicy;
import dev.reprise.testkit.SeededRandom;
import dev.reprise.testkit.VirtualTime;
import java.io.IOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ExecutionException;
import java.util.function.UnaryOperator;

/** The client over a transport whose every move a test makes, in virtual time. */
abstract class ScriptedDevice {
  final TransportException lost = DeviceErrors.exception("network", "connection-reset");
  final TransportException refusedPassword = DeviceErrors.exception("mqtt3-connack", "4");
  final TransportException busy = DeviceErrors.exception("http", "503");
  final TransportException tooLarge = DeviceErrors.exception("http", "413");

  final VirtualTime time = new VirtualTime();
  final ScriptedTransport transport = new ScriptedTransport();
  final List<ConnectionStatus> statuses = new ArrayList<>();
  final List<MessageOutcome> outcomes = new ArrayList<>();
  int tokens;
  CredentialSupplier credentials = CredentialSupplier.none();
  RetryPolicy hubPolicy = RetryPolicies.fixed(ofSeconds(1));

  DeviceClient client(UnaryOperator<DeviceClientBuilder> settings) throws IOException {
    DeviceClientBuilder builder =
        DeviceClient.builder(new HubProfile("test", transport, credentials, hubPolicy))
            .time(time, time.executor())
            .callbackExecutor(time.executor())
            .random(SeededRandom.of(1))
            .firstReconnectSpread(Duration.ZERO)
            .onStatus((status, previous) -> statuses.add(status))
            .onOutcome(outcomes::add);
    return settings.apply(builder).build();
  }

  DeviceClient connected(UnaryOperator<DeviceClientBuilder> settings) throws IOException {
    DeviceClient client = client(settings);
    client.open();
    settle();
    transport.last().ready();
    settle();
    return client;
  }

  DeviceClient connected() throws IOException {
    return connected(builder -> builder);
  }

  /** Runs what is due now. */
  void settle() {
    time.advance(Duration.ZERO);
  }

  void close(DeviceClient client) {
    // The loop only runs when time is moved, which is not while close() waits.
    Thread.currentThread().interrupt();
    client.close();
    assertThat(Thread.interrupted()).isTrue();
    settle();
  }

  List<CompletableFuture<MessageOutcome>> send(DeviceClient client, String... ids) {
    List<CompletableFuture<MessageOutcome>> stages = new ArrayList<>();
    for (String id : ids) {
      stages.add(client.send(Message.builder().id(id).build()).toCompletableFuture());
    }
    settle();
    return stages;
  }

  static MessageOutcome outcome(CompletionStage<MessageOutcome> stage) {
    CompletableFuture<MessageOutcome> future = stage.toCompletableFuture();
    assertThat(future).isDone();
    try {
      return future.get();
    } catch (ExecutionException e) {
      return ((NotDeliveredException) e.getCause()).outcome();
    } catch (InterruptedException e) {
      throw new IllegalStateException(e);
    }
  }

  /** Returns another token each time, that is valid for an hour. */
  Credential newToken() {
    tokens++;
    return new Credential("u", "token-" + tokens, ofHours(1));
  }

  List<ConnectionState> states() {
    return statuses.stream().map(ConnectionStatus::state).toList();
  }

  static ErrorDetails details(String protocol, String code) {
    return ErrorDetails.of(DeviceErrors.row(protocol, code));
  }
}
