package dev.reprise.cli;

import static java.nio.charset.StandardCharsets.US_ASCII;

import java.io.IOException;
import java.nio.ByteOrder;
import java.nio.MappedByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.Map;

/** The file by which {@code faults.c} is told, in a process under test, which calls fail. */
final class FaultControl {
  private static final int RULES = 2;
  private static final int KIND_BYTES = 64;
  private static final int KIND = 5 * Integer.BYTES;
  private static final int RULE_BYTES = KIND + KIND_BYTES;
  private static final int HITS = 4 * Integer.BYTES;

  /** Linux' own numbers. */
  enum Errno {
    EIO(5),
    EMFILE(24),
    ENOSPC(28),
    EDQUOT(122);

    final int number;

    Errno(int number) {
      this.number = number;
    }
  }

  /** Kinds of calls, as bits. */
  static final int OPEN = 1 | 2;

  static final int READ = 4;
  static final int WRITE = 8;
  static final int SYNC = 16;

  private final Path file;
  private final Path library;
  private final MappedByteBuffer memory;

  FaultControl(Path library, Path file) throws IOException {
    this.library = library;
    this.file = file;
    try (FileChannel channel =
        FileChannel.open(
            file, StandardOpenOption.CREATE, StandardOpenOption.READ, StandardOpenOption.WRITE)) {
      memory = channel.map(FileChannel.MapMode.READ_WRITE, 0, (long) RULES * RULE_BYTES);
    }
    memory.order(ByteOrder.nativeOrder());
  }

  /** What the process needs in its environment. */
  Map<String, String> environment() {
    return Map.of("LD_PRELOAD", library.toString(), "REPRISE_FAULTS", file.toString());
  }

  /**
   * The next {@code times} calls of these kinds on a file whose name begins or ends with {@code
   * kind} fail.
   *
   * @param rule 0 or 1
   */
  void fail(int rule, int calls, String kind, Errno errno, int times) {
    int at = rule * RULE_BYTES;
    memory.putInt(at, 0);
    memory.put(at + KIND, new byte[KIND_BYTES]);
    memory.put(at + KIND, kind.getBytes(US_ASCII));
    memory.putInt(at + Integer.BYTES, errno.number);
    memory.putInt(at + 3 * Integer.BYTES, calls);
    memory.putInt(at + HITS, 0);
    memory.putInt(at, times);
  }

  /** How many calls have failed by a rule. */
  int hits(int rule) {
    return memory.getInt(rule * RULE_BYTES + HITS);
  }

  /** Nothing fails any more. */
  void heal() {
    for (int rule = 0; rule < RULES; rule++) {
      memory.putInt(rule * RULE_BYTES, 0);
    }
  }
}
