package dev.reprise.delivery.host;

import static java.nio.charset.StandardCharsets.US_ASCII;

import dev.reprise.delivery.store.RocksStore;
import dev.reprise.delivery.store.StoreException;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.NotDirectoryException;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.StandardOpenOption;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import org.jspecify.annotations.Nullable;

/**
 * The users of a data folder beside a service that has everything in it, in files of their own: a
 * node of a cluster, which has copies in it, and a cluster into which it was migrated. Neither
 * folder may be started as if it had everything: messages would be missing, or delivered twice.
 */
public final class FolderMarks {
  static final String CLUSTER = "reprise.cluster";
  static final String MIGRATED = "reprise.migrated";

  private static final String BEGUN = "begun";
  private static final String COMPLETE = "complete";

  private FolderMarks() {}

  /**
   * A cluster.
   *
   * @param id the id that its brokers have given themselves
   * @param name what the names of its topics begin with
   */
  public record Cluster(String id, String name) {
    @Override
    public String toString() {
      return "cluster '" + name + "' (of the Kafka cluster " + id + ")";
    }
  }

  /**
   * A node, and the topics that it has copies of.
   *
   * @param copies the id of the topic that most copies are of
   * @param topics the ids of all, as one word; empty in a folder of an older program
   */
  private record Node(Cluster of, String name, String copies, String topics) {
    /** Whether the other is the same node, with copies of the same topic. */
    boolean hasCopiesAs(Node other) {
      return of.equals(other.of) && name.equals(other.name) && copies.equals(other.copies);
    }
  }

  /**
   * The migration of a folder.
   *
   * @param into where to
   * @param id an id of this migration
   * @param complete whether the cluster has everything
   */
  public record Migration(Cluster into, String id, boolean complete) {}

  /**
   * Refuses a folder that does not have everything, or of which a cluster has everything as well.
   * Changes nothing.
   *
   * @throws StoreException with what to do
   */
  static void requireEmbedded(Path folder) {
    Node node = node(folder);
    if (node != null) {
      throw refused(
          ("data folder %s belongs to node '%s' of %s, and has copies alone: start it with"
                  + " --cluster, or choose another folder with --data")
              .formatted(folder, node.name(), node.of()));
    }
    Migration migration = migration(folder);
    if (migration == null) {
      return;
    }
    if (migration.complete()) {
      throw refused(
          ("data folder %s was migrated into %s: what was pending is delivered there, and would be"
               + " delivered twice. Start nodes with --cluster and other folders. To go back, stop"
               + " the nodes for good and delete the file %s in the folder: it knows nothing of"
               + " what the cluster has accepted and delivered")
              .formatted(folder, migration.into(), MIGRATED));
    }
    throw refused(
        ("the migration of data folder %s into %s was begun and has not ended: run ./reprise"
             + " migrate again. To give it up, delete the topics of the cluster, and the file %s in"
             + " the folder")
            .formatted(folder, migration.into(), MIGRATED));
  }

  /**
   * Takes a folder for a node of a cluster.
   *
   * @param node the name of the node
   * @param copies an id that the topic of most copies has for as long as it is there
   * @param topics the ids of all topics, as one word, which the caller has compared with {@link
   *     #topics}; noted in the folder
   * @throws StoreException if it is none of that node, with what to do; nothing was changed
   */
  public static void join(
      RocksStore store, Cluster cluster, String node, String copies, String topics) {
    Path folder = store.folder();
    Migration migration = migration(folder);
    if (migration != null) {
      throw refused(
          ("data folder %s is one that is migrated into %s, and no node's: choose another folder"
                  + " for this node with --data")
              .formatted(folder, migration.into()));
    }
    if (shards(store) > 0) {
      throw refused(
          ("data folder %s is that of a service without a cluster: move it into a new cluster with"
                  + " ./reprise migrate, or choose another folder for this node with --data")
              .formatted(folder));
    }
    Node before = node(folder);
    Node now = new Node(cluster, node, copies, topics);
    if (now.equals(before)) {
      return;
    }
    if (before != null && !before.hasCopiesAs(now)) {
      throw refused("data folder %s %s".formatted(folder, difference(before, now)));
    }
    write(folder, CLUSTER, String.join(" ", cluster.id(), cluster.name(), node, copies, topics));
  }

  /**
   * Notes that the copies in a node's folder are of another topic now: that of before was restored
   * under another id, and the caller has emptied them.
   *
   * @throws StoreException if it is no folder of a node of the cluster; nothing was changed
   */
  public static void copiesAreOf(Path folder, Cluster cluster, String copies) {
    String name = requireNode(folder, cluster);
    String topics = topics(folder, cluster);
    write(
        folder,
        CLUSTER,
        String.join(" ", cluster.id(), cluster.name(), name, copies, topics == null ? "" : topics));
  }

  /**
   * Returns the ids of the topics that a folder knows, as {@link #join} has noted them; null if it
   * is no node's of the cluster, and empty if an older program has noted that of the copies alone.
   */
  public static @Nullable String topics(Path folder, Cluster cluster) {
    Node node = node(folder);
    return node == null || !node.of().equals(cluster) ? null : node.topics();
  }

  /** Returns the id of the topic of most copies that a folder knows; null as {@link #topics}. */
  public static @Nullable String copies(Path folder, Cluster cluster) {
    Node node = node(folder);
    return node == null || !node.of().equals(cluster) ? null : node.copies();
  }

  /**
   * Returns the name of the node that a folder belongs to.
   *
   * @throws StoreException if it is no node's of the cluster, with what to do
   */
  public static String requireNode(Path folder, Cluster cluster) {
    Node node = node(folder);
    if (node == null || !node.of().equals(cluster)) {
      throw refused(
          "data folder %s belongs to %s, and must belong to a node of %s: choose another with --data"
              .formatted(folder, node == null ? "no node" : "a node of " + node.of(), cluster));
    }
    return node.name();
  }

  private static String difference(Node before, Node now) {
    if (!before.of().equals(now.of())) {
      return "belongs to a node of %s, and this is %s: choose another folder with --data"
          .formatted(before.of(), now.of());
    }
    if (!before.name().equals(now.name())) {
      return ("belongs to node '%s' of %s, and this is node '%s': start it with --node %s, or"
              + " choose another folder with --data. If the node has a new name, delete the"
              + " file %s in the folder")
          .formatted(before.name(), before.of(), now.name(), before.name(), CLUSTER);
    }
    return ("has copies from topics of %s that were deleted: those that are there now were made"
            + " later. Empty the folder, or choose another with --data")
        .formatted(before.of());
  }

  /**
   * Refuses a folder that has nothing to migrate.
   *
   * @return how many shards it has
   * @throws StoreException with what to do
   */
  public static int requireMigratable(RocksStore store) {
    Node node = node(store.folder());
    if (node != null) {
      throw refused(
          "data folder %s belongs to node '%s' of %s, which has everything already"
              .formatted(store.folder(), node.name(), node.of()));
    }
    int shards = shards(store);
    if (shards == 0) {
      throw refused(
          "data folder %s is empty: there is nothing to migrate".formatted(store.folder()));
    }
    return shards;
  }

  /**
   * Refuses a folder without a store, and one that a newer version has written. To be asked before
   * it is opened; changes nothing.
   *
   * @throws StoreException with what to do
   */
  public static void requireReadable(Path folder) {
    if (!Files.exists(folder.resolve("CURRENT"))) {
      throw refused("%s is no data folder: there is no store in it".formatted(folder));
    }
    FolderFormat.check(folder);
  }

  /** Returns the migration of a folder, whole or begun; null if there is none. */
  public static @Nullable Migration migration(Path folder) {
    List<String> words = read(folder, MIGRATED, 4, 4);
    return words.isEmpty()
        ? null
        : new Migration(
            new Cluster(words.get(0), words.get(1)), words.get(2), words.get(3).equals(COMPLETE));
  }

  /** Notes how far the migration of a folder is. */
  public static void note(Path folder, Migration migration) {
    write(
        folder,
        MIGRATED,
        String.join(
            " ",
            migration.into().id(),
            migration.into().name(),
            migration.id(),
            migration.complete() ? COMPLETE : BEGUN));
  }

  private static @Nullable Node node(Path folder) {
    List<String> words = read(folder, CLUSTER, 4, 5);
    return words.isEmpty()
        ? null
        : new Node(
            new Cluster(words.get(0), words.get(1)),
            words.get(2),
            words.get(3),
            words.size() > 4 ? words.get(4) : "");
  }

  private static int shards(RocksStore store) {
    return EmbeddedHost.storedShards(store.view(0));
  }

  private static StoreException refused(String message) {
    return new StoreException(message, false, null);
  }

  private static List<String> read(Path folder, String name, int count, int later) {
    Path file = folder.resolve(name);
    List<String> words;
    try {
      words = Arrays.asList(Files.readString(file, US_ASCII).strip().split(" ", -1));
    } catch (NoSuchFileException | NotDirectoryException e) {
      return List.of();
    } catch (IOException e) {
      throw new StoreException("cannot read " + file + ": " + e, false, e);
    }
    if (words.size() != count && words.size() != later) {
      throw refused(
          String.format(
              Locale.ROOT,
              "data folder %s is damaged, in %s: it must hold %d words. Nothing was changed."
                  + " Restore the file from a backup",
              folder,
              file,
              count));
    }
    return words;
  }

  /** Writes a line into a file of its own, durably and as a whole. */
  static void write(Path folder, String name, String line) {
    Path next = folder.resolve(name + ".next");
    try {
      Files.deleteIfExists(next);
      try (FileChannel channel =
          FileChannel.open(next, StandardOpenOption.CREATE_NEW, StandardOpenOption.WRITE)) {
        channel.write(ByteBuffer.wrap((line + "\n").getBytes(US_ASCII)));
        channel.force(true);
      }
      Files.move(next, folder.resolve(name), StandardCopyOption.ATOMIC_MOVE);
      try (FileChannel opened = FileChannel.open(folder)) {
        opened.force(true);
      }
    } catch (IOException e) {
      throw new StoreException("data folder " + folder + " cannot be marked: " + e, false, e);
    }
  }
}
