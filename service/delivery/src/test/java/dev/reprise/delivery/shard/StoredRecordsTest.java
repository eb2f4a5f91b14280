package dev.reprise.delivery.shard;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.reprise.core.StopReason;
import dev.reprise.core.backoff.Stage;
import dev.reprise.delivery.DeliveryState;
import dev.reprise.delivery.DeliveryState.Status;
import dev.reprise.delivery.DueReason;
import dev.reprise.delivery.HistoryEvent;
import dev.reprise.delivery.HistoryEvent.LoggedOutcome;
import dev.reprise.delivery.MessageId;
import dev.reprise.delivery.Payload;
import dev.reprise.delivery.ReceiptCounts;
import dev.reprise.delivery.RepeatReason;
import dev.reprise.delivery.Suspension;
import dev.reprise.delivery.TraceContext;
import java.util.ArrayList;
import java.util.List;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.constraints.IntRange;
import net.jqwik.api.constraints.LongRange;
import net.jqwik.api.constraints.NotEmpty;
import net.jqwik.api.constraints.UniqueElements;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Records come back from the store as they went in. */
class StoredRecordsTest {
  private static final MessageId MESSAGE = new MessageId(1L << 60, -5);

  @Property
  void pendingDeliveries(
      @ForAll @LongRange(min = 0) long due,
      @ForAll @IntRange(min = 0) int attempts,
      @ForAll @IntRange(min = 0) int retries,
      @ForAll @LongRange(min = 0) long since,
      @ForAll DueReason.Kind kind,
      @ForAll Stage stage,
      @ForAll @LongRange(min = 0) long backoff,
      @ForAll @LongRange(min = -1, max = Long.MAX_VALUE - 1) long hint,
      @ForAll byte[] payload,
      @ForAll boolean shared) {
    Pending pending =
        new Pending(
            MESSAGE,
            due,
            attempts,
            retries,
            since,
            new DueReason(kind, retries, stage, backoff, hint),
            shared ? null : payload);
    assertThat(Pending.decode(pending.key(9), pending.encode()))
        .usingRecursiveComparison()
        .isEqualTo(pending);
    assertThat(Keys.subscription(pending.key(9))).isEqualTo(9);
  }

  @Property
  void deadLetters(
      @ForAll @LongRange(min = 0) long diedAt,
      @ForAll @IntRange(min = 0) int attempts,
      @ForAll StopReason reason,
      @ForAll @NotEmpty byte[] payload,
      @ForAll boolean shared) {
    Dead dead = new Dead(MESSAGE, diedAt, attempts, reason, "503 Täglich", shared ? null : payload);
    assertThat(Dead.decode(dead.key(9), dead.encode())).usingRecursiveComparison().isEqualTo(dead);
  }

  @Property
  void idempotencyKeys(
      @ForAll long fingerprint,
      @ForAll @UniqueElements List<@IntRange(max = 1023) Integer> shards) {
    List<Integer> ascending = shards.stream().sorted().toList();
    IdempotencyKeys.Entry entry = new IdempotencyKeys.Entry(MESSAGE, fingerprint, ascending);
    assertThat(IdempotencyKeys.Entry.decode(entry.encode())).isEqualTo(entry);
  }

  @Test
  void anIdempotencyKeyOfFormat4ConcernsAllShards() {
    byte[] stored =
        new RecordCodec.Writer(25)
            .u8(1)
            .fixed(MESSAGE.high())
            .fixed(MESSAGE.low())
            .fixed(77)
            .toBytes();
    assertThat(IdempotencyKeys.Entry.decode(stored))
        .isEqualTo(new IdempotencyKeys.Entry(MESSAGE, 77, null));
  }

  @ParameterizedTest
  @EnumSource(Status.class)
  void attemptsInTheHistory(Status status) {
    boolean pending = status == Status.PENDING;
    HistoryEvent event =
        new HistoryEvent(
            HistoryEvent.Kind.ATTEMPT,
            1_700_000_000_000L,
            Integer.MAX_VALUE,
            new LoggedOutcome(
                status == Status.DELIVERED, 503, "503 Grüße", "192.0.2.1", new byte[1024], 17),
            new DeliveryState(
                status,
                1_700_000_000_001L,
                pending || status == Status.DELIVERED ? null : StopReason.HINT_TOO_LONG),
            pending ? new DueReason(DueReason.Kind.RETRY, 3, Stage.MAX_DELAY, 20, 0) : null);
    assertReadsBack(event);
  }

  @ParameterizedTest
  @ValueSource(ints = {0, 1, 254, 1000})
  void receiptsInTheHistory(int part) {
    HistoryEvent event =
        new HistoryEvent(
            HistoryEvent.Kind.RECEIPT,
            1_700_000_000_007L,
            3,
            new LoggedOutcome(false, 11, "UNDELIV, error 011", "", new byte[0], 0),
            new DeliveryState(Status.DELIVERED, 1_700_000_000_001L, null),
            null);
    int kind = Code.EVENT.of(event.kind());
    byte[] key = Keys.historyOfReceipt(9, MESSAGE, 3, kind, part);
    assertThat(HistoryRecord.decode(key, HistoryRecord.encode(event)))
        .usingRecursiveComparison()
        .isEqualTo(event);
    assertThat(Keys.historyMessage(key)).isEqualTo(MESSAGE);
    assertThat(Keys.subscription(key)).isEqualTo(9);
  }

  @Property
  void receiptsToCome(
      @ForAll @LongRange(min = 1) long subscription,
      @ForAll @IntRange(min = 1) int attempt,
      @ForAll @IntRange(min = 0) int part,
      @ForAll @LongRange(min = 0) long at) {
    AwaitedReceipt awaited = new AwaitedReceipt(subscription, MESSAGE, attempt, part, at);
    assertThat(AwaitedReceipt.decode(awaited.encode())).isEqualTo(awaited);
  }

  /** As formats 1 to 3 of the folder have it. */
  @Test
  void aMessageOfBeforeThereWereTracesIsRead() {
    byte[] first = {1, 3, 'a', '/', 'b', 2, '{', '}', 1, '7'};
    byte[] second = {2, 3, 'a', '/', 'b', 0, 1, '7', 2, '{', '}'};

    assertThat(PayloadRecord.trace(first)).isNull();
    assertThat(PayloadRecord.decode(first))
        .usingRecursiveComparison()
        .isEqualTo(new Payload("a/b", new byte[] {'{', '}'}, new byte[] {'7'}));
    assertThat(PayloadRecord.encode(PayloadRecord.decode(first))).isEqualTo(first);
    assertThat(PayloadRecord.trace(second)).isNull();
    assertThat(PayloadRecord.encode(PayloadRecord.decode(second))).isEqualTo(second);
  }

  @Test
  void aMessageWithATraceIsReadBack() {
    TraceContext trace =
        new TraceContext("0af7651916cd43dd8448eb211c80319c", "b7ad6b7169203331", 1, "a=1");
    Payload payload = new Payload("a/b", new byte[0], new byte[] {'7'}).withTrace(trace);
    byte[] stored = PayloadRecord.encode(payload);

    assertThat(PayloadRecord.trace(stored)).isEqualTo(trace);
    assertThat(PayloadRecord.decode(stored)).usingRecursiveComparison().isEqualTo(payload);
    assertThat(PayloadRecord.trace(new byte[0])).isNull();
  }

  /** As format 3 of the folder has it. */
  @Test
  void aReceiptToComeIsReadAsItWasFirstWritten() {
    byte[] stored = {1, 9, 16, 0, 0, 0, 0, 0, 0, 0, -1, -1, -1, -1, -1, -1, -1, -5, 2, 1, 100};
    assertThat(AwaitedReceipt.read(stored)).isEqualTo(new AwaitedReceipt(9, MESSAGE, 2, 1, 100));
    assertThat(AwaitedReceipt.read(new byte[] {1, 9, 16})).as("damaged").isNull();
    stored[0] = 2;
    assertThat(AwaitedReceipt.read(stored)).as("of a newer program").isNull();
  }

  @ParameterizedTest
  @EnumSource(
      value = HistoryEvent.Kind.class,
      names = {"ATTEMPT", "RECEIPT"},
      mode = EnumSource.Mode.EXCLUDE)
  void otherEventsInTheHistory(HistoryEvent.Kind kind) {
    boolean redriven = kind == HistoryEvent.Kind.REDRIVEN;
    assertReadsBack(
        new HistoryEvent(
            kind,
            5,
            0,
            null,
            new DeliveryState(
                redriven ? Status.PENDING : Status.EXPIRED,
                5,
                redriven ? null : StopReason.DEADLINE),
            redriven ? DueReason.REDRIVE : null));
  }

  private static void assertReadsBack(HistoryEvent event) {
    byte[] key = HistoryRecord.key(9, MESSAGE, event);
    assertThat(HistoryRecord.decode(key, HistoryRecord.encode(event)))
        .usingRecursiveComparison()
        .isEqualTo(event);
    assertThat(Keys.historyMessage(key)).isEqualTo(MESSAGE);
  }

  @Test
  void eventsAreOrderedByWhenTheyHappenedAndNotByKind() {
    DeliveryState state = new DeliveryState(Status.PENDING, 0, null);
    List<HistoryEvent> events = new ArrayList<>();
    long at = 10;
    for (HistoryEvent.Kind kind : HistoryEvent.Kind.values()) {
      events.add(0, new HistoryEvent(kind, at--, 1, null, state, null));
    }
    List<HistoryEvent> byTime = List.copyOf(events);
    events.add(0, new HistoryEvent(HistoryEvent.Kind.ATTEMPT, 1, 2, null, state, null));
    events.sort(HistoryRecord.ORDER);
    assertThat(events.subList(0, byTime.size())).isEqualTo(byTime);
    assertThat(events.get(byTime.size()).attempt()).isEqualTo(2);
  }

  @Property
  void payloads(@ForAll byte[] attributes, @ForAll byte[] body) {
    Payload payload = new Payload("application/json; charset=ü", attributes, body);
    assertThat(PayloadRecord.decode(PayloadRecord.encode(payload)))
        .usingRecursiveComparison()
        .isEqualTo(payload);
  }

  @Test
  void aPayloadHasItsLimit() {
    assertThat(new Payload("", new byte[1024], new byte[255 * 1024]).body()).hasSize(255 * 1024);
    assertThatThrownBy(() -> new Payload("", new byte[1024], new byte[255 * 1024 + 1]))
        .isInstanceOf(Payload.TooLargeException.class)
        .hasMessage(
            "message has 262145 bytes of body and attributes: must have at most 262144 (256 KB)");
  }

  @Property
  void counters(
      @ForAll @LongRange(min = 0) long accepted,
      @ForAll @LongRange(min = 0) long other,
      @ForAll @LongRange(min = 0) long lowDue,
      @ForAll Pace pace) {
    Counters counters = new Counters();
    counters.accepted = accepted;
    counters.pending = other;
    counters.delivered = other / 2;
    counters.deadLettered = other / 3;
    counters.discarded = other / 4;
    counters.expired = other / 5;
    counters.attempts = other / 6;
    counters.lowDueMillis = lowDue;
    counters.pausedUntilMillis = other / 7;
    counters.historyBytes = other / 8;
    counters.pace = pace;
    counters.receiptsDelivered = other / 9;
    counters.receiptsFailed = other / 10;
    counters.moved = other / 11;
    counters.deadLetterBytes = other / 12;
    counters.suspension =
        other % 2 == 0 ? null : Suspension.of(Suspension.Cause.OPERATOR, other / 13, "why");
    assertThat(Counters.decode(counters.encode())).usingRecursiveComparison().isEqualTo(counters);
  }

  @Test
  void countersOfTheFirstFormatAreRead() {
    byte[] stored = {1, 10, 9, 8, 7, 6, 5, 4, 3};
    Counters counters = new Counters();
    counters.lowDueMillis = 10;
    counters.accepted = 9;
    counters.pending = 8;
    counters.delivered = 7;
    counters.deadLettered = 6;
    counters.discarded = 5;
    counters.expired = 4;
    counters.attempts = 3;
    counters.historyUncounted = true;
    counters.deadLettersUncounted = true;
    assertThat(Counters.decode(stored)).usingRecursiveComparison().isEqualTo(counters);
  }

  @Test
  void countersOfTheSecondFormatAreRead() {
    byte[] stored = {2, 10, 9, 8, 7, 6, 5, 4, 3, 2, 1, 3};
    Counters counters = new Counters();
    counters.lowDueMillis = 10;
    counters.accepted = 9;
    counters.pending = 8;
    counters.delivered = 7;
    counters.deadLettered = 6;
    counters.discarded = 5;
    counters.expired = 4;
    counters.attempts = 3;
    counters.pausedUntilMillis = 2;
    counters.historyBytes = 1;
    counters.pace = Pace.HANGING;
    counters.deadLettersUncounted = true;
    assertThat(Counters.decode(stored)).usingRecursiveComparison().isEqualTo(counters);
  }

  @Test
  void countersOfTheThirdFormatAreRead() {
    byte[] stored = {3, 10, 9, 8, 7, 6, 5, 4, 3, 2, 1, 3, 5, 6};
    Counters counters = Counters.decode(stored);
    assertThat(counters.toReceiptCounts()).isEqualTo(new ReceiptCounts(5, 6));
    assertThat(counters.suspension).isNull();
    assertThat(counters.deadLettersUncounted).isTrue();
  }

  @Test
  void countersOfTheFourthFormatAreRead() {
    byte[] stored = {4, 10, 9, 8, 7, 6, 5, 4, 3, 2, 1, 3, 5, 6, 7, 8, 1, 1, 9, 2, 'u', 'p', 11, 12};
    Counters counters = Counters.decode(stored);
    assertThat(counters.moved).isEqualTo(7);
    assertThat(counters.deadLetterBytes).isEqualTo(8);
    assertThat(counters.suspension)
        .isEqualTo(new Suspension(Suspension.Cause.ENDPOINT, 9, "up", 11, 12));
    assertThat(counters.streak).isNull();
    assertThat(counters.encode()).as("an older node of a cluster reads it").isEqualTo(stored);
    counters.repeats[Code.REPEAT.of(RepeatReason.GATEWAY)] = 1;
    assertThat(counters.encode()[0]).isEqualTo((byte) 5);
    assertThat(Counters.decode(counters.encode())).usingRecursiveComparison().isEqualTo(counters);
  }

  @Test
  void countersOfTheFifthFormatAreRead() {
    byte[] stored = {
      5, 10, 9, 8, 7, 6, 5, 4, 3, 2, 1, 3, 5, 6, 7, 8, 0, 1, 3, '4', '0', '3', 4, 'n', 'o', 'p',
      'e', 20, 1, 0, 0, 0, 1, 9, 16, 0, 0, 0, 0, 0, 0, 0, -1, -1, -1, -1, -1, -1, -1, -5, 4, 1, 2,
      3, 4
    };
    Counters counters = Counters.decode(stored);
    assertThat(counters.streak)
        .isEqualTo(
            new Streak("403", "nope", 20, List.of(new Streak.Refused(9, MESSAGE)), 1, 0, 0, 0));
    assertThat(counters.toRepeatCounts().of(RepeatReason.KILLED)).isEqualTo(1);
    assertThat(counters.toRepeatCounts().of(RepeatReason.GATEWAY)).isEqualTo(4);
    assertThat(counters.encode()).isEqualTo(stored);
  }

  @ParameterizedTest
  @EnumSource(RepeatReason.class)
  void whatMayHaveBeenTakenIsReadBack(RepeatReason reason) {
    Pending pending = Pending.first(MESSAGE, 5, new byte[] {7});
    assertThat(pending.encode()[0]).as("format 6 reads it").isEqualTo((byte) 1);
    Pending unclear = pending.withUnclear(reason);
    assertThat(Pending.decode(unclear.key(9), unclear.encode()))
        .usingRecursiveComparison()
        .isEqualTo(unclear);
    Dead dead = new Dead(MESSAGE, 5, 1, StopReason.ATTEMPTS, "timeout", null, reason);
    assertThat(Dead.decode(dead.key(9), dead.encode())).isEqualTo(dead);
    assertReadsBack(
        new HistoryEvent(
            HistoryEvent.Kind.ATTEMPT,
            5,
            2,
            new LoggedOutcome(true, 200, "200 OK", "", new byte[0], 1),
            new DeliveryState(Status.DELIVERED, 5, null),
            null,
            reason));
  }

  /** What a host or a carrier has refused has a record of its own. */
  @Test
  void refusalsAreReadBack() {
    Streak held = new Streak("550 5.7.1", "550 5.7.1 no; may", 20, List.of(), 10, 21, 3, 22);
    byte[] stored = {
      1, 9, '5', '5', '0', ' ', '5', '.', '7', '.', '1', 17, '5', '5', '0', ' ', '5', '.', '7', '.',
      '1', ' ', 'n', 'o', ';', ' ', 'm', 'a', 'y', 20, 10, 21, 3, 22, 0
    };
    assertThat(Streak.decode(stored)).isEqualTo(held);
    assertThat(held.encode()).isEqualTo(stored);
    byte[] key = Keys.streak("https://münchen.example:443");
    assertThat(Keys.streakGroup(key)).isEqualTo("https://münchen.example:443");
  }

  /** What these numbers mean is in every store that exists: a change here loses data. */
  @Test
  void storedCodesArePinned() {
    assertThat(codes(Code.STAGE, Stage.values()))
        .containsExactly("IMMEDIATE", "MIN_DELAY", "BACKOFF", "MAX_DELAY");
    assertThat(codes(Code.STOP_REASON, StopReason.values()))
        .containsExactly(
            "NOT_RETRYABLE",
            "ATTEMPTS",
            "BUDGET",
            "DEADLINE",
            "HINT_TOO_LONG",
            "INTERRUPTED",
            "CANCELLED",
            "CLOSED",
            "UNREADABLE",
            "SUSPENDED");
    assertThat(codes(Code.DUE, DueReason.Kind.values()))
        .containsExactly("FIRST", "RETRY", "REDRIVE", "REQUESTED", "HELD");
    assertThat(codes(Code.EVENT, HistoryEvent.Kind.values()))
        .containsExactly(
            "ATTEMPT",
            "REDRIVEN",
            "EXPIRED",
            "PURGED",
            "UNREADABLE",
            "REQUESTED",
            "RETIRED",
            "RECEIPT",
            "DROPPED",
            "CANCELLED",
            "MOVED");
    assertThat(codes(Code.SUSPENSION, Suspension.Cause.values()))
        .containsExactly("OPERATOR", "ENDPOINT", "CREATION");
    assertThat(codes(Code.REPEAT, RepeatReason.values()))
        .containsExactly("KILLED", "TIMED_OUT", "CONNECTION_LOST", "GATEWAY");
    assertThat(codes(Code.PACE, Pace.values()))
        .containsExactly("UNKNOWN", "PROMPT", "SLOW", "HANGING");
    assertThat(codes(Code.STATUS, Status.values()))
        .containsExactly("PENDING", "DELIVERED", "DEAD_LETTERED", "DISCARDED", "EXPIRED", "MOVED");
  }

  private static <E extends Enum<E>> List<String> codes(Code<E> code, E[] constants) {
    List<String> names = new ArrayList<>();
    for (int i = 0; i < constants.length; i++) {
      names.add(code.at(i).name());
      assertThat(code.of(code.at(i))).isEqualTo(i);
    }
    return names;
  }
}
