package dev.reprise.cluster.group;

import java.io.ByteArrayOutputStream;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.zip.DataFormatException;
import java.util.zip.Deflater;
import java.util.zip.Inflater;
import org.jspecify.annotations.Nullable;

/**
 * The binary form in which members and the leader of the group send each other data. It begins with
 * a version; a later version only adds at the end, so that nodes of two releases can be members of
 * one group. In the compact form 0 is in place of the version, and the whole plain form follows,
 * deflated; the first release refuses it. Reading throws IllegalArgumentException for what is of
 * neither form.
 */
final class UserData {
  private static final int COMPACT = 0;
  private static final int VERSION = 1;

  /** Far more than a group of which the brokers take the record has. */
  private static final int MAX_INFLATED_BYTES = 8 << 20;

  private UserData() {}

  static ByteArrayOutputStream begin() {
    ByteArrayOutputStream out = new ByteArrayOutputStream();
    out.write(VERSION);
    return out;
  }

  /** Returns data in the compact form. */
  static ByteBuffer compact(byte[] plain) {
    ByteArrayOutputStream out = new ByteArrayOutputStream();
    out.write(COMPACT);
    putNumber(out, plain.length);
    Deflater deflater = new Deflater(Deflater.BEST_COMPRESSION, true);
    try {
      deflater.setInput(plain);
      deflater.finish();
      byte[] part = new byte[4096];
      while (!deflater.finished()) {
        out.write(part, 0, deflater.deflate(part));
      }
    } finally {
      deflater.end();
    }
    return ByteBuffer.wrap(out.toByteArray());
  }

  private static ByteBuffer inflated(ByteBuffer in) {
    int length = numberUpTo(MAX_INFLATED_BYTES, in);
    // With room for what must not be there.
    byte[] plain = new byte[length + 1];
    Inflater inflater = new Inflater(true);
    try {
      inflater.setInput(in);
      int read = 0;
      for (int more = 1; more > 0; read += more) {
        more = inflater.inflate(plain, read, plain.length - read);
      }
      if (read != length || !inflater.finished()) {
        throw new IllegalArgumentException("the data does not end where it should");
      }
    } catch (DataFormatException e) {
      throw new IllegalArgumentException("the data is not deflated", e);
    } finally {
      inflater.end();
    }
    return ByteBuffer.wrap(plain, 0, length);
  }

  /** Writes seven bits to a byte, the lowest first: most numbers here are small. */
  static void putNumber(ByteArrayOutputStream out, long value) {
    long rest = value;
    while ((rest & ~0x7FL) != 0) {
      out.write((int) (rest & 0x7F) | 0x80);
      rest >>>= 7;
    }
    out.write((int) rest);
  }

  static void putText(ByteArrayOutputStream out, String text) {
    byte[] bytes = text.getBytes(StandardCharsets.UTF_8);
    putNumber(out, bytes.length);
    out.writeBytes(bytes);
  }

  /**
   * Writes shards, which must come in ascending order, each as its distance from the previous one.
   */
  static void putShards(ByteArrayOutputStream out, Collection<Integer> ascending) {
    putNumber(out, ascending.size());
    int before = 0;
    for (int shard : ascending) {
      putNumber(out, shard - before);
      before = shard;
    }
  }

  /** Returns a view of the data behind its version. */
  static ByteBuffer open(@Nullable ByteBuffer data) {
    if (data == null) {
      throw new IllegalArgumentException("no data");
    }
    ByteBuffer in = data.duplicate();
    int version = octet(in);
    if (version == COMPACT) {
      in = inflated(in);
      version = octet(in);
    }
    if (version < VERSION) {
      throw new IllegalArgumentException("version is " + version + ": must be >= " + VERSION);
    }
    return in;
  }

  static long number(ByteBuffer in) {
    long value = 0;
    for (int shift = 0; shift < Long.SIZE; shift += 7) {
      int octet = octet(in);
      value |= (octet & 0x7FL) << shift;
      if (octet < 0x80) {
        return value;
      }
    }
    throw new IllegalArgumentException("a number is too long");
  }

  /** Reads the number of things that follow, each of which takes a byte at least. */
  static int count(ByteBuffer in) {
    long count = number(in); // Read before asking how much remains behind it.
    return requireUpTo(in.remaining(), count);
  }

  static int numberUpTo(int max, ByteBuffer in) {
    return requireUpTo(max, number(in));
  }

  private static int requireUpTo(int max, long number) {
    if (number < 0 || number > max) {
      throw new IllegalArgumentException("a number is " + number + ": must be 0 to " + max);
    }
    return (int) number;
  }

  static String text(ByteBuffer in) {
    byte[] bytes = new byte[count(in)];
    in.get(bytes);
    return new String(bytes, StandardCharsets.UTF_8);
  }

  static List<Integer> shards(ByteBuffer in) {
    int count = count(in);
    List<Integer> shards = new ArrayList<>(count);
    long shard = 0;
    for (int i = 0; i < count; i++) {
      long distance = number(in);
      if (distance < 0 || distance > Integer.MAX_VALUE - shard) {
        throw new IllegalArgumentException("a shard is out of range");
      }
      shard += distance;
      shards.add((int) shard);
    }
    return shards;
  }

  private static int octet(ByteBuffer in) {
    if (!in.hasRemaining()) {
      throw new IllegalArgumentException("the data ends early");
    }
    return in.get() & 0xFF;
  }
}
