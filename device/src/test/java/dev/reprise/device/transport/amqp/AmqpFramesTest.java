package dev.reprise.device.transport.amqp;

import static org.assertj.core.api.Assertions.assertThat;

import dev.reprise.device.DeviceClient;
import dev.reprise.device.credential.Credential;
import dev.reprise.device.credential.CredentialSupplier;
import dev.reprise.device.error.ErrorKind;
import dev.reprise.device.error.TransportException;
import dev.reprise.device.fixture.ArtemisBroker;
import dev.reprise.device.hub.HubProfile;
import dev.reprise.device.message.Message;
import dev.reprise.device.message.MessageOutcome;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** What no check had tried over AMQP: very small frames, and a password that becomes right. */
@Tag("slow")
final class AmqpFramesTest {
  private static final int LIMIT_MINUTES = 5;

  private static AmqpSettings settings(ArtemisBroker broker) {
    return AmqpSettings.builder("127.0.0.1", "telemetry").port(broker.amqpPort()).build();
  }

  @Test
  void aMessageOfThousandsOfFramesArrives() throws Exception {
    try (ArtemisBroker broker =
            ArtemisBroker.builder().queue("telemetry").maxFrameSize(512).start();
        Device device = Device.connect(settings(broker)).ready()) {
      byte[] body = new byte[1 << 20];
      for (int i = 0; i < body.length; i++) {
        body[i] = (byte) (i * 31 + i / 251);
      }
      List<CompletableFuture<Optional<TransportException>>> outcomes = new ArrayList<>();
      outcomes.add(device.send(Message.of(body)));
      outcomes.add(device.send(Message.of("small")));
      outcomes.add(device.send(Message.of(body)));
      for (CompletableFuture<Optional<TransportException>> outcome : outcomes) {
        assertThat(outcome.get(LIMIT_MINUTES, TimeUnit.MINUTES)).isEmpty();
      }
      List<ArtemisBroker.Stored> stored = broker.read("telemetry");
      assertThat(stored.get(0).body()).isEqualTo(body);
      assertThat(stored.get(1).body()).asString().isEqualTo("small");
      assertThat(stored.get(2).body()).isEqualTo(body);
    }
  }

  @Test
  void aPasswordThatBecomesRightIsTakenFromItsFile(@TempDir Path folder) throws Exception {
    Path password = Files.writeString(folder.resolve("password"), "old\n");
    try (ArtemisBroker broker =
            ArtemisBroker.builder().queue("telemetry").user("dev", "new").start();
        DeviceClient client =
            DeviceClient.builder(
                    new HubProfile(
                        "amqp",
                        new AmqpTransport(settings(broker)),
                        CredentialSupplier.passwordFile("dev", password)))
                .build()) {
      CompletableFuture<Throwable> refused = new CompletableFuture<>();
      var unused = client.open().whenComplete((opened, failure) -> refused.complete(failure));
      Throwable failure = refused.get(LIMIT_MINUTES, TimeUnit.MINUTES);
      assertThat(failure)
          .isInstanceOfSatisfying(
              TransportException.class,
              cause -> assertThat(cause.kind()).isEqualTo(ErrorKind.CREDENTIAL));

      Files.writeString(password, "new\n");
      var opening = client.open();
      client.reconnectNow();
      opening.toCompletableFuture().get(LIMIT_MINUTES, TimeUnit.MINUTES);
      MessageOutcome outcome =
          client.send(Message.of("x")).toCompletableFuture().get(LIMIT_MINUTES, TimeUnit.MINUTES);
      assertThat(outcome.kind()).isEqualTo(MessageOutcome.Kind.ACKNOWLEDGED);
    }
  }

  @Test
  void aPasswordThatTheBrokerLearnsIsTakenAtTheNextAttempt() throws Exception {
    Credential credential = new Credential("dev", "secret", null);
    try (ArtemisBroker broker =
        ArtemisBroker.builder().queue("telemetry").user("dev", "another").start()) {
      try (Device device = Device.connect(settings(broker), credential, false)) {
        assertThat(device.lost().kind()).isEqualTo(ErrorKind.CREDENTIAL);
      }
      broker.setPassword("dev", "secret");
      try (Device device = Device.connect(settings(broker), credential, false).ready()) {
        assertThat(device.outcome(Message.of("x"))).isEmpty();
      }
    }
  }
}
