package dev.reprise.server.openapi;

import dev.reprise.server.document.LedgerDocument;
import dev.reprise.server.document.OverviewDocument;
import dev.reprise.server.document.OverviewMinutesDocument;
import dev.reprise.server.http.Description;
import dev.reprise.server.schema.Schema;

/** The operations of the API's part "Ledger". */
public final class LedgerDescriptions {
  private static final String TAG = "Ledger";

  public static final Description GET_LEDGER =
      Description.of("getLedger", TAG, "Where every accepted delivery has gone")
          .text(
              "Of one project, those of subscriptions that were removed are not among them:"
                  + " they are counted for all projects together.")
          .query(
              "verify",
              Schema.FLAG,
              "Also count every record, which takes seconds for millions. Only for all"
                  + " projects together.")
          .answers(200, "The ledger.", Schema.of(LedgerDocument.class));

  public static final Description GET_OVERVIEW =
      Description.of("getOverview", TAG, "The service at a glance")
          .text(
              "Read at most once a second for all clients together. An operator sees all projects,"
                  + " others their own.")
          .answers(200, "The overview.", Schema.of(OverviewDocument.class));

  public static final Description GET_OVERVIEW_MINUTES =
      Description.of("getOverviewMinutes", TAG, "The attempts of the last hour by the minute")
          .text(
              "Sums of what the minutes of subscriptions have. Those of subscriptions that were"
                  + " removed are not among them.")
          .answers(200, "The minutes.", Schema.of(OverviewMinutesDocument.class));

  public static final Description STREAM_OVERVIEW =
      Description.of("streamOverview", TAG, "The service at a glance, once a second")
          .text(
              "Server-sent events, each with an Overview as its data. A stream ends after a"
                  + " minute, and a client opens it anew; with its key or session it ends within"
                  + " seconds. At a time at most 25 of a key, 40 of a project, 150 of all projects"
                  + " and 200 with those of operators: beyond that 503, which names the bound.")
          .query("events", Schema.integer(1, 1000), "Ends after so many.")
          .query("project", Schema.TEXT, "As the header Reprise-Project, for what cannot send one.")
          .answers(200, "Events.", "text/event-stream", Schema.TEXT);

  private LedgerDescriptions() {}
}
