package dev.reprise.server.document;

import dev.reprise.server.schema.Described;
import dev.reprise.server.schema.Kind;
import java.util.List;

/** The attempts of the last hour. */
@Described(name = "OverviewMinutes")
public record OverviewMinutesDocument(
    @Described("The last 60 whole minutes, the oldest first.") List<Minute> items) {
  /** The attempts of a minute. */
  public record Minute(
      @Described(value = "When it began.", kind = Kind.TIME) String at,
      @Described("Attempts that succeeded.") long delivered,
      @Described("Attempts that failed and are followed by another.") long retried,
      @Described("Attempts after which the delivery was given up.") long givenUp) {}
}
