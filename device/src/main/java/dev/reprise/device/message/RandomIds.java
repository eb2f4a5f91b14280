package dev.reprise.device.message;

import java.nio.ByteBuffer;
import java.security.SecureRandom;
import java.util.UUID;
import java.util.concurrent.atomic.AtomicInteger;

/**
 * Random UUIDs, as those of {@link UUID#randomUUID}. The bytes of many are drawn from the secure
 * generator at once, since each draw is a lock and a system call. Thread-safe.
 */
final class RandomIds {
  private static final int ID_BYTES = 16;
  private static final int IDS_IN_A_BLOCK = 64;

  private static volatile Block current = new Block();

  private RandomIds() {}

  static String next() {
    while (true) {
      Block block = current;
      int place = block.used.getAndIncrement();
      if (place >= 0 && place < IDS_IN_A_BLOCK) {
        return block.id(place);
      }
      // Several threads may each draw one: what is left of all but the last is not used.
      current = new Block();
    }
  }

  /** Random bytes, each of which becomes a part of one id at most. */
  private static final class Block {
    private final ByteBuffer bytes = ByteBuffer.allocate(IDS_IN_A_BLOCK * ID_BYTES);
    private final AtomicInteger used = new AtomicInteger();

    Block() {
      Generator.SECURE.nextBytes(bytes.array());
    }

    String id(int place) {
      long high = bytes.getLong(place * ID_BYTES);
      long low = bytes.getLong(place * ID_BYTES + Long.BYTES);
      // Version 4, variant 2: RFC 9562, section 5.4.
      return new UUID(
              (high & 0xffff_ffff_ffff_0fffL) | 0x4000L,
              (low & 0x3fff_ffff_ffff_ffffL) | 0x8000_0000_0000_0000L)
          .toString();
    }
  }

  /** Made when the first id is. */
  private static final class Generator {
    static final SecureRandom SECURE = new SecureRandom();
  }
}
