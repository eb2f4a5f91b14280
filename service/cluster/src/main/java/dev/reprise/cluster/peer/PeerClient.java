package dev.reprise.cluster.peer;

import dev.reprise.cluster.group.ShardMap;
import java.util.concurrent.CompletionStage;

/** Carries requests from node to node: over HTTP, between APIs. Safe for use by many threads. */
public interface PeerClient {
  /**
   * Sends a request to another node, which hands it to {@code ClusterHost.answer}. Does not block.
   *
   * @return completes with the answer; fails if there is none, with {@link NotSentException} if the
   *     node has not got the request
   */
  CompletionStage<byte[]> call(ShardMap.Node node, byte[] request);
}
