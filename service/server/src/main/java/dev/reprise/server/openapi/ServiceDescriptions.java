package dev.reprise.server.openapi;

import dev.reprise.server.document.ClusterDocument;
import dev.reprise.server.document.ProbeDocument;
import dev.reprise.server.document.RecordDocument;
import dev.reprise.server.document.SkippedDocument;
import dev.reprise.server.document.TroublesDocument;
import dev.reprise.server.http.Description;
import dev.reprise.server.http.Refusal;
import dev.reprise.server.schema.Schema;

/** The operations of the API's part "Operation". */
public final class ServiceDescriptions {
  private static final String TAG = "Operation";

  public static final Description ACKNOWLEDGE_LOST =
      Description.of(
              "acknowledgeLost",
              TAG,
              "Say that it is known what was deleted before a shard had taken it in")
          .text(
              "The ledger and the cluster report it until then. A single service loses"
                  + " nothing in this way.")
          .answers(200, "Durable.", Schema.of(ClusterDocument.Acknowledged.class));

  public static final Description GET_CLUSTER =
      Description.of("getCluster", TAG, "The nodes of the cluster, and which of them owns what")
          .text(
              "Asks every node; one that has not answered in three seconds is shown with that"
                  + " problem. Of a single service `clustered` is false and the lists are empty.")
          .answers(
              200,
              "The cluster as the node that was asked sees it.",
              Schema.of(ClusterDocument.class));

  public static final Description GET_TROUBLES =
      Description.of("getTroubles", TAG, "What an operator must act on")
          .text(
              "The overview of the console and `reprise troubles` have the same list, and operator"
                  + " events report the same facts. An operator sees all of it. Others see what is"
                  + " about subscriptions of their project, and nothing of hosts, carriers, disks"
                  + " and nodes, which projects share. In a cluster every node is asked, and one"
                  + " that has not answered in three seconds is a trouble; `endpoint_held` and"
                  + " `dead_letters_grow` are those of the shards of the node that answers.")
          .answers(200, "The list.", Schema.of(TroublesDocument.class));

  public static final Description GET_RECORD =
      Description.of("getRecord", TAG, "What a shard has at a place of its topics")
          .text(
              "Reads one record of the topic of nodes or of that of applications, committed"
                  + " or not, and says what it is read as, or why it is no message. The body is not"
                  + " shown. Any node answers.")
          .path(PathParameters.RECORD)
          .answers(200, "What is there.", Schema.of(RecordDocument.class))
          .refuses(Refusal.NOT_FOUND, Refusal.CONFLICT);

  public static final Description SKIP_RECORD =
      Description.of("skipRecord", TAG, "Pass over the record at which a shard stands")
          .text(
              "What the record says is lost: look at it first. The shard goes on with the"
                  + " next one. The event `skipped` records it.")
          .path(PathParameters.RECORD)
          .answers(
              200,
              "It is passed over, for owners to come as well.",
              Schema.of(SkippedDocument.class))
          .refuses(Refusal.NOT_FOUND, Refusal.CONFLICT);

  public static final Description LIVE =
      Description.of("live", TAG, "Whether the process works; if not, restart it")
          .answers(200, "It works.", Schema.of(ProbeDocument.class))
          .answers(
              503, "A shard or the store has failed for good.", Schema.of(ProbeDocument.class));

  public static final Description READY =
      Description.of("ready", TAG, "Whether publishing is possible just now")
          .answers(200, "It is.", Schema.of(ProbeDocument.class))
          .answers(
              503,
              "It is not: storage full or stalled, or stopping.",
              Schema.of(ProbeDocument.class));

  public static final Description METRICS =
      Description.of("metrics", TAG, "Figures for Prometheus")
          .answers(200, "All figures.", "text/plain", Schema.TEXT);

  public static final Description DESCRIBE =
      Description.of("describe", TAG, "This document")
          .answers(200, "OpenAPI 3.1.", Schema.ANY_OBJECT);

  public static final Description DESCRIBE30 =
      Description.of(
              "describe30",
              TAG,
              "This document in OpenAPI 3.0, for generators that read nothing newer")
          .answers(200, "OpenAPI 3.0.", Schema.ANY_OBJECT);

  private ServiceDescriptions() {}
}
