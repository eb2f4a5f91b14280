package dev.reprise.server.http;

/** The node of a cluster that answers an operation. Every route states one; there is no default. */
public enum Place {
  /** The node that was asked: everything that it needs is known to all. */
  ANYWHERE,

  /**
   * The owner of the first shard, which has the catalog: what all shards share is changed there.
   */
  CATALOG,

  /**
   * The node that was asked, if it knows the topic {@code {topic}}. One that is not known may be
   * new: then the owner of the catalog.
   */
  TOPIC,

  /**
   * The owner of the shard of subscription {@code {id}}: only its memory knows what is asked for.
   * With a subscription that is spread over several shards, the node that was asked asks all of
   * them.
   */
  SUBSCRIPTION,

  /** As {@link #TOPIC}, for a subscription {@code {id}}. */
  KNOWN_SUBSCRIPTION,

  /** As {@link #SUBSCRIPTION}, for the subscription of the delivery {@code {id}}. */
  DELIVERY,

  /** As {@link #SUBSCRIPTION}, for the parameter {@code subscription}, if there is one. */
  SUBSCRIPTION_PARAMETER,

  /** The owner of the shard for which record {@code {id}} waits. */
  RECORD
}
