package dev.reprise.device;

import static dev.reprise.device.ConnectionState.CONNECTED;
import static dev.reprise.device.ConnectionState.CONNECTING;
import static dev.reprise.device.ConnectionState.DISCONNECTED;
import static dev.reprise.device.ConnectionState.RETRYING;
import static java.time.Duration.ofHours;
import static java.time.Duration.ofMillis;
import static java.time.Duration.ofMinutes;
import static java.time.Duration.ofSeconds;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.groups.Tuple.tuple;

import dev.reprise.device.credential.Credential;
import dev.reprise.device.error.DeviceErrors;
import dev.reprise.device.error.TransportException;
import java.io.IOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

/** Tokens that are refused or end, over a transport whose every move is made here. */
class CredentialRenewalTest extends ScriptedDevice {
  @Test
  void wrongCredentialsThatCannotBeRenewedEndIt() throws Exception {
    DeviceClient client = client(builder -> builder);
    CompletableFuture<@Nullable Void> opened = client.open().toCompletableFuture();
    settle();
    transport.last().lose(refusedPassword);
    settle();

    assertThat(client.status().state()).isEqualTo(DISCONNECTED);
    assertThat(client.status().reason()).isEqualTo(StatusReason.CREDENTIAL);
    assertThatThrownBy(opened::join).hasCause(refusedPassword);
    time.advance(ofHours(1));
    assertThat(transport.links).hasSize(1);
  }

  @Test
  void aRefusedTokenIsReplacedExactlyOnce() throws Exception {
    List<@Nullable Credential> refused = new ArrayList<>();
    credentials =
        before -> {
          refused.add(before);
          return CompletableFuture.completedFuture(
              new Credential("u", "token-" + refused.size(), null));
        };
    DeviceClient client = client(builder -> builder);
    client.open();
    settle();
    transport.last().lose(refusedPassword);
    settle();
    assertThat(client.status().state()).isEqualTo(RETRYING);
    time.advance(ofMillis(100));
    assertThat(transport.last().request.credential().secret()).isEqualTo("token-2");
    assertThat(refused).containsExactly(null, new Credential("u", "token-1", null));

    transport.last().lose(refusedPassword);
    settle();
    assertThat(client.status().reason()).isEqualTo(StatusReason.CREDENTIAL);
    time.advance(ofHours(1));
    assertThat(transport.links).hasSize(2);
  }

  @Test
  void aTokenThatIsAcceptedAndThenRefusedIsNotReplacedForEver() throws Exception {
    credentials = before -> CompletableFuture.completedFuture(new Credential("u", "t", null));
    TransportException refusedToken = DeviceErrors.exception("http", "401");
    DeviceClient client = connected();
    transport.last().lose(refusedToken);
    time.advance(ofMillis(100));
    transport.last().ready();
    settle();
    transport.last().lose(refusedToken);
    settle();
    assertThat(client.status().state()).isEqualTo(DISCONNECTED);
  }

  @Test
  void aSupplierThatNeverAnswersIsEndedByTheConnectTimeoutToo() throws Exception {
    CompletableFuture<Credential> late = new CompletableFuture<>();
    credentials = before -> late;
    DeviceClient client = client(builder -> builder);
    client.open();
    time.advance(ofSeconds(30));
    assertThat(client.status().reason()).isEqualTo(StatusReason.TIMEOUT);
    assertThat(transport.links).isEmpty();
  }

  @Test
  void aTokenIsRenewedOnTheLiveConnectionBeforeItEnds() throws Exception {
    transport.renewsLive = true;
    credentials = before -> CompletableFuture.completedFuture(newToken());
    DeviceClient client = connected();
    for (int hour = 0; hour < 24; hour++) {
      time.advance(ofMinutes(47));
      assertThat(transport.last().renewals).hasSize(hour);
      while (transport.last().renewals.size() == hour) {
        time.advance(ofSeconds(1));
      }
      assertThat(time.elapsed()).isLessThan(ofMinutes((hour + 1) * 51L + 1));
      transport.last().listener.onRenewed();
      settle();
    }
    assertThat(states()).containsExactly(CONNECTING, CONNECTED);
    assertThat(client.status().reason()).isEqualTo(StatusReason.OK);
  }

  @Test
  void aTokenOfTheConnectionIsRenewedByAPlannedReconnect() throws Exception {
    credentials = before -> CompletableFuture.completedFuture(newToken());
    DeviceClient client = connected();
    for (int hour = 1; hour < 24; hour++) {
      time.advance(ofMinutes(47));
      assertThat(transport.links).hasSize(hour);
      stepUntilLinks(hour + 1, ofMinutes(4));
      transport.last().ready();
      settle();
    }
    assertThat(statuses)
        .extracting(ConnectionStatus::state, ConnectionStatus::reason)
        .containsOnly(
            tuple(CONNECTING, StatusReason.OK),
            tuple(CONNECTED, StatusReason.OK),
            tuple(CONNECTING, StatusReason.TOKEN_RENEWAL));
    assertThat(client.status().retries()).isZero();
    assertThat(client.counters().losses()).isZero();
  }

  @Test
  void thePlannedReconnectWaitsForWhatIsUnderWayButNotForEver() throws Exception {
    credentials = before -> CompletableFuture.completedFuture(newToken());
    DeviceClient client =
        connected(builder -> builder.ackTimeout(ofHours(2)).operationTimeout(ofHours(2)));
    send(client, "a", "b");
    stepUntilLinks(2, ofMinutes(52));
    assertThat(transport.links.get(0).closed).isTrue();
    transport.links.get(0).acknowledge(0);
    send(client, "c");
    transport.last().ready();
    settle();
    assertThat(transport.last().sentIds()).containsExactly("a", "b", "c");
  }

  private void stepUntilLinks(int links, Duration most) {
    for (long second = 0; transport.links.size() < links && second < most.toSeconds(); second++) {
      time.advance(ofSeconds(1));
    }
    assertThat(transport.links).hasSize(links);
  }

  @Test
  void aFailedRenewalIsRepeatedAndTheConnectionStays() throws Exception {
    transport.renewsLive = true;
    List<Integer> asked = new ArrayList<>();
    credentials =
        before -> {
          asked.add(asked.size());
          return asked.size() > 1 && asked.size() < 4
              ? CompletableFuture.failedFuture(new IOException("no token today"))
              : CompletableFuture.completedFuture(newToken());
        };
    DeviceClient client = connected();
    time.advance(ofMinutes(59));
    assertThat(transport.last().renewals).isNotEmpty();
    assertThat(client.status().state()).isEqualTo(CONNECTED);
  }

  @Test
  void aRenewalThatIsNeverAnsweredIsAskedForAgain() throws Exception {
    transport.renewsLive = true;
    credentials =
        before -> {
          Credential token = newToken();
          return tokens == 2 ? new CompletableFuture<>() : CompletableFuture.completedFuture(token);
        };
    DeviceClient client = connected();
    time.advance(ofMinutes(52));
    assertThat(transport.last().renewals).hasSizeGreaterThan(0);
    assertThat(client.status().state()).isEqualTo(CONNECTED);
  }

  @Test
  void aSupplierThatHasNothingNewerCausesNoReconnects() throws Exception {
    Credential same = new Credential("u", "t", ofHours(1));
    credentials = before -> CompletableFuture.completedFuture(same);
    DeviceClient client = connected();
    time.advance(ofHours(3));
    assertThat(transport.links).hasSize(1);
    assertThat(client.status().state()).isEqualTo(CONNECTED);
  }
}
