package dev.reprise.server.openapi;

import dev.reprise.server.http.PathParameter;
import dev.reprise.server.schema.Schema;

/** The variable parts of paths. */
final class PathParameters {
  static final PathParameter TOPIC =
      new PathParameter("topic", Schema.TEXT, "1 to 256 letters, digits and - _ + .", "orders");

  static final PathParameter SUBSCRIPTION =
      new PathParameter("id", Schema.TEXT, "The subscription's id.", "orders-7");

  static final PathParameter DELIVERY =
      new PathParameter(
          "id",
          Schema.TEXT,
          "Message id, @, subscription id.",
          "01934c5e-7b2a-7c3d-8e4f-5a6b7c8d9e0f@orders-7");

  static final PathParameter KIND =
      new PathParameter(
          "kind",
          Schema.oneOf("policy", "topic", "scenario"),
          "policy (whatever is read as a policy), topic (what topics and subscriptions"
              + " accept) or scenario (of the lab).",
          null);

  static final PathParameter LAB_RUN = new PathParameter("id", Schema.TEXT, "The run's id.", null);

  static final PathParameter CARRIER =
      new PathParameter("name", Schema.TEXT, "The carrier's name.", "smsc");

  static final PathParameter PROJECT =
      new PathParameter("name", Schema.TEXT, "The project.", "shop");

  static final PathParameter KEY =
      new PathParameter("id", Schema.TEXT, "The key's id.", "0123456789ab");

  static final PathParameter RECORD =
      new PathParameter(
          "id",
          Schema.TEXT.with("pattern", "^(in|open)-[0-9]{1,4}@[0-9]{1,18}$"),
          "The topic, the shard and the offset: `in-3@17` is the record 17 of shard 3 in"
              + " the topic of nodes; `open-` is that of applications, at whose records no"
              + " shard stands.",
          "in-3@17");

  private PathParameters() {}
}
