package dev.reprise.chaos;

import java.io.IOException;
import java.net.http.HttpResponse;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.random.RandomGenerator;

/** Mistakes of operators, and questions of theirs while something moves. */
final class OperatorFaults {
  private static final Duration ANSWER_LIMIT = Duration.ofSeconds(40);
  private static final int ROUNDS = 2;

  private OperatorFaults() {}

  /** Returns all of them, always in the same order. */
  static List<Fault> all() {
    return List.of(
        OperatorFaults::nameTwice,
        OperatorFaults::swappedFolders,
        OperatorFaults::requestsWhileShardsMove);
  }

  /** A second process with the name of a node that runs, on a folder of its own. */
  static void nameTwice(Scene scene, RandomGenerator random)
      throws IOException, InterruptedException {
    NodeProcess first = scene.nodes().get(0);
    scene.say("a second process with the name " + first);
    Path folder = Files.createTempDirectory(scene.folder(), "twin");
    try (NodeProcess twin = new NodeProcess(scene.nodes().spec(), first.name(), folder)) {
      twin.launch();
      BrokerFaults.requireRefused(twin, first.name());
    }
    scene.nodes().awaitShards();
  }

  /** Two nodes are started, each on the folder of the other: both refuse. */
  static void swappedFolders(Scene scene, RandomGenerator random)
      throws IOException, InterruptedException {
    // The folder between them may be a disk of its own.
    NodeProcess one = scene.nodes().get(0);
    NodeProcess other = scene.nodes().get(2);
    scene.struck("the folders of two nodes are swapped", "");
    for (NodeProcess each : List.of(one, other)) {
      int unused = each.terminate();
    }
    swap(one, other);
    for (NodeProcess each : List.of(one, other)) {
      each.launch();
      BrokerFaults.requireRefused(each, "belongs to node");
    }
    scene.say("both refuse to start");
    swap(one, other);
    scene.nodes().startAll();
    scene.mended();
  }

  private static void swap(NodeProcess one, NodeProcess other) throws IOException {
    Path aside = one.disk().resolve("aside");
    Files.move(one.data(), aside);
    Files.move(other.data(), one.data());
    Files.move(aside, other.data());
  }

  /** Reads at the nodes that stay, while another leaves and comes back: each is answered. */
  static void requestsWhileShardsMove(Scene scene, RandomGenerator random)
      throws IOException, InterruptedException {
    Map<String, Integer> wrong = new TreeMap<>();
    int asked = 0;
    for (int round = 0; round < ROUNDS; round++) {
      NodeProcess leaving = scene.nodes().ownerOf(random.nextInt(scene.nodes().spec().shards()));
      scene.struck("requests while shards move: stop", leaving.name());
      leaving.askToEnd();
      while (leaving.isAlive()) {
        asked += ask(scene, leaving, wrong);
      }
      int unused = leaving.terminate();
      leaving.launch();
      while (!leaving.isReady()) {
        asked += ask(scene, leaving, wrong);
      }
      scene.nodes().awaitShards();
      scene.mended();
    }
    scene.say(asked + " requests");
    if (!wrong.isEmpty()) {
      throw new IllegalStateException("of " + asked + " requests not all were answered: " + wrong);
    }
  }

  private static int ask(Scene scene, NodeProcess leaving, Map<String, Integer> wrong)
      throws InterruptedException {
    int asked = 0;
    for (NodeProcess each : scene.nodes().all()) {
      if (each.equals(leaving)) {
        continue;
      }
      for (String path : List.of("/v1/ledger", "/v1/overview", "/v1/cluster")) {
        asked++;
        try {
          HttpResponse<String> answer = each.request("GET", path, "", ANSWER_LIMIT);
          if (answer.statusCode() != 200) {
            wrong.merge(path + " " + answer.statusCode() + " " + answer.body(), 1, Integer::sum);
          }
        } catch (IOException e) {
          wrong.merge(path + " " + e, 1, Integer::sum);
        }
      }
    }
    return asked;
  }
}
