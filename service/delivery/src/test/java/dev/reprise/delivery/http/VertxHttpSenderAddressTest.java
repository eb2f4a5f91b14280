package dev.reprise.delivery.http;

import static dev.reprise.delivery.http.Sending.LONG;
import static dev.reprise.delivery.http.Sending.attempt;
import static dev.reprise.delivery.http.Sending.sendBriefly;
import static java.util.concurrent.TimeUnit.SECONDS;
import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.abort;

import dev.reprise.delivery.address.AddressGuard;
import dev.reprise.delivery.address.EndpointUrl;
import dev.reprise.delivery.address.VettedResolver;
import dev.reprise.delivery.http.HttpOutcome.ConnectionFailed;
import dev.reprise.delivery.http.HttpOutcome.Refused;
import dev.reprise.delivery.http.HttpOutcome.Response;
import dev.reprise.delivery.http.HttpOutcome.TimedOut;
import dev.reprise.testkit.RefusingPort;
import java.net.BindException;
import java.net.InetAddress;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.Test;

/** Which address of a name is connected to. */
class VertxHttpSenderAddressTest extends VertxHttpSenderFixture {
  private static final byte[] V6 = {0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 1};

  @Test
  void onlyTheVettedAddressIsConnectedTo() throws Exception {
    // First look-up: an allowed address where nobody listens. Any second one would give loopback.
    AddressGuard guard = AddressGuard.allowing(false, List.of("127.5.5.5"));
    ScriptedLookup rebinding =
        new ScriptedLookup()
            .answer("rebind.example", 0, "127.5.5.5")
            .answer("rebind.example", 0, "127.0.0.1")
            .answer("rebind.example", 0, "127.0.0.1");
    VettedResolver vetting = new VettedResolver(rebinding, guard, nanos::get);
    try (HostileServer server = new HostileServer(answering(OK));
        VertxHttpSender guarded = new VertxHttpSender(vertx, vetting, HttpSenderSettings.DEFAULT)) {
      EndpointUrl url =
          EndpointUrl.parse("http://rebind.example:" + server.port() + "/", guard).url();
      ConnectionFailed failed = (ConnectionFailed) Sending.send(guarded, attempt(url, LONG));
      assertThat(failed.detail())
          .isEqualTo("connection to 127.5.5.5:" + server.port() + " refused");
      nanos.addAndGet(SECONDS.toNanos(2));
      Refused refused = (Refused) Sending.send(guarded, attempt(url, LONG));
      assertThat(refused.detail())
          .isEqualTo("host 'rebind.example' must have a public address, and has none");
      assertThat(server.requests()).isEmpty();
    }
  }

  @Test
  void theHostHeaderKeepsTheName() throws Exception {
    try (HostileServer server = new HostileServer(answering(OK))) {
      lookup.answer("hook.example.", 60, "127.0.0.1");
      EndpointUrl url = url("http://hook.example.:" + server.port() + "/");
      assertThat(send(attempt(url, LONG))).isInstanceOf(Response.class);
      assertThat(server.requests().get(0))
          .containsIgnoringCase("\r\nhost: hook.example:" + server.port() + "\r\n");
    }
  }

  @Test
  void aNameWithOnlyIpv6IsReached() throws Exception {
    try (HostileServer server = new HostileServer(answering(OK), InetAddress.getByAddress(V6))) {
      lookup.answer("six.example", 60, "::1");
      EndpointUrl url = url("http://six.example:" + server.port() + "/");
      Response response = (Response) send(attempt(url, LONG));
      assertThat(response.address()).isEqualTo("[::1]:" + server.port());
      assertThat(server.requests().get(0))
          .containsIgnoringCase("\r\nhost: six.example:" + server.port() + "\r\n");
    } catch (BindException e) {
      abort("this machine has no IPv6: " + e);
    }
  }

  @Test
  void anIpv6LiteralIsBracketedInTheHostHeader() throws Exception {
    try (HostileServer server = new HostileServer(answering(OK), InetAddress.getByAddress(V6))) {
      Response response =
          (Response) send(attempt(url("http://[::1]:" + server.port() + "/"), LONG));
      assertThat(response.address()).isEqualTo("[::1]:" + server.port());
      assertThat(server.requests().get(0))
          .containsIgnoringCase("\r\nhost: [::1]:" + server.port() + "\r\n");
    } catch (BindException e) {
      abort("this machine has no IPv6: " + e);
    }
  }

  @Test
  void theNextAddressIsTriedWhenOneRefuses() throws Exception {
    try (HostileServer server = new HostileServer(answering(OK))) {
      lookup.answer("two.example", 60, "127.0.0.2", "127.0.0.1");
      EndpointUrl url = url("http://two.example:" + server.port() + "/");
      Response response = (Response) send(attempt(url, LONG));
      assertThat(response.address()).isEqualTo("127.0.0.1:" + server.port());
    }
  }

  @Test
  void everyAddressIsTriedOnce() throws Exception {
    lookup.answer("none.example", 60, "127.0.0.2", "127.0.0.3", "127.0.0.4");
    try (RefusingPort port = RefusingPort.take()) {
      EndpointUrl url = url("http://none.example:" + port.number() + "/");
      ConnectionFailed failed = (ConnectionFailed) send(attempt(url, LONG));
      assertThat(failed.detail())
          .isEqualTo("connection to 127.0.0.4:" + port.number() + " refused");
      assertThat(failed.neverSent()).isTrue();
    }
  }

  @Test
  void anUnknownHostIsAConnectionFailure() throws Exception {
    ConnectionFailed failed =
        (ConnectionFailed) send(attempt(url("http://unknown.example/"), LONG));
    assertThat(failed.detail())
        .isEqualTo("host 'unknown.example' cannot be resolved: not in the script");
    assertThat(failed.neverSent()).isTrue();
    assertThat(failed.address()).isNull();
  }

  @Test
  void aNameServerThatHangsCountsInTheTimeoutAndDelaysNobodyElse() throws Exception {
    lookup.answer("hangs.example", 60, "127.0.0.1").hold();
    EndpointUrl hanging = url("http://hangs.example:1/");
    CompletableFuture<HttpOutcome> unresolved = new CompletableFuture<>();
    sender.send(attempt(hanging, LONG), unresolved::complete);
    try (HostileServer server = new HostileServer(answering(OK))) {
      assertThat(send(server, LONG)).isInstanceOf(Response.class);
    }
    assertThat(unresolved).isNotDone();
    TimedOut timedOut = (TimedOut) sendBriefly(sender, hanging, "waiting for its turn");
    assertThat(timedOut.detail()).contains("looking up the host's address");
    assertThat(timedOut.neverSent()).isTrue();
    lookup.release();
  }
}
