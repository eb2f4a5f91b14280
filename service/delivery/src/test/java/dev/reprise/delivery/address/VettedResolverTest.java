package dev.reprise.delivery.address;

import static org.assertj.core.api.Assertions.assertThat;

import dev.reprise.delivery.address.VettedResolver.Forbidden;
import dev.reprise.delivery.address.VettedResolver.Resolution;
import dev.reprise.delivery.address.VettedResolver.Unresolved;
import dev.reprise.delivery.address.VettedResolver.Vetted;
import dev.reprise.delivery.http.ScriptedLookup;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

class VettedResolverTest {
  private static final AddressGuard GUARD = AddressGuard.globalOnly();

  private final ScriptedLookup lookup = new ScriptedLookup();

  /** Starts just before the overflow of nanoTime, which a comparison must survive. */
  private final AtomicLong nanos = new AtomicLong(Long.MAX_VALUE - 10);

  private final VettedResolver resolver = new VettedResolver(lookup, GUARD, nanos::get);

  @Test
  void onlyTheAllowedAddressesAreUsed() {
    lookup.answer("a.example", 60, "10.0.0.1", "93.184.216.34", "::1", "2606:4700::1111");
    assertThat(addresses(resolve("a.example")))
        .containsExactly("93.184.216.34", "[2606:4700::1111]");
  }

  @Test
  void aNameWithoutAllowedAddressIsRefusedWithoutAddresses() {
    lookup.answer("a.example", 60, "10.0.0.1", "::1");
    assertThat(resolve("a.example"))
        .isEqualTo(new Forbidden("host 'a.example' must have a public address, and has none"));
  }

  @Test
  void aNameWithoutAddressCannotBeResolved() {
    lookup.fail("a.example", 5, "the name server answered NXDomain(3)").answer("b.example", 60);
    assertThat(resolve("a.example"))
        .isEqualTo(
            new Unresolved(
                "host 'a.example' cannot be resolved: the name server answered NXDomain(3)",
                false));
    assertThat(resolve("b.example"))
        .isEqualTo(
            new Unresolved("host 'b.example' cannot be resolved: the name has no address", true));
  }

  @Test
  void anAnswerIsKeptAsLongAsTheNameServerSays() {
    lookup.answer("a.example", 60, "1.0.0.1").answer("a.example", 60, "1.0.0.2");
    assertThat(addresses(resolve("a.example"))).containsExactly("1.0.0.1");
    nanos.addAndGet(TimeUnit.SECONDS.toNanos(60) - 1);
    assertThat(addresses(resolve("a.example"))).containsExactly("1.0.0.1");
    nanos.addAndGet(1);
    assertThat(addresses(resolve("a.example"))).containsExactly("1.0.0.2");
  }

  @Test
  void anAnswerIsKeptOneSecondAtLeastAndFiveMinutesAtMost() {
    lookup
        .answer("short.example", 0, "1.0.0.1")
        .answer("short.example", 0, "1.0.0.2")
        .answer("long.example", 86_400, "1.0.0.1")
        .answer("long.example", 86_400, "1.0.0.2");
    resolve("short.example");
    resolve("long.example");
    nanos.addAndGet(TimeUnit.SECONDS.toNanos(1) - 1);
    assertThat(addresses(resolve("short.example"))).containsExactly("1.0.0.1");
    nanos.addAndGet(1);
    assertThat(addresses(resolve("short.example"))).containsExactly("1.0.0.2");
    nanos.addAndGet(TimeUnit.SECONDS.toNanos(299));
    assertThat(addresses(resolve("long.example"))).containsExactly("1.0.0.2");
  }

  @Test
  void aNameThatChangesToAPrivateAddressIsRefusedFromThenOn() {
    lookup.answer("a.example", 1, "93.184.216.34").answer("a.example", 1, "127.0.0.1");
    assertThat(resolve("a.example")).isInstanceOf(Vetted.class);
    nanos.addAndGet(TimeUnit.SECONDS.toNanos(1));
    assertThat(resolve("a.example")).isInstanceOf(Forbidden.class);
  }

  @Test
  void aDotAtTheEndReachesTheLookupAndNothingElse() {
    lookup.answer("a.example", 60, "1.0.0.1").answer("a.example.", 60, "1.0.0.2");
    assertThat(addresses(resolve("a.example"))).containsExactly("1.0.0.1");
    assertThat(addresses(resolve("a.example."))).containsExactly("1.0.0.2");
    assertThat(url("a.example.").hostAndPort()).isEqualTo("a.example");
  }

  @Test
  void attemptsForOneNameShareOneLookup() {
    lookup.answer("a.example", 60, "1.0.0.1").hold();
    List<Resolution> results = new ArrayList<>();
    for (int i = 0; i < 100; i++) {
      resolver.resolve(url("a.example"), results::add);
    }
    assertThat(results).isEmpty();
    lookup.release();
    assertThat(results).hasSize(100).allMatch(Vetted.class::isInstance);
    assertThat(lookup.lookups()).containsExactly("a.example");
  }

  @Test
  void aNameThatHangsHoldsUpNoOther() {
    lookup.answer("hangs.example", 60, "1.0.0.1").answer("other.example", 60, "1.0.0.2").hold();
    List<Resolution> hanging = new ArrayList<>();
    resolver.resolve(url("hangs.example"), hanging::add);
    List<Resolution> other = new ArrayList<>();
    resolver.resolve(url("other.example"), other::add);
    assertThat(lookup.lookups()).containsExactly("hangs.example", "other.example");
    lookup.release();
    assertThat(other).hasSize(1);
  }

  @Test
  void theCacheIsBounded() {
    for (int i = 0; i < 25_000; i++) {
      lookup.answer("h" + i + ".example", 300, "1.0.0.1");
      resolve("h" + i + ".example");
    }
    assertThat(resolver.size()).isLessThanOrEqualTo(10_000);
    assertThat(lookup.lookups()).hasSize(25_000);
  }

  @Test
  void outdatedNamesMakeRoomFirst() {
    IntStream.range(0, 9_999)
        .forEach(
            i -> {
              lookup.answer("old" + i + ".example", 1, "1.0.0.1");
              resolve("old" + i + ".example");
            });
    nanos.addAndGet(TimeUnit.SECONDS.toNanos(2));
    lookup.answer("new.example", 300, "1.0.0.1").answer("newer.example", 300, "1.0.0.1");
    resolve("new.example");
    resolve("newer.example");
    assertThat(resolver.size()).isEqualTo(2);
  }

  @Test
  void addressesInFiguresNeedNoLookup() {
    assertThat(addresses(resolve("93.184.216.34"))).containsExactly("93.184.216.34");
    assertThat(lookup.lookups()).isEmpty();
  }

  @Test
  void localhostIsThisMachineWhateverANameServerSays() {
    AddressGuard dev = AddressGuard.allowing(true, List.of());
    VettedResolver development = new VettedResolver(lookup, dev, nanos::get);
    List<Resolution> results = new ArrayList<>();
    development.resolve(EndpointUrl.parse("http://x.localhost/", dev).url(), results::add);
    assertThat(addresses(results.get(0))).containsExactly("127.0.0.1", "[::1]");
    assertThat(lookup.lookups()).isEmpty();
  }

  @Test
  void anAddressThatFailedIsTriedLastByTheNextAttempt() {
    lookup.answer("a.example", 60, "1.0.0.1", "1.0.0.2");
    Vetted vetted = (Vetted) resolve("a.example");
    assertThat(vetted.address(vetted.preferred())).isEqualTo("1.0.0.1");
    assertThat(vetted.address(vetted.after(vetted.preferred()))).isEqualTo("1.0.0.2");
    Vetted again = (Vetted) resolve("a.example");
    assertThat(again.address(again.preferred())).isEqualTo("1.0.0.2");
  }

  @Test
  void registrationIsToldWhatIsWrong() {
    lookup.answer("good.example", 60, "1.0.0.1").answer("bad.example", 60, "10.0.0.1");
    List<String> problems = new ArrayList<>();
    resolver.vet(url("good.example"), problems::add);
    resolver.vet(url("bad.example"), problems::add);
    resolver.vet(url("unknown.example"), problems::add);
    assertThat(problems.get(0)).isNull();
    assertThat(problems.get(1))
        .isEqualTo("endpoint: host 'bad.example' must have a public address, and has none");
    assertThat(problems.get(2))
        .isEqualTo("endpoint: host 'unknown.example' cannot be resolved: not in the script");
  }

  private Resolution resolve(String host) {
    List<Resolution> results = new ArrayList<>();
    resolver.resolve(url(host), results::add);
    assertThat(results).hasSize(1);
    return results.get(0);
  }

  private static EndpointUrl url(String host) {
    return EndpointUrl.parse("http://" + host + "/", GUARD).url();
  }

  private static List<String> addresses(Resolution resolution) {
    Vetted vetted = (Vetted) resolution;
    return IntStream.range(0, vetted.size()).mapToObj(vetted::address).toList();
  }
}
