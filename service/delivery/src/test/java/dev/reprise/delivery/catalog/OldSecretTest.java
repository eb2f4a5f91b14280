package dev.reprise.delivery.catalog;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Instant;
import java.util.List;
import org.junit.jupiter.api.Test;

class OldSecretTest {
  @Test
  void aSingleOneIsStoredAsItEverWas() {
    OldSecret one = new OldSecret("whsec_YWJj", 7000);
    assertThat(OldSecret.write(List.of(one))).isEqualTo("whsec_YWJj");
    assertThat(OldSecret.read("whsec_YWJj", Instant.ofEpochMilli(7000))).containsExactly(one);
    assertThat(OldSecret.read("whsec_YWJj", null).get(0).untilMillis()).isZero();
  }

  @Test
  void severalKeepTheirTimes() {
    List<OldSecret> all =
        List.of(new OldSecret("whsec_YWJj", 7000), new OldSecret("whsk_ZGVm", 6000));
    assertThat(OldSecret.write(all)).isEqualTo("whsec_YWJj@7000 whsk_ZGVm@6000");
    assertThat(OldSecret.read(OldSecret.write(all), Instant.EPOCH)).isEqualTo(all);
    assertThat(all.toString()).doesNotContain("YWJj");
  }
}
