package dev.reprise.cluster.peer;

import static java.nio.charset.StandardCharsets.UTF_8;

import dev.reprise.cluster.base.ClusterException;
import dev.reprise.core.StopReason;
import dev.reprise.delivery.AttributeFilter;
import dev.reprise.delivery.DeadLetterFilter;
import dev.reprise.delivery.EndpointFigures;
import dev.reprise.delivery.EndpointHealth;
import dev.reprise.delivery.LimitReason;
import dev.reprise.delivery.MessageId;
import dev.reprise.delivery.NoSubscriptionException;
import dev.reprise.delivery.Position;
import dev.reprise.delivery.Suspension;
import dev.reprise.delivery.SweepProgress;
import dev.reprise.delivery.SweepRequest;
import dev.reprise.delivery.shard.MinuteRecord;
import dev.reprise.delivery.shard.Reply;
import dev.reprise.delivery.shard.ShardInput;
import java.io.DataInputStream;
import java.io.DataOutputStream;
import java.io.IOException;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import org.jspecify.annotations.Nullable;
import tools.jackson.databind.json.JsonMapper;

/**
 * The questions and requests about one subscription in one shard, and their answers, as nodes send
 * them to each other. Constants of enums go by their names.
 */
public final class PeerAsks {
  private static final JsonMapper JSON = JsonMapper.shared();

  private static final int REDRIVE = 1;
  private static final int PURGE = 2;
  private static final int ATTEMPT_NOW = 3;
  private static final int CANCEL = 4;
  private static final int MOVED = 5;
  private static final int SUSPEND = 6;
  private static final int RELEASE = 7;
  private static final int INSPECT = 8;
  private static final int PRESENT_MINUTE = 9;
  private static final int RESUME = 10;
  private static final int ACKNOWLEDGE_LOST = 11;

  private PeerAsks() {}

  /** A form of values. */
  private interface Form<T> {
    void write(DataOutputStream out, T value) throws IOException;

    T read(DataInputStream in) throws IOException;
  }

  /** Whether it may be asked twice, since it only looks. */
  public static boolean changesNothing(ShardInput.Asks<?> asks) {
    return asks instanceof ShardInput.Inspect || asks instanceof ShardInput.PresentMinute;
  }

  // --- questions ---------------------------------------------------------------------------

  public static byte[] encode(ShardInput.Asks<?> asks) {
    return PeerProtocol.write(
        out -> {
          if (asks instanceof ShardInput.Redrive redrive) {
            begin(out, REDRIVE, redrive.subscription());
            sweep(out, redrive.request());
          } else if (asks instanceof ShardInput.Purge purge) {
            begin(out, PURGE, purge.subscription());
            sweep(out, purge.request());
          } else if (asks instanceof ShardInput.AttemptNow now) {
            begin(out, ATTEMPT_NOW, now.subscription());
            walk(out, now.message(), now.from(), now.limit());
          } else if (asks instanceof ShardInput.Cancel cancel) {
            begin(out, CANCEL, cancel.subscription());
            walk(out, cancel.message(), cancel.from(), cancel.limit());
          } else if (asks instanceof ShardInput.Moved moved) {
            begin(out, MOVED, moved.subscription());
            out.writeInt(moved.letters().size());
            for (Position letter : moved.letters()) {
              position(out, letter);
            }
          } else if (asks instanceof ShardInput.Suspend suspend) {
            begin(out, SUSPEND, suspend.subscription());
            text(out, suspend.reason());
            out.writeLong(suspend.maxAgeMillis());
            out.writeLong(suspend.maxHeld());
          } else if (asks instanceof ShardInput.Release release) {
            begin(out, RELEASE, release.subscription());
          } else if (asks instanceof ShardInput.Inspect inspect) {
            begin(out, INSPECT, inspect.subscription());
          } else if (asks instanceof ShardInput.PresentMinute present) {
            begin(out, PRESENT_MINUTE, present.subscription());
          } else if (asks instanceof ShardInput.Resume resume) {
            begin(out, RESUME, 0);
            text(out, resume.group());
          } else if (asks instanceof ShardInput.AcknowledgeLost) {
            begin(out, ACKNOWLEDGE_LOST, 0);
          } else {
            throw new IllegalArgumentException("is sent in another way: " + asks.getClass());
          }
        });
  }

  /**
   * Reads a question.
   *
   * @param answer completed with the answer for the node that has asked
   */
  public static ShardInput.Asks<?> decode(byte[] bytes, CompletableFuture<byte[]> answer) {
    return PeerProtocol.read(
        bytes,
        in -> {
          int kind = in.readByte();
          long number = in.readLong();
          return switch (kind) {
            case REDRIVE -> new ShardInput.Redrive(number, sweep(in), reply(PROGRESS, answer));
            case PURGE -> new ShardInput.Purge(number, sweep(in), reply(PROGRESS, answer));
            case ATTEMPT_NOW ->
                new ShardInput.AttemptNow(
                    number,
                    orNull(in, PeerAsks::message),
                    orNull(in, PeerAsks::position),
                    in.readInt(),
                    reply(PROGRESS, answer));
            case CANCEL ->
                new ShardInput.Cancel(
                    number,
                    orNull(in, PeerAsks::message),
                    orNull(in, PeerAsks::position),
                    in.readInt(),
                    reply(PROGRESS, answer));
            case MOVED -> new ShardInput.Moved(number, positions(in), reply(COUNT, answer));
            case SUSPEND ->
                new ShardInput.Suspend(
                    number, text(in), in.readLong(), in.readLong(), reply(SUSPENSION, answer));
            case RELEASE -> new ShardInput.Release(number, reply(FLAG, answer));
            case INSPECT -> new ShardInput.Inspect(number, reply(HEALTH, answer));
            case RESUME -> new ShardInput.Resume(text(in), reply(FLAG, answer));
            case ACKNOWLEDGE_LOST -> new ShardInput.AcknowledgeLost(reply(FLAG, answer));
            case PRESENT_MINUTE -> new ShardInput.PresentMinute(number, reply(MINUTE, answer));
            default ->
                throw new ClusterException(
                    "another node asks for " + kind + ", which this version does not know", null);
          };
        });
  }

  private static <T> Reply<T> reply(Form<T> form, CompletableFuture<byte[]> answer) {
    return new Reply<>() {
      @Override
      public void complete(T value) {
        answer.complete(PeerProtocol.done(out -> form.write(out, value)));
      }

      @Override
      public void fail(Throwable error) {
        answer.complete(
            error instanceof NoSubscriptionException
                ? PeerProtocol.gone()
                : PeerProtocol.elsewhere());
      }
    };
  }

  // --- answers -----------------------------------------------------------------------------

  /** Answers the caller that waits here. */
  public static void complete(ShardInput.Asks<?> asks, int shard, byte[] answer) {
    if (asks instanceof ShardInput.Redrive redrive) {
      complete(redrive.reply(), PROGRESS, shard, answer);
    } else if (asks instanceof ShardInput.Purge purge) {
      complete(purge.reply(), PROGRESS, shard, answer);
    } else if (asks instanceof ShardInput.AttemptNow now) {
      complete(now.reply(), PROGRESS, shard, answer);
    } else if (asks instanceof ShardInput.Cancel cancel) {
      complete(cancel.reply(), PROGRESS, shard, answer);
    } else if (asks instanceof ShardInput.Moved moved) {
      complete(moved.reply(), COUNT, shard, answer);
    } else if (asks instanceof ShardInput.Suspend suspend) {
      complete(suspend.reply(), SUSPENSION, shard, answer);
    } else if (asks instanceof ShardInput.Release release) {
      complete(release.reply(), FLAG, shard, answer);
    } else if (asks instanceof ShardInput.Inspect inspect) {
      complete(inspect.reply(), HEALTH, shard, answer);
    } else if (asks instanceof ShardInput.PresentMinute present) {
      complete(present.reply(), MINUTE, shard, answer);
    } else if (asks instanceof ShardInput.Resume resume) {
      complete(resume.reply(), FLAG, shard, answer);
    } else if (asks instanceof ShardInput.AcknowledgeLost acknowledge) {
      complete(acknowledge.reply(), FLAG, shard, answer);
    }
  }

  private static <T> void complete(Reply<T> reply, Form<T> form, int shard, byte[] answer) {
    reply.complete(PeerProtocol.done(shard, answer, form::read));
  }

  private static final Form<Boolean> FLAG =
      new Form<>() {
        @Override
        public void write(DataOutputStream out, Boolean flag) throws IOException {
          out.writeBoolean(flag);
        }

        @Override
        public Boolean read(DataInputStream in) throws IOException {
          return in.readBoolean();
        }
      };

  private static final Form<Integer> COUNT =
      new Form<>() {
        @Override
        public void write(DataOutputStream out, Integer count) throws IOException {
          out.writeInt(count);
        }

        @Override
        public Integer read(DataInputStream in) throws IOException {
          return in.readInt();
        }
      };

  private static final Form<SweepProgress> PROGRESS =
      new Form<>() {
        @Override
        public void write(DataOutputStream out, SweepProgress progress) throws IOException {
          out.writeInt(progress.changed());
          orNull(out, progress.next(), PeerAsks::position);
          out.writeInt(progress.seen());
        }

        @Override
        public SweepProgress read(DataInputStream in) throws IOException {
          return new SweepProgress(in.readInt(), orNull(in, PeerAsks::position), in.readInt());
        }
      };

  private static final Form<Suspension> SUSPENSION =
      new Form<>() {
        @Override
        public void write(DataOutputStream out, Suspension suspension) throws IOException {
          text(out, suspension.cause().name());
          out.writeLong(suspension.sinceMillis());
          text(out, suspension.reason());
          out.writeLong(suspension.maxAgeMillis());
          out.writeLong(suspension.maxHeld());
        }

        @Override
        public Suspension read(DataInputStream in) throws IOException {
          return new Suspension(
              Suspension.Cause.valueOf(text(in)),
              in.readLong(),
              text(in),
              in.readLong(),
              in.readLong());
        }
      };

  private static final Form<EndpointHealth> HEALTH =
      new Form<>() {
        @Override
        public void write(DataOutputStream out, EndpointHealth health) throws IOException {
          out.writeInt(health.inFlight());
          out.writeInt(health.limit());
          out.writeInt(health.maxInFlight());
          text(out, health.limitReason().name());
          out.writeLong(health.throttledMillis());
          out.writeLong(health.pausedUntilMillis());
          out.writeLong(health.nextDueMillis());
          out.writeInt(health.messages().size());
          for (MessageId message : health.messages()) {
            PeerProtocol.message(out, message);
          }
          orNull(
              out,
              health.groupHold(),
              (to, hold) -> {
                text(to, hold.group());
                text(to, hold.reason());
                to.writeLong(hold.untilMillis());
              });
        }

        @Override
        public EndpointHealth read(DataInputStream in) throws IOException {
          return new EndpointHealth(
              in.readInt(),
              in.readInt(),
              in.readInt(),
              LimitReason.valueOf(text(in)),
              in.readLong(),
              in.readLong(),
              in.readLong(),
              messages(in),
              orNull(
                  in,
                  from -> new EndpointHealth.GroupHold(text(from), text(from), from.readLong())));
        }
      };

  private static final Form<Optional<EndpointFigures>> MINUTE =
      new Form<>() {
        @Override
        public void write(DataOutputStream out, Optional<EndpointFigures> minute)
            throws IOException {
          orNull(
              out,
              minute.orElse(null),
              (to, figures) -> {
                to.writeLong(figures.fromMillis());
                PeerProtocol.blob(to, MinuteRecord.encode(figures));
              });
        }

        @Override
        public Optional<EndpointFigures> read(DataInputStream in) throws IOException {
          return Optional.ofNullable(
              orNull(in, from -> MinuteRecord.decode(from.readLong(), PeerProtocol.blob(from))));
        }
      };

  // --- parts -------------------------------------------------------------------------------

  private interface Write<T> {
    void to(DataOutputStream out, T value) throws IOException;
  }

  private static <T> void orNull(DataOutputStream out, @Nullable T value, Write<T> write)
      throws IOException {
    out.writeBoolean(value != null);
    if (value != null) {
      write.to(out, value);
    }
  }

  private static <T> @Nullable T orNull(DataInputStream in, PeerProtocol.Reading<T> reading)
      throws IOException {
    return in.readBoolean() ? reading.from(in) : null;
  }

  private static void begin(DataOutputStream out, int kind, long subscription) throws IOException {
    out.writeByte(kind);
    out.writeLong(subscription);
  }

  private static void text(DataOutputStream out, String text) throws IOException {
    PeerProtocol.blob(out, text.getBytes(UTF_8));
  }

  private static String text(DataInputStream in) throws IOException {
    return new String(PeerProtocol.blob(in), UTF_8);
  }

  private static MessageId message(DataInputStream in) throws IOException {
    return new MessageId(in.readLong(), in.readLong());
  }

  private static Set<MessageId> messages(DataInputStream in) throws IOException {
    Set<MessageId> messages = new HashSet<>();
    for (int left = in.readInt(); left > 0; left--) {
      messages.add(message(in));
    }
    return messages;
  }

  private static void position(DataOutputStream out, Position position) throws IOException {
    out.writeLong(position.atMillis());
    PeerProtocol.message(out, position.message());
  }

  private static Position position(DataInputStream in) throws IOException {
    return new Position(in.readLong(), message(in));
  }

  private static List<Position> positions(DataInputStream in) throws IOException {
    List<Position> positions = new ArrayList<>();
    for (int left = in.readInt(); left > 0; left--) {
      positions.add(position(in));
    }
    return positions;
  }

  private static void walk(
      DataOutputStream out, @Nullable MessageId message, @Nullable Position from, int limit)
      throws IOException {
    orNull(out, message, PeerProtocol::message);
    orNull(out, from, PeerAsks::position);
    out.writeInt(limit);
  }

  private static void sweep(DataOutputStream out, SweepRequest request) throws IOException {
    DeadLetterFilter filter = request.filter();
    orNull(out, filter.reason(), (to, reason) -> text(to, reason.name()));
    orNull(out, filter.message(), PeerProtocol::message);
    out.writeLong(filter.diedFromMillis());
    out.writeLong(filter.diedToMillis());
    orNull(
        out,
        filter.attributes(),
        (to, attributes) -> PeerProtocol.blob(to, JSON.writeValueAsBytes(attributes.document())));
    orNull(out, filter.text(), PeerAsks::text);
    out.writeLong(request.startedAtMillis());
    orNull(out, request.from(), PeerAsks::position);
    out.writeInt(request.limit());
    out.writeDouble(request.perSecond());
    out.writeLong(request.before());
  }

  private static SweepRequest sweep(DataInputStream in) throws IOException {
    DeadLetterFilter filter =
        new DeadLetterFilter(
            orNull(in, from -> StopReason.valueOf(text(from))),
            orNull(in, PeerAsks::message),
            in.readLong(),
            in.readLong(),
            orNull(in, from -> AttributeFilter.stored(JSON.readTree(PeerProtocol.blob(from)))),
            orNull(in, PeerAsks::text));
    return new SweepRequest(
        filter,
        in.readLong(),
        orNull(in, PeerAsks::position),
        in.readInt(),
        in.readDouble(),
        in.readLong());
  }
}
