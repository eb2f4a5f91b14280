package dev.reprise.delivery.shard;

import dev.reprise.delivery.AttemptOutcome;
import dev.reprise.delivery.EndpointHealth.GroupHold;
import dev.reprise.delivery.MessageId;
import dev.reprise.delivery.RefusalHold;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.ArrayList;
import java.util.List;
import java.util.function.LongUnaryOperator;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * Deliveries of one subscription, or of one host or carrier, that were given up one after the other
 * because each was refused for good with the same code. Once there are as many as is allowed they
 * have one cause, and the rest is held: one at a time is tried, and is not charged if it is refused
 * as well.
 *
 * @param code the code that all have in common, such as {@code 403} or {@code 550 5.7.1}
 * @param summary what came of the last one, for people
 * @param sinceMillis when the first of them ended, wall time
 * @param refused the deliveries, without those of a subscription that has its part already; empty
 *     once the rest is held
 * @param count how many deliveries were given up
 * @param heldSinceMillis since when the rest is held, wall time; 0 if it is not
 * @param probes how many tries were made since then for which the wait has grown
 * @param probeAtMillis before this wall time nothing is tried, if the rest is held
 */
record Streak(
    String code,
    String summary,
    long sinceMillis,
    List<Refused> refused,
    long count,
    long heldSinceMillis,
    long probes,
    long probeAtMillis) {
  private static final int VERSION = 1;

  private static final long FIRST_WAIT_MILLIS = 1000;

  private static final long MAX_WAIT_MILLIS = 60_000;

  private static final int MAX_CODE_LENGTH = 80;

  /** The enhanced status code of a mail server (RFC 3463) behind its number. */
  private static final Pattern ENHANCED =
      Pattern.compile("^([45]\\d\\d)[ -]([245]\\.\\d{1,3}\\.\\d{1,3})\\b");

  /** The end of the part of a summary that is the same for all messages. */
  private static final Pattern DETAIL = Pattern.compile(":\\s|[;,(\"']");

  /**
   * A delivery that was given up.
   *
   * @param subscription the number of its subscription
   * @param message its message
   */
  record Refused(long subscription, MessageId message) {}

  Streak {
    refused = List.copyOf(refused);
  }

  /** Returns the code of a refusal: two refusals with the same one have the same cause. */
  static String codeOf(AttemptOutcome outcome) {
    String summary = outcome.summary();
    Matcher enhanced = ENHANCED.matcher(summary);
    if (enhanced.find()) {
      return enhanced.group(1) + " " + enhanced.group(2);
    }
    if (outcome.status() != 0) {
      return Integer.toString(outcome.status());
    }
    Matcher detail = DETAIL.matcher(summary);
    String code = (detail.find() ? summary.substring(0, detail.start()) : summary).strip();
    if (code.isEmpty()) {
      return "refused";
    }
    return code.length() > MAX_CODE_LENGTH ? code.substring(0, MAX_CODE_LENGTH) : code;
  }

  static Streak none(String code, long nowMillis) {
    return new Streak(code, "", nowMillis, List.of(), 0, 0, 0, 0);
  }

  boolean isHeld() {
    return heldSinceMillis > 0;
  }

  /**
   * The same with one more. A delivery that was redriven and refused again counts once.
   *
   * @param part how many of one subscription count at the most
   */
  Streak with(Refused one, String newSummary, int part) {
    long own = refused.stream().filter(r -> r.subscription() == one.subscription()).count();
    if (refused.contains(one) || own >= part) {
      return this;
    }
    List<Refused> all = new ArrayList<>(refused);
    all.add(one);
    return new Streak(code, newSummary, sinceMillis, all, all.size(), 0, 0, 0);
  }

  /** Whether those that count are of several subscriptions. */
  boolean isOfSeveral() {
    return refused.stream().mapToLong(Refused::subscription).distinct().count() > 1;
  }

  /** The rest is held from now on. */
  Streak held(long nowMillis) {
    return new Streak(
        code,
        summary,
        sinceMillis,
        List.of(),
        count,
        Math.max(1, nowMillis),
        0,
        nowMillis + FIRST_WAIT_MILLIS);
  }

  /**
   * A try did not succeed. Those that were under way together are one try.
   *
   * @param again whether the same was tried before: only then does the wait grow
   * @param nowMillis wall time
   */
  Streak tried(String newSummary, boolean again, long nowMillis) {
    if (probeAtMillis > nowMillis) {
      return this;
    }
    long made = again ? probes + 1 : probes;
    long wait =
        again
            ? Math.min(MAX_WAIT_MILLIS, FIRST_WAIT_MILLIS << Math.min(made, 10))
            : FIRST_WAIT_MILLIS;
    return new Streak(
        code, newSummary, sinceMillis, refused, count, heldSinceMillis, made, nowMillis + wait);
  }

  /** The next try may be made at once. */
  Streak triedAt(long atMillis) {
    return new Streak(
        code,
        summary,
        sinceMillis,
        refused,
        count,
        heldSinceMillis,
        probes,
        Math.min(probeAtMillis, atMillis));
  }

  /** The same with other times, as after the clock was reset. */
  Streak withTimes(LongUnaryOperator moved) {
    return new Streak(
        code,
        summary,
        moved.applyAsLong(sinceMillis),
        refused,
        count,
        isHeld() ? Math.max(1, moved.applyAsLong(heldSinceMillis)) : 0,
        probes,
        moved.applyAsLong(probeAtMillis));
  }

  /** Returns what keeps the rest from being attempted, for people. */
  GroupHold hold(String group) {
    return new GroupHold(group, describe(), probeAtMillis);
  }

  /** One line for people about what is held, with the code, the number and the time. */
  String describe() {
    String last = summary.isBlank() || summary.equals(code) ? "" : RefusalHold.LAST + summary;
    return RefusalHold.BEGINNING
        + (count == 1 ? "1 delivery was" : count + " deliveries in a row were")
        + " given up with "
        + code
        + ", the rest waits since "
        + Instant.ofEpochMilli(heldSinceMillis).truncatedTo(ChronoUnit.SECONDS)
        + last;
  }

  byte[] encode() {
    RecordCodec.Writer out = new RecordCodec.Writer(64).u8(VERSION);
    write(out);
    return out.toBytes();
  }

  void write(RecordCodec.Writer out) {
    out.text(code).text(summary).number(sinceMillis).number(count).number(heldSinceMillis);
    out.number(probes).number(probeAtMillis).number(refused.size());
    for (Refused one : refused) {
      out.number(one.subscription()).fixed(one.message().high()).fixed(one.message().low());
    }
  }

  static Streak decode(byte[] value) {
    return read(new RecordCodec.Reader(value).version(VERSION));
  }

  static Streak read(RecordCodec.Reader in) {
    String code = in.text();
    String summary = in.text();
    long since = in.number();
    long count = in.number();
    long heldSince = in.number();
    long probes = in.number();
    long probeAt = in.number();
    List<Refused> refused = new ArrayList<>();
    for (int left = in.count(); left > 0; left--) {
      refused.add(new Refused(in.number(), new MessageId(in.fixed(), in.fixed())));
    }
    return new Streak(code, summary, since, refused, count, heldSince, probes, probeAt);
  }
}
