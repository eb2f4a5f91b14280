package dev.reprise.common.amqp;

import static java.nio.charset.StandardCharsets.US_ASCII;
import static org.assertj.core.api.Assertions.assertThat;

import io.netty.buffer.Unpooled;
import java.io.ByteArrayOutputStream;
import java.util.List;
import net.jqwik.api.Example;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.constraints.IntRange;
import net.jqwik.api.constraints.Size;

final class WholeFramesTest {
  private static final byte[] HEADER = "AMQP\u0003\u0001\u0000\u0000".getBytes(US_ASCII);

  @Property
  void framesComeWholeHoweverTheyAreCut(
      @ForAll @Size(max = 6) List<@IntRange(min = 8, max = 2_000) Integer> sizes,
      @ForAll @IntRange(min = 1, max = 3_000) int cut) {
    ByteArrayOutputStream sent = new ByteArrayOutputStream();
    sent.writeBytes(HEADER);
    sizes.forEach(size -> sent.writeBytes(frame(size)));

    WholeFrames frames = new WholeFrames();
    ByteArrayOutputStream got = new ByteArrayOutputStream();
    byte[] all = sent.toByteArray();
    for (int at = 0; at < all.length; at += cut) {
      byte[] whole = frames.with(Unpooled.wrappedBuffer(all, at, Math.min(cut, all.length - at)));
      got.writeBytes(whole);
      assertThat(isEndOfFrame(got.size(), sizes)).isTrue();
    }
    assertThat(got.toByteArray()).isEqualTo(all);
  }

  private static boolean isEndOfFrame(int position, List<Integer> sizes) {
    int end = HEADER.length;
    if (position == 0 || position == end) {
      return true;
    }
    for (int size : sizes) {
      end += size;
      if (position == end) {
        return true;
      }
    }
    return false;
  }

  private static byte[] frame(int size) {
    byte[] frame = new byte[size];
    frame[1] = (byte) (size >> 16);
    frame[2] = (byte) (size >> 8);
    frame[3] = (byte) size;
    return frame;
  }

  @Property
  void nonsenseIsPassedOn(@ForAll byte[] nonsense) {
    WholeFrames frames = new WholeFrames();
    int passed = frames.with(Unpooled.wrappedBuffer(nonsense)).length;
    // What is kept is the beginning of a frame that may come.
    assertThat(nonsense.length - passed).isLessThan(65_536);
  }

  @Example
  void anotherProtocolIsPassedOnAtOnce() {
    byte[] web = "HTTP/1.1 400 Bad Request".getBytes(US_ASCII);
    assertThat(new WholeFrames().with(Unpooled.wrappedBuffer(web))).isEqualTo(web);
  }
}
