package dev.reprise.core.classify;

import static org.assertj.core.api.Assertions.assertThat;

import dev.reprise.core.RetrySafety;
import dev.reprise.core.http.HttpFailure;
import java.util.Map;
import java.util.Optional;
import java.util.stream.IntStream;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** The libraries themselves are asked in testkit/libraries; these are the parts that need none. */
class LibraryRuleTest {
  /** Says more to those who may look at it. */
  public static final class Page {
    public int status() {
      return 503;
    }

    public String broken() {
      return String.valueOf(Integer.parseInt("broken"));
    }

    public @Nullable String nothing() {
      return null;
    }

    public boolean hasLabel(String label) {
      return label.equals("known");
    }

    String hidden() {
      return "hidden";
    }
  }

  static IntStream statuses() {
    return IntStream.rangeClosed(300, 999);
  }

  @ParameterizedTest
  @MethodSource("statuses")
  void aStatusMeansWhatItMeansToTheSender(int status) {
    HttpFailure failure = HttpFailure.status(status, null);

    Verdict verdict = LibraryRule.ofStatus(status);

    assertThat(verdict.isRetrySafe()).isEqualTo(failure.isRetrySafe());
    assertThat(verdict.isThrottle()).isEqualTo(failure.isThrottle());
    assertThat(verdict.isTimeout()).isEqualTo(failure.isTimeout());
  }

  @Test
  void aStatusThatCannotBeReadTellsNothing() {
    assertThat(LibraryRule.ofStatus(-1)).isSameAs(Verdict.UNKNOWN);
    assertThat(LibraryRule.ofStatus(0).isRetrySafe()).isEqualTo(RetrySafety.NO);
  }

  @Test
  void onlyPublicMethodsAreCalled() {
    assertThat(PublicValues.number(new Page(), "status")).isEqualTo(503);
    assertThat(PublicValues.of(new Page(), "hidden")).isNull();
    // The class of the entry is not public, and its interface is.
    assertThat(PublicValues.text(Map.entry("key", "value"), "getValue")).isEqualTo("value");
    assertThat(PublicValues.text(Optional.of(Map.entry("k", "v")), "get", "getKey")).isEqualTo("k");
    assertThat(PublicValues.saysYes(new Page(), "hasLabel", "known")).isTrue();
    assertThat(PublicValues.saysYes(new Page(), "hasLabel", "other")).isFalse();
  }

  @Test
  void whateverGoesWrongThereIsNoValue() {
    assertThat(PublicValues.of(new Page(), "broken")).isNull();
    assertThat(PublicValues.of(new Page(), "nothing", "length")).isNull();
    assertThat(PublicValues.number(new Page(), "absent")).isEqualTo(-1);
    assertThat(PublicValues.number(new Page(), "nothing")).isEqualTo(-1);
    assertThat(PublicValues.saysYes(new Page(), "status", "x")).isFalse();
  }
}
