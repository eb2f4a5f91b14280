package dev.reprise.delivery;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** The headers of W3C Trace Context (2021), sections 3.2 and 3.3. */
class TraceContextTest {
  private static final String TRACE = "0af7651916cd43dd8448eb211c80319c";
  private static final String SPAN = "b7ad6b7169203331";

  @Test
  void aHeaderIsReadAndWritten() {
    TraceContext context = TraceContext.parse("00-" + TRACE + "-" + SPAN + "-01", "a=1, t@b=x y");

    assertThat(context).isEqualTo(new TraceContext(TRACE, SPAN, 1, "a=1,t@b=x y"));
    assertThat(context.header()).isEqualTo("00-" + TRACE + "-" + SPAN + "-01");
  }

  @Test
  void aChildIsInTheSameTraceWithAnIdOfItsOwn() {
    TraceContext parent = new TraceContext(TRACE, SPAN, 0, "a=1");
    TraceContext child = parent.child();

    assertThat(child.traceId()).isEqualTo(TRACE);
    assertThat(child.spanId()).isNotEqualTo(SPAN).matches("[0-9a-f]{16}");
    assertThat(child.flags()).isZero();
    assertThat(child.state()).isEqualTo("a=1");
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "",
        "00",
        "00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331",
        "00-0AF7651916CD43DD8448EB211C80319C-b7ad6b7169203331-01",
        "00-00000000000000000000000000000000-b7ad6b7169203331-01",
        "00-0af7651916cd43dd8448eb211c80319c-0000000000000000-01",
        "00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01-more",
        "00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-1",
        "ff-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01",
        "0x-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01",
        "01-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01.more"
      })
  void whatIsNotAsTheStandardSaysIsNoContext(String header) {
    assertThat(TraceContext.parse(header, "a=1")).isNull();
  }

  @Test
  void aLaterVersionIsReadAsFarAsItIsKnown() {
    TraceContext context = TraceContext.parse("cc-" + TRACE + "-" + SPAN + "-ff-more", null);

    assertThat(context).isEqualTo(new TraceContext(TRACE, SPAN, 1, ""));
    assertThat(TraceContext.parse(null, "a=1")).isNull();
  }

  @ParameterizedTest
  @ValueSource(strings = {"a", "A=1", "a=", "a=b=c", "a=1,b", "a=\u00e9", "a=1\r\nX: y"})
  void aStateThatIsNoneIsLeftOut(String state) {
    TraceContext context = TraceContext.parse("00-" + TRACE + "-" + SPAN + "-00", state);

    assertThat(context).isEqualTo(new TraceContext(TRACE, SPAN, 0, ""));
  }

  @Test
  void aStateThatIsTooLongIsLeftOut() {
    String parent = "00-" + TRACE + "-" + SPAN + "-00";
    assertThat(TraceContext.parse(parent, "a=" + "1".repeat(511)).state()).isEmpty();
    assertThat(TraceContext.parse(parent, "a=1,".repeat(33)).state()).isEmpty();
    assertThat(TraceContext.parse(parent, "a=1,,".repeat(32)).state()).hasSize(32 * 4 - 1);
  }

  @Test
  void wrongIdsAreRefused() {
    assertThatThrownBy(() -> new TraceContext("0".repeat(32), SPAN, 0, ""))
        .isInstanceOf(IllegalArgumentException.class);
    assertThatThrownBy(() -> new TraceContext(TRACE, SPAN, 256, ""))
        .isInstanceOf(IllegalArgumentException.class);
  }
}
