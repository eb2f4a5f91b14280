package dev.reprise.server.openapi;

import dev.reprise.server.document.TopicDocument;
import dev.reprise.server.http.Description;
import dev.reprise.server.http.Refusal;
import dev.reprise.server.schema.CatalogSchemas;
import dev.reprise.server.schema.Schema;

/** The operations of the API's part "Topics". */
public final class TopicDescriptions {
  private static final String TAG = "Topics";

  public static final Description LIST_TOPICS =
      Description.of("listTopics", TAG, "All topics by name")
          .text(
              "The reserved topic reprise:operator is listed when it has subscriptions; it"
                  + " can be asked for by name in any case.")
          .query(
              "search", Schema.text(256), "Only those whose name has this text, in whatever case.")
          .parts()
          .answers(200, "A part of the list.", Schema.page("Topics", TopicDocument.class));

  public static final Description GET_TOPIC =
      Description.of("getTopic", TAG, "One topic")
          .path(PathParameters.TOPIC)
          .answers(200, "The topic.", Schema.of(TopicDocument.class))
          .refuses(Refusal.NOT_FOUND);

  public static final Description PUT_TOPIC =
      Description.of("putTopic", TAG, "Create a topic, or give it another policy")
          .text(
              "Without a body, creates a topic that says nothing on retries, or leaves one"
                  + " that exists as it is. A changed policy holds from the next decision on; what"
                  + " waits keeps its time, unless attempt-now makes it due.")
          .path(PathParameters.TOPIC)
          .optionalBody(CatalogSchemas.TOPIC_POLICY)
          .answers(
              200,
              "It existed; it has this policy now, or without a body the one it had.",
              Schema.of(TopicDocument.class))
          .answers(201, "It was created.", Schema.of(TopicDocument.class))
          .refuses(Refusal.CONFLICT);

  public static final Description DELETE_TOPIC =
      Description.of("deleteTopic", TAG, "Delete a topic without subscriptions")
          .text("The reserved topic reprise:operator cannot be deleted.")
          .path(PathParameters.TOPIC)
          .answers(204, "It is gone.")
          .refuses(Refusal.NOT_FOUND, Refusal.CONFLICT);

  private TopicDescriptions() {}
}
