package dev.reprise.chaos;

import dev.reprise.chaos.KilledCommand.Place;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.random.RandomGenerator;

/**
 * A service without a cluster that becomes one: its folder is migrated, and the command ends by
 * kill -9 again and again.
 */
final class MigrationFaults {
  private static final String CLUSTER = "dev.reprise.cluster.";
  private static final String TOPICS = CLUSTER + "log.Topics";
  private static final String MIGRATION = CLUSTER + "migrate.Migration";
  private static final String LOG = CLUSTER + "log.MigrationLog";
  private static final String MARKS = "dev.reprise.delivery.host.FolderMarks";
  private static final String END_OF_TRANSACTION =
      "org.apache.kafka.clients.producer.internals.TransactionManager$EndTxnHandler";

  /** The command fails where brokers do not answer for ten seconds, and asks to be run again. */
  private static final int TRIES = 10;

  private static final String BEGUN = "the mark that it has begun";
  private static final String COMPLETE = "the mark that it is complete";

  /** For so long endpoints are away before the service stops: it leaves a backlog. */
  private static final int AWAY_MILLIS = 3_000;

  private final ChaosReceiver receiver;
  private int failures;

  /** Faults of a migration whose deliveries go to endpoints of a receiver. */
  MigrationFaults(ChaosReceiver receiver) {
    this.receiver = receiver;
  }

  /**
   * The first node runs as a service without a cluster. It is stopped with a backlog, and its
   * folder is migrated by a command that is killed at each of its steps and run again; then all
   * nodes start. Meanwhile no node starts, and afterwards no service on the folder.
   */
  void migrate(Scene scene, RandomGenerator random) throws IOException, InterruptedException {
    NodeProcess service = scene.nodes().get(0);
    scene.struck("migration of the folder of", service.name());
    receiver.refuse();
    try {
      Scene.sleep(AWAY_MILLIS);
      int unused = service.terminate();
      scene.moved();
      boolean killed = true;
      for (Place each : places(scene.nodes().spec().shards())) {
        killed = killed && isKilled(scene, service, each);
      }
      if (killed) {
        NodeProcess other = scene.nodes().get(1);
        other.launch();
        BrokerFaults.requireRefused(other, "has not ended");
        killed = isKilled(scene, service, marked()) && isKilled(scene, service, noted());
      }
      scene.say("killed at " + (killed ? "all places" : "some places"));
      complete(scene, service);
      service.launch();
      BrokerFaults.requireRefused(service, "was migrated into");
      service.serveAlone(false);
      scene.say("migrated");
      scene.nodes().startAll();
    } finally {
      receiver.accept();
    }
    scene.mended();
  }

  /**
   * Runs the command until it is killed at a place. A run that fails by itself may have got beyond
   * that place, so that the next one does not come there.
   */
  private boolean isKilled(Scene scene, NodeProcess service, Place place)
      throws IOException, InterruptedException {
    for (int i = 0; i < TRIES; i++) {
      KilledCommand.End end = KilledCommand.run(command(scene, service), place, service.log());
      if (end == KilledCommand.End.KILLED) {
        scene.say("kill -9 before it would " + place.step());
        return true;
      }
      if (end == KilledCommand.End.DONE) {
        if (failures == 0) {
          throw new IllegalStateException("migrate has not come to " + place);
        }
        scene.say("complete, and did not " + place.step() + " once more");
        return false;
      }
      failures++;
      scene.say("failed before it would " + place.step());
    }
    throw new IllegalStateException("it fails again and again; " + service.said());
  }

  private static void complete(Scene scene, NodeProcess service)
      throws IOException, InterruptedException {
    for (int i = 1; ; i++) {
      try {
        service.command(command(scene, service));
        return;
      } catch (IllegalStateException e) {
        if (i == TRIES) {
          throw e;
        }
        scene.say("failed, and is run again");
      }
    }
  }

  private static List<String> command(Scene scene, NodeProcess service) {
    ClusterSpec spec = scene.nodes().spec();
    List<String> command = new ArrayList<>();
    command.addAll(List.of("migrate", "--data", service.data().toString()));
    command.addAll(List.of("--cluster", spec.brokers(), "--cluster-name", spec.name()));
    command.addAll(List.of("--replication", Integer.toString(spec.replication())));
    return command;
  }

  /**
   * Returns the places before the cluster has everything, each one that is reached by a command
   * that goes on where the one before was killed.
   */
  private static List<Place> places(int shards) {
    // The catalog is behind the last shard.
    int parts = shards + 1;
    List<Place> places = new ArrayList<>();
    places.add(new Place("make the first topic", TOPICS, "make", 1));
    places.add(new Place("make the third topic", TOPICS, "make", 3));
    places.add(new Place("note in the folder that it is migrated", MARKS, "note", 1));
    places.add(uncommitted(BEGUN));
    places.add(committed(BEGUN));
    for (int i = 1; i <= parts; i++) {
      places.add(new Place("look what part " + i + " has", LOG, "compare", i));
      places.add(uncommitted("part " + i));
      places.add(committed("part " + i));
    }
    for (int i = 1; i <= parts; i++) {
      places.add(new Place("compare part " + i, LOG, "compare", parts + i));
    }
    places.add(uncommitted(COMPLETE));
    return places;
  }

  /** The cluster has everything and says so, and the folder does not. */
  private static Place marked() {
    return committed(COMPLETE);
  }

  /** The folder says that it was migrated, and nobody was told. */
  private static Place noted() {
    return new Place("report", MIGRATION, "report", 1);
  }

  /** The brokers have all records of a transaction, and not its end. */
  private static Place uncommitted(String what) {
    return new Place("commit " + what, END_OF_TRANSACTION, "requestBuilder", 1);
  }

  /** The brokers have committed, and the command does not know it. */
  private static Place committed(String what) {
    return new Place(
        "learn that it has committed " + what, END_OF_TRANSACTION, "handleResponse", 1);
  }
}
