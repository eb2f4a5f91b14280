package dev.reprise.delivery.attempt;

import static org.assertj.core.api.Assertions.assertThat;

import dev.reprise.delivery.AttemptOutcome;
import dev.reprise.delivery.address.AddressGuard;
import dev.reprise.delivery.carrier.CarrierContext;
import dev.reprise.delivery.carrier.CarrierFailure;
import dev.reprise.delivery.carrier.Receipt;
import dev.reprise.delivery.http.HttpOutcome;
import dev.reprise.delivery.http.HttpProxy;
import dev.reprise.delivery.http.HttpSender;
import java.util.List;
import org.junit.jupiter.api.Test;

/** A forward proxy's own faults, told from those of the hosts behind it. */
final class ProxyCarrierTest {
  private static final AttemptOutcome DELIVERED =
      new AttemptOutcome(null, 204, "204 No Content", "", new byte[0], 1);
  private static final AttemptOutcome NO_TUNNEL =
      ProxyCarrier.failed(new HttpOutcome.ProxyFailed("no tunnel to 192.0.2.9: 502", false, 1));
  private static final AttemptOutcome WRONG_PASSWORD =
      ProxyCarrier.failed(new HttpOutcome.ProxyFailed("407", true, 1));

  private int recoveries;
  private final ProxyCarrier proxy =
      new ProxyCarrier(new HttpProxy("proxy.example", 3128, "", false), new Context());

  private final class Context implements CarrierContext {
    @Override
    public String name() {
      return "proxy";
    }

    @Override
    public int maxInFlight() {
      return 2;
    }

    @Override
    public HttpSender http() {
      throw new UnsupportedOperationException();
    }

    @Override
    public AddressGuard guard() {
      return AddressGuard.allowing(true, List.of());
    }

    @Override
    public void received(Receipt receipt) {}

    @Override
    public void recovered() {
      recoveries++;
    }
  }

  private AttemptOutcome attempt(String host, AttemptOutcome outcome) {
    assertThat(proxy.begin()).isNull();
    return proxy.end(host, outcome);
  }

  @Test
  void oneHostWithoutATunnelStopsNoOther() {
    for (int i = 0; i < 10; i++) {
      AttemptOutcome failed = attempt("dead.example", NO_TUNNEL);
      assertThat(failed.made()).isTrue();
      assertThat(failed.failure()).isEqualTo(CarrierFailure.TRANSIENT);
      assertThat(failed.block()).isNull();
      assertThat(failed.summary()).contains("192.0.2.9");
    }
    assertThat(proxy.state().fault()).isNull();
  }

  @Test
  void severalHostsInARowAreTheProxysFault() {
    assertThat(attempt("a.example", NO_TUNNEL).made()).isTrue();
    assertThat(attempt("b.example", NO_TUNNEL).made()).isTrue();
    attempt("c.example", DELIVERED);
    assertThat(attempt("d.example", NO_TUNNEL).made()).isTrue();
    assertThat(attempt("e.example", NO_TUNNEL).made()).isTrue();

    AttemptOutcome third = attempt("f.example", NO_TUNNEL);

    assertThat(third.made()).isFalse();
    assertThat(third.block()).isNotNull();
    assertThat(proxy.state().fault()).contains("makes no tunnels").doesNotContain("192.0.2.9");
    assertThat(proxy.begin()).isNotNull();
    assertThat(proxy.state().inFlight()).isZero();
  }

  @Test
  void aRefusedPasswordIsTheProxysFaultAtOnce() {
    assertThat(attempt("a.example", WRONG_PASSWORD).made()).isFalse();
    assertThat(proxy.state().fault()).isEqualTo("407");
  }

  @Test
  void whatNeverReachedTheProxySaysNothingOfIt() {
    assertThat(proxy.begin()).isNull();
    attempt("a.example", WRONG_PASSWORD);

    // Begun before the fault was known.
    proxy.end("b.example", AttemptOutcome.refused("address"));
    assertThat(proxy.state().fault()).isEqualTo("407");
    assertThat(recoveries).isZero();
  }

  @Test
  void anAnswerMendsIt() {
    assertThat(proxy.begin()).isNull();
    attempt("a.example", WRONG_PASSWORD);
    proxy.end("b.example", DELIVERED);
    assertThat(proxy.state().fault()).isNull();
    assertThat(recoveries).isEqualTo(1);
  }

  @Test
  void placesAreCounted() {
    assertThat(proxy.begin()).isNull();
    assertThat(proxy.begin()).isNull();
    assertThat(proxy.begin()).isNotNull();
    assertThat(proxy.state().inFlight()).isEqualTo(2);
  }
}
