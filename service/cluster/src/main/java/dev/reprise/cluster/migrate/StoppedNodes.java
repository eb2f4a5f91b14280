package dev.reprise.cluster.migrate;

import dev.reprise.cluster.base.ClusterException;
import dev.reprise.cluster.base.ClusterTopic;
import dev.reprise.cluster.base.TopicIds;
import dev.reprise.cluster.node.NodeFolder;
import dev.reprise.delivery.host.FolderMarks;
import dev.reprise.delivery.store.LogCopy;
import dev.reprise.delivery.store.RocksSettings;
import dev.reprise.delivery.store.RocksStore;
import dev.reprise.delivery.store.StoreException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import org.apache.kafka.common.Uuid;
import org.jspecify.annotations.Nullable;

/** The data folders of nodes that are stopped, which have copies of the topics of a cluster. */
final class StoppedNodes implements AutoCloseable {
  private final FolderMarks.Cluster cluster;
  private final List<Stopped> nodes = new ArrayList<>();

  /** A folder, the node that it belongs to, and the topics that its copies are of. */
  private record Stopped(RocksStore store, String name, TopicIds known) {}

  /**
   * The copy of a partition.
   *
   * @param node whose folder it is in
   */
  record Copy(String node, Path folder, LogCopy log) {}

  private StoppedNodes(FolderMarks.Cluster cluster) {
    this.cluster = cluster;
  }

  /**
   * Opens folders.
   *
   * @throws StoreException if one is no folder of a node of the cluster, or is in use
   */
  static StoppedNodes open(List<Path> folders, FolderMarks.Cluster cluster) {
    StoppedNodes opened = new StoppedNodes(cluster);
    try {
      folders.forEach(opened::add);
      return opened;
    } catch (RuntimeException e) {
      opened.close();
      throw e;
    }
  }

  private void add(Path folder) {
    FolderMarks.requireReadable(folder);
    String name = FolderMarks.requireNode(folder, cluster);
    TopicIds known = NodeFolder.known(folder, cluster);
    RocksSettings settings = RocksSettings.defaults().withReserveBytes(0);
    nodes.add(new Stopped(RocksStore.open(folder, settings), name, known));
  }

  /**
   * Returns the id of a topic that all folders know; null if they know none.
   *
   * @throws ClusterException if they know different ones: some have copies of what was there before
   */
  @Nullable Uuid id(ClusterTopic topic) {
    Stopped first = nodes.get(0);
    for (Stopped each : nodes) {
      if (!Objects.equals(each.known().of(topic), first.known().of(topic))) {
        throw new ClusterException(
            "topic %s: data folder %s knows it with the id %s, and data folder %s with %s: take those that know the later one"
                .formatted(
                    topic.name(cluster.name()),
                    first.store().folder(),
                    first.known().of(topic),
                    each.store().folder(),
                    each.known().of(topic)),
            null);
      }
    }
    return first.known().of(topic);
  }

  /** Returns the names of the folders. */
  String folders() {
    return String.join(
        ", ", nodes.stream().map(each -> "data folder " + each.store().folder()).toList());
  }

  /** Returns the names of the nodes. */
  String names() {
    return String.join(",", nodes.stream().map(Stopped::name).toList());
  }

  /**
   * Returns the copy that goes furthest of all in the view with this number; null if no folder has
   * a whole one.
   */
  @Nullable Copy newest(int view) {
    Copy newest = null;
    for (Stopped each : nodes) {
      LogCopy copy = new LogCopy(each.store().view(view));
      if (copy.position() > (newest == null ? 0 : newest.log().position())) {
        newest = new Copy(each.name(), each.store().folder(), copy);
      }
    }
    return newest;
  }

  @Override
  public void close() {
    nodes.forEach(each -> each.store().close());
  }
}
