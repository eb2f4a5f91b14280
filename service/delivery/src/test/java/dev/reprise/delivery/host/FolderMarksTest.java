package dev.reprise.delivery.host;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatCode;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.reprise.delivery.engine.DeliveryEngine;
import dev.reprise.delivery.store.RocksSettings;
import dev.reprise.delivery.store.RocksStore;
import dev.reprise.delivery.store.StoreException;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Who may open which data folder. */
class FolderMarksTest {
  private static final FolderMarks.Cluster CLUSTER = new FolderMarks.Cluster("K1", "reprise");

  @TempDir Path temp;
  private Path folder;

  @BeforeEach
  void nameFolder() {
    folder = temp.resolve("data");
  }

  private void serveAlone() {
    DeliveryEngine.open(EngineSettings.in(folder), catalog -> (claim, done) -> {}).close();
  }

  private RocksStore open() {
    return RocksStore.open(folder, RocksSettings.defaults().withReserveBytes(0));
  }

  private void join(FolderMarks.Cluster cluster, String node, String topics) {
    try (RocksStore store = open()) {
      FolderMarks.join(store, cluster, node, topics, "shards=" + topics);
    }
  }

  private void beNode() {
    join(CLUSTER, "one", "T1");
  }

  private void note(boolean complete) {
    FolderMarks.note(folder, new FolderMarks.Migration(CLUSTER, "id", complete));
  }

  @Test
  void a_node_comes_back_to_its_folder() {
    beNode();

    assertThatCode(this::beNode).doesNotThrowAnyException();
  }

  @Test
  void a_service_without_a_cluster_refuses_the_folder_of_a_node() {
    beNode();

    assertThatThrownBy(this::serveAlone)
        .isInstanceOf(StoreException.class)
        .hasMessage(
            "data folder "
                + folder
                + " belongs to node 'one' of cluster 'reprise' (of the Kafka cluster K1), and has"
                + " copies alone: start it with --cluster, or choose another folder with --data");
  }

  @Test
  void a_node_refuses_the_folder_of_a_service_without_a_cluster() {
    serveAlone();

    assertThatThrownBy(this::beNode)
        .isInstanceOf(StoreException.class)
        .hasMessageContaining("is that of a service without a cluster")
        .hasMessageContaining("./reprise migrate");
    assertThatCode(this::serveAlone).doesNotThrowAnyException();
  }

  @Test
  void a_node_of_another_cluster_refuses_the_folder() {
    beNode();

    assertThatThrownBy(() -> join(new FolderMarks.Cluster("K1", "other"), "one", "T1"))
        .isInstanceOf(StoreException.class)
        .hasMessageContaining(
            "belongs to a node of cluster 'reprise' (of the Kafka cluster K1), and this is cluster"
                + " 'other' (of the Kafka cluster K1)")
        .hasMessageContaining("--data");
    assertThatThrownBy(() -> join(new FolderMarks.Cluster("K2", "reprise"), "one", "T1"))
        .hasMessageContaining("this is cluster 'reprise' (of the Kafka cluster K2)");
    assertThatCode(this::beNode).doesNotThrowAnyException();
  }

  @Test
  void another_node_refuses_the_folder_and_tells_how_to_rename_one() throws Exception {
    beNode();

    assertThatThrownBy(() -> join(CLUSTER, "two", "T1"))
        .isInstanceOf(StoreException.class)
        .hasMessageContaining("belongs to node 'one'")
        .hasMessageContaining("this is node 'two': start it with --node one")
        .hasMessageContaining("delete the file " + FolderMarks.CLUSTER);

    Files.delete(folder.resolve(FolderMarks.CLUSTER));
    assertThatCode(() -> join(CLUSTER, "two", "T1")).doesNotThrowAnyException();
  }

  @Test
  void a_folder_with_copies_of_deleted_topics_is_refused() {
    beNode();

    assertThatThrownBy(() -> join(CLUSTER, "one", "T2"))
        .isInstanceOf(StoreException.class)
        .hasMessageContaining("topics of cluster 'reprise'")
        .hasMessageContaining("were deleted")
        .hasMessageContaining("Empty the folder");
  }

  @Test
  void nobody_serves_a_folder_that_is_being_migrated() {
    serveAlone();
    note(false);

    assertThatThrownBy(this::serveAlone)
        .isInstanceOf(StoreException.class)
        .hasMessageContaining("was begun and has not ended")
        .hasMessageContaining("./reprise migrate")
        .hasMessageContaining("delete the topics of the cluster, and the file reprise.migrated");
    assertThatThrownBy(this::beNode)
        .hasMessageContaining("is one that is migrated into cluster 'reprise'");
  }

  @Test
  void nobody_serves_a_folder_that_was_migrated() throws Exception {
    serveAlone();
    note(true);

    assertThatThrownBy(this::serveAlone)
        .isInstanceOf(StoreException.class)
        .hasMessageContaining("was migrated into cluster 'reprise'")
        .hasMessageContaining("would be delivered twice")
        .hasMessageContaining("--cluster");
    assertThatThrownBy(this::beNode).isInstanceOf(StoreException.class);

    Files.delete(folder.resolve(FolderMarks.MIGRATED));
    assertThatCode(this::serveAlone).doesNotThrowAnyException();
  }

  @Test
  void only_a_service_without_a_cluster_has_something_to_migrate() {
    assertThatThrownBy(() -> FolderMarks.requireReadable(folder))
        .isInstanceOf(StoreException.class)
        .hasMessage(folder + " is no data folder: there is no store in it");

    beNode();
    try (RocksStore store = open()) {
      assertThatThrownBy(() -> FolderMarks.requireMigratable(store))
          .hasMessageContaining("belongs to node 'one'")
          .hasMessageContaining("has everything already");
    }

    folder = temp.resolve("empty");
    open().close();
    try (RocksStore store = open()) {
      assertThatThrownBy(() -> FolderMarks.requireMigratable(store))
          .hasMessageContaining("is empty");
    }

    folder = temp.resolve("full");
    serveAlone();
    FolderMarks.requireReadable(folder);
    try (RocksStore store = open()) {
      assertThat(FolderMarks.requireMigratable(store))
          .isEqualTo(EngineSettings.in(folder).shards());
    }
  }

  @Test
  void a_mark_that_is_no_mark_is_damage() throws Exception {
    beNode();
    Files.writeString(folder.resolve(FolderMarks.CLUSTER), "K1\n");

    assertThatThrownBy(this::serveAlone)
        .isInstanceOf(StoreException.class)
        .hasMessageContaining("is damaged, in " + folder.resolve(FolderMarks.CLUSTER));
  }
}
