package dev.reprise.delivery.salvage;

import java.io.IOException;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.function.Consumer;
import java.util.zip.CRC32C;
import org.jspecify.annotations.Nullable;

/**
 * The entries of a table in their order, without those in damaged blocks. One block of data and two
 * of the index are in memory. Not safe for use by several threads.
 */
final class TableCursor implements AutoCloseable {
  private static final int FOOTER = 53;
  private static final long MAGIC = 0x88e241b785f4cff7L;
  private static final int TRAILER = 5;
  private static final int CRC32C_SUM = 1;
  private static final int XXH3_SUM = 4;
  private static final int NOT_PACKED = 0;
  private static final int LZ4 = 4;
  private static final int MAX_BLOCK_BYTES = 1 << 30;

  private final FileList.Table table;
  private final Consumer<Damage> damaged;
  private final @Nullable RawFile file;
  private int checksum;

  /** Both parts of the index: blocks of the index, and blocks of data of one of those. */
  private List<IndexEntry> parts = List.of();

  private int nextPart;
  private List<IndexEntry> blocks = List.of();
  private int nextBlock;
  private List<SalvageEntry> entries = List.of();
  private int nextEntry;

  /** No key that is still to come is before this one. */
  private byte[] from;

  /** Where a block lies, and a key that no key in it is behind. */
  private record IndexEntry(byte[] last, long offset, long size) {}

  private TableCursor(FileList.Table table, @Nullable RawFile file, Consumer<Damage> damaged) {
    this.table = table;
    this.file = file;
    this.damaged = damaged;
    this.from = table.from();
  }

  /**
   * Opens a table.
   *
   * @param damaged is notified of each part that cannot be read, before any entry behind it is
   *     returned
   */
  static TableCursor open(FileList.Table table, Consumer<Damage> damaged) {
    RawFile file;
    try {
      file = RawFile.open(table.file());
    } catch (IOException e) {
      damaged.accept(table.damage(0, "the file is missing or cannot be opened"));
      return new TableCursor(table, null, damaged);
    }
    TableCursor cursor = new TableCursor(table, file, damaged);
    try {
      cursor.readFooter(file);
    } catch (IOException | RuntimeException e) {
      cursor.parts = List.of();
      damaged.accept(table.damage(file.size(), "its footer or index cannot be read"));
    }
    return cursor;
  }

  private void readFooter(RawFile in) throws IOException {
    ByteReader footer = new ByteReader(in.read(in.size() - FOOTER, FOOTER));
    checksum = footer.u8();
    footer.varint();
    footer.varint();
    long offset = footer.varint();
    long size = footer.varint();
    byte[] end = in.read(in.size() - 12, 12);
    ByteReader last = new ByteReader(end);
    long version = last.littleEndian(4);
    if (last.littleEndian(8) != MAGIC || version < 2 || version > 5) {
      throw new IllegalStateException("the footer is damaged, or of another version: " + version);
    }
    parts = index(block(in, offset, size));
  }

  /** Returns the next entry; null behind the last one. */
  @Nullable SalvageEntry next() {
    while (nextEntry == entries.size()) {
      if (nextBlock < blocks.size()) {
        IndexEntry block = blocks.get(nextBlock++);
        entries = read(block, "a block of data", TableCursor::data);
        nextEntry = 0;
        from = block.last();
      } else if (nextPart < parts.size()) {
        IndexEntry part = parts.get(nextPart++);
        blocks = read(part, "a block of the index", TableCursor::index);
        nextBlock = 0;
        if (blocks.isEmpty()) {
          from = part.last();
        }
      } else {
        return null;
      }
    }
    return entries.get(nextEntry++);
  }

  private interface Decoder<T> {
    List<T> decode(byte[] block);
  }

  private <T> List<T> read(IndexEntry block, String what, Decoder<T> decoder) {
    RawFile in = file;
    if (in == null) {
      return List.of();
    }
    try {
      return decoder.decode(block(in, block.offset(), block.size()));
    } catch (IOException | RuntimeException e) {
      byte[] to = Arrays.compareUnsigned(block.last(), table.to()) > 0 ? table.to() : block.last();
      damaged.accept(
          new Damage(
              table.name(),
              block.offset(),
              block.size() + TRAILER,
              from,
              to,
              table.newest(),
              what + " is damaged"));
      return List.of();
    }
  }

  private byte[] block(RawFile in, long offset, long size) throws IOException {
    if (size < 0 || size > MAX_BLOCK_BYTES) {
      throw new IllegalStateException("a block of " + size + " bytes");
    }
    int length = (int) size;
    byte[] raw = in.read(offset, length + TRAILER);
    int packing = raw[length];
    long stored = new ByteReader(raw, length + 1, length + TRAILER).littleEndian(4);
    if (stored != sum(raw, length)) {
      throw new IllegalStateException("the checksum is another one");
    }
    if (packing == NOT_PACKED) {
      return Arrays.copyOf(raw, length);
    }
    if (packing != LZ4) {
      throw new IllegalStateException("a block is packed in the unknown way " + packing);
    }
    ByteReader head = new ByteReader(raw, 0, length);
    int unpacked = (int) Math.min(MAX_BLOCK_BYTES, head.varint());
    return Lz4.unpack(raw, head.position(), length, unpacked);
  }

  private long sum(byte[] raw, int length) {
    switch (checksum) {
      case CRC32C_SUM -> {
        CRC32C crc = new CRC32C();
        crc.update(raw, 0, length + 1);
        return LogRecords.masked(crc.getValue());
      }
      case XXH3_SUM -> {
        return (Xxh3.hash(raw, length) ^ ((raw[length] & 0xffL) * 0x6b9083d9L)) & 0xffffffffL;
      }
      default -> throw new IllegalStateException("unknown kind of checksum " + checksum);
    }
  }

  private static int endOfEntries(byte[] block) {
    long restarts = new ByteReader(block, block.length - 4, block.length).littleEndian(4);
    return Math.toIntExact(block.length - 4 - 4 * (restarts & 0x7fffffff));
  }

  private static List<SalvageEntry> data(byte[] block) {
    List<SalvageEntry> entries = new ArrayList<>();
    ByteReader in = new ByteReader(block, 0, endOfEntries(block));
    byte[] key = {};
    while (in.hasMore()) {
      int shared = (int) in.varint();
      int own = (int) in.varint();
      int value = (int) in.varint();
      key = joined(key, shared, in.take(own));
      entries.add(SalvageEntry.ofTable(key, in.take(value)));
    }
    return entries;
  }

  /** An index has no lengths of values, and handles after the first may tell differences alone. */
  private static List<IndexEntry> index(byte[] block) {
    List<IndexEntry> index = new ArrayList<>();
    ByteReader in = new ByteReader(block, 0, endOfEntries(block));
    byte[] key = {};
    long offset = 0;
    long size = 0;
    while (in.hasMore()) {
      int shared = (int) in.varint();
      int own = (int) in.varint();
      key = joined(key, shared, in.take(own));
      if (shared == 0) {
        offset = in.varint();
        size = in.varint();
      } else {
        long zigzag = in.varint();
        offset += size + TRAILER;
        size += (zigzag >>> 1) ^ -(zigzag & 1);
      }
      index.add(new IndexEntry(key, offset, size));
    }
    return index;
  }

  private static byte[] joined(byte[] before, int shared, byte[] own) {
    if (shared > before.length) {
      throw new IllegalStateException("a key shares more than there is");
    }
    byte[] key = Arrays.copyOf(before, shared + own.length);
    System.arraycopy(own, 0, key, shared, own.length);
    return key;
  }

  @Override
  public void close() {
    try {
      if (file != null) {
        file.close();
      }
    } catch (IOException e) {
      // It was only read.
    }
  }
}
