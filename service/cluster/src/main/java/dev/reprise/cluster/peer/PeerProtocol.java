package dev.reprise.cluster.peer;

import static java.nio.charset.StandardCharsets.UTF_8;

import dev.reprise.cluster.base.ClusterException;
import dev.reprise.delivery.IdempotencyConflictException;
import dev.reprise.delivery.MessageId;
import dev.reprise.delivery.NoSubscriptionException;
import dev.reprise.delivery.host.ShardElsewhereException;
import dev.reprise.delivery.shard.Reply;
import dev.reprise.delivery.shard.ShardInput;
import dev.reprise.delivery.store.Store;
import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.DataInputStream;
import java.io.DataOutputStream;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * The requests of one node to the owner of a shard, and its answers: to read the shard's store, to
 * ask what an idempotency key stands for, to pass a carrier's report to all of its shards, and what
 * {@link PeerAsks} has. All begin with a version, so that nodes of two versions understand each
 * other or say that they do not.
 */
public final class PeerProtocol {
  static final int GET = 1;
  static final int RANGE = 2;
  static final int REVERSE_RANGE = 3;
  static final int RESERVE = 4;
  static final int RECEIVED = 5;
  public static final int ASK = 6;

  private static final byte[] NONE = {};
  private static final int VERSION = 1;
  private static final int DONE = 0;
  private static final int ELSEWHERE = 1;
  private static final int CONFLICT = 2;
  private static final int GONE = 3;

  /** A page of a range ends at the first entry that reaches this. */
  private static final int PAGE_BYTES = 256 << 10;

  private static final int MAX_ENTRIES = 1000;

  private PeerProtocol() {}

  /**
   * A request.
   *
   * @param kind one of the constants
   * @param from the key, or the lower end of a range; of an idempotency key, its digest; what is
   *     asked of the shard
   * @param to the upper end of a range
   * @param proposed of a reservation
   * @param report of a carrier
   */
  public record Request(
      int kind,
      int shard,
      byte[] from,
      byte[] to,
      long fingerprint,
      ShardInput.@Nullable Keyed proposed,
      @Nullable Report report) {
    public static Request reading(int kind, int shard, byte[] from, byte[] to) {
      return new Request(kind, shard, from, to, 0, null, null);
    }

    static Request reserving(int shard, ShardInput.Reserve reserve) {
      return new Request(
          RESERVE, shard, reserve.digest(), NONE, reserve.fingerprint(), reserve.proposed(), null);
    }

    public static Request telling(int shard, Report report) {
      return new Request(RECEIVED, shard, NONE, NONE, 0, null, report);
    }
  }

  /** A carrier's report, as {@link ShardInput.Received} has it. */
  public record Report(
      String group, String id, boolean delivered, int status, String summary, long atMillis) {
    public static Report of(ShardInput.Received received) {
      return new Report(
          received.group(),
          received.receiptId(),
          received.delivered(),
          received.status(),
          received.summary(),
          received.atMillis());
    }

    public ShardInput.Received input(Reply<Boolean> reply) {
      return new ShardInput.Received(group, id, delivered, status, summary, atMillis, reply);
    }
  }

  /** An entry of a store. */
  record Entry(byte[] key, byte[] value) {}

  /** Writes something. */
  interface Writing {
    void to(DataOutputStream out) throws IOException;
  }

  /** Reads something. */
  interface Reading<T> {
    T from(DataInputStream in) throws IOException;
  }

  static byte[] write(Writing writing) {
    ByteArrayOutputStream bytes = new ByteArrayOutputStream();
    try (DataOutputStream out = new DataOutputStream(bytes)) {
      out.writeByte(VERSION);
      writing.to(out);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
    return bytes.toByteArray();
  }

  static <T> T read(byte[] bytes, Reading<T> reading) {
    try (DataInputStream in = new DataInputStream(new ByteArrayInputStream(bytes))) {
      int version = in.readByte();
      if (version != VERSION) {
        throw new ClusterException(
            "another node speaks version "
                + version
                + " of the protocol between nodes, this one "
                + VERSION,
            null);
      }
      return reading.from(in);
    } catch (IOException e) {
      throw new ClusterException("what another node has sent is cut short or damaged", e);
    }
  }

  static void blob(DataOutputStream out, byte[] value) throws IOException {
    out.writeInt(value.length);
    out.write(value);
  }

  static byte[] blob(DataInputStream in) throws IOException {
    int length = in.readInt();
    byte[] value = in.readNBytes(Math.max(0, length));
    if (value.length != length) {
      throw new IOException("cut short");
    }
    return value;
  }

  static void message(DataOutputStream out, MessageId message) throws IOException {
    out.writeLong(message.high());
    out.writeLong(message.low());
  }

  private static void shards(DataOutputStream out, List<Integer> shards) throws IOException {
    out.writeInt(shards.size());
    for (int shard : shards) {
      out.writeInt(shard);
    }
  }

  private static List<Integer> shards(DataInputStream in) throws IOException {
    List<Integer> shards = new ArrayList<>();
    int count = in.readInt();
    if (count < 0) {
      throw new IOException("a number of shards is " + count);
    }
    for (int i = 0; i < count; i++) {
      shards.add(in.readInt());
    }
    return shards;
  }

  public static byte[] encode(Request request) {
    return write(
        out -> {
          out.writeByte(request.kind());
          out.writeInt(request.shard());
          blob(out, request.from());
          blob(out, request.to());
          ShardInput.Keyed proposed = request.proposed();
          if (proposed != null) {
            out.writeLong(request.fingerprint());
            message(out, proposed.message());
            shards(out, proposed.shards());
          }
          Report report = request.report();
          if (report != null) {
            blob(out, report.group().getBytes(UTF_8));
            blob(out, report.id().getBytes(UTF_8));
            out.writeBoolean(report.delivered());
            out.writeInt(report.status());
            blob(out, report.summary().getBytes(UTF_8));
            out.writeLong(report.atMillis());
          }
        });
  }

  public static Request decode(byte[] bytes) {
    return read(
        bytes,
        in -> {
          int kind = in.readByte();
          if (kind < GET || kind > ASK) {
            throw new ClusterException("another node has sent a request of kind " + kind, null);
          }
          int shard = in.readInt();
          byte[] from = blob(in);
          byte[] to = blob(in);
          if (kind == RECEIVED) {
            return Request.telling(shard, report(in));
          }
          if (kind != RESERVE) {
            return Request.reading(kind, shard, from, to);
          }
          long fingerprint = in.readLong();
          MessageId message = new MessageId(in.readLong(), in.readLong());
          return new Request(
              kind, shard, from, to, fingerprint, new ShardInput.Keyed(message, shards(in)), null);
        });
  }

  private static Report report(DataInputStream in) throws IOException {
    return new Report(
        new String(blob(in), UTF_8),
        new String(blob(in), UTF_8),
        in.readBoolean(),
        in.readInt(),
        new String(blob(in), UTF_8),
        in.readLong());
  }

  // --- answers -----------------------------------------------------------------------------

  /** Reads what is asked for. */
  public static byte[] answerFrom(Store store, Request request) {
    return write(
        out -> {
          out.writeByte(DONE);
          if (request.kind() == GET) {
            byte[] value = store.get(request.from());
            out.writeBoolean(value != null);
            if (value != null) {
              blob(out, value);
            }
            return;
          }
          try (Store.Cursor cursor =
              request.kind() == RANGE
                  ? store.range(request.from(), request.to())
                  : store.reverseRange(request.from(), request.to())) {
            boolean more = cursor.next();
            for (int i = 0; more && i < MAX_ENTRIES && out.size() < PAGE_BYTES; i++) {
              out.writeBoolean(true);
              blob(out, cursor.key());
              blob(out, cursor.value());
              more = cursor.next();
            }
            out.writeBoolean(false);
            out.writeBoolean(more);
          }
        });
  }

  public static byte[] reserved(ShardInput.Reserved reserved) {
    return write(
        out -> {
          out.writeByte(DONE);
          message(out, reserved.message());
          out.writeBoolean(reserved.repeated());
          List<Integer> shards = reserved.shards();
          out.writeBoolean(shards != null);
          if (shards != null) {
            shards(out, shards);
          }
        });
  }

  public static byte[] conflict(IdempotencyConflictException conflict) {
    return write(
        out -> {
          out.writeByte(CONFLICT);
          message(out, conflict.earlier());
        });
  }

  public static byte[] known(boolean known) {
    return write(
        out -> {
          out.writeByte(DONE);
          out.writeBoolean(known);
        });
  }

  public static boolean isKnown(int shard, byte[] answer) {
    return done(shard, answer, DataInputStream::readBoolean);
  }

  /** The answer that something was done. */
  static byte[] done(Writing answer) {
    return write(
        out -> {
          out.writeByte(DONE);
          answer.to(out);
        });
  }

  /** The answer that the shard does not know the subscription any more. */
  static byte[] gone() {
    return write(out -> out.writeByte(GONE));
  }

  public static byte[] elsewhere() {
    return write(out -> out.writeByte(ELSEWHERE));
  }

  /** Returns whether an answer says that its node does not own the shard. */
  public static boolean isElsewhere(byte[] answer) {
    return read(answer, in -> in.readByte() == ELSEWHERE);
  }

  static <T> T done(int shard, byte[] answer, Reading<T> reading) {
    return read(
        answer,
        in -> {
          int status = in.readByte();
          if (status == ELSEWHERE) {
            throw new ShardElsewhereException(shard, "has another owner now");
          }
          if (status == CONFLICT) {
            throw new IdempotencyConflictException(new MessageId(in.readLong(), in.readLong()));
          }
          if (status == GONE) {
            throw new NoSubscriptionException();
          }
          if (status != DONE) {
            throw new ClusterException("another node has answered with status " + status, null);
          }
          return reading.from(in);
        });
  }

  static byte @Nullable [] value(int shard, byte[] answer) {
    Entry found =
        done(
            shard,
            answer,
            in -> in.readBoolean() ? new Entry(new byte[0], blob(in)) : new Entry(NONE, NONE));
    return found.key() == NONE ? null : found.value();
  }

  /** A part of a range. */
  record Page(List<Entry> entries, boolean more) {}

  static Page page(int shard, byte[] answer) {
    return done(
        shard,
        answer,
        in -> {
          List<Entry> entries = new ArrayList<>();
          while (in.readBoolean()) {
            entries.add(new Entry(blob(in), blob(in)));
          }
          return new Page(entries, in.readBoolean());
        });
  }

  static ShardInput.Reserved readReserved(int shard, byte[] answer) {
    return done(
        shard,
        answer,
        in -> {
          MessageId message = new MessageId(in.readLong(), in.readLong());
          boolean repeated = in.readBoolean();
          return new ShardInput.Reserved(message, in.readBoolean() ? shards(in) : null, repeated);
        });
  }
}
