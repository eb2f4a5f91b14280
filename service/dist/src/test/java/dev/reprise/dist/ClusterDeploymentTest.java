package dev.reprise.dist;

import static dev.reprise.dist.DeploymentFiles.assertOptionsExist;
import static dev.reprise.dist.DeploymentFiles.assignments;
import static dev.reprise.dist.DeploymentFiles.at;
import static dev.reprise.dist.DeploymentFiles.list;
import static dev.reprise.dist.DeploymentFiles.manifest;
import static dev.reprise.dist.DeploymentFiles.map;
import static dev.reprise.dist.DeploymentFiles.seconds;
import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Files;
import java.nio.file.Path;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The unit of systemd and the manifest of Kubernetes for the nodes of a cluster. */
@Tag("slow")
class ClusterDeploymentTest {
  /** After drain and grace: to give the shards back, and as {@code Service.close} says. */
  private static final int STOP_SECONDS = 10 + 21;

  @TempDir static Path folder;
  private static Installation installation;
  private static Map<String, List<String>> unit;
  private static Map<String, Map<String, ?>> manifest;

  @BeforeAll
  static void read() throws Exception {
    installation = Installation.in(folder);
    unit = assignments(Files.readAllLines(installation.file("systemd/reprise-node@.service")));
    manifest = manifest(installation.file("kubernetes/reprise-cluster.yaml"));
  }

  @Test
  void theUnitRunsANodeOnItsOwnFolder() throws Exception {
    String[] command = unit.get("ExecStart").get(0).split(" ", -1);

    assertThat(command[0]).isEqualTo("/opt/reprise/reprise");
    assertThat(command)
        .containsSequence("serve", "--data", "%S/reprise-node-%i")
        .containsSequence("--node", "%i", "--node-url", "http://%i:8080")
        .containsSequence("--cluster", "${REPRISE_BROKERS}")
        .containsSequence("--cluster-properties", "%d/kafka.properties");
    assertThat(unit)
        .containsEntry("StateDirectory", List.of("reprise-node-%i"))
        .containsEntry("LoadCredential", List.of("kafka.properties:/etc/reprise/kafka.properties"))
        .containsEntry("EnvironmentFile", List.of("/etc/reprise/reprise-node.env"));
    Map<String, List<String>> variables =
        assignments(Files.readAllLines(installation.file("systemd/reprise-node.env")));
    assertThat(variables).containsKeys("REPRISE_BROKERS", "REPRISE_JAVA_OPTS");
    assertOptionsExist(
        installation, List.of(variables.get("REPRISE_OPTIONS").get(0).split(" ", -1)));
    assertThat(seconds(unit.get("TimeoutStopSec").get(0))).isGreaterThan(1 + 10 + STOP_SECONDS);
  }

  @Test
  void theUnitGivesNoMoreThanThatOfOneService() throws Exception {
    Map<String, List<String>> single =
        assignments(Files.readAllLines(installation.file("systemd/reprise.service")));
    Map<String, List<String>> common = new LinkedHashMap<>(single);
    List.of(
            "Description",
            "EnvironmentFile",
            "ExecStart",
            "StateDirectory",
            "TimeoutStopSec",
            // The name of the user that exists while it runs is that of the unit.
            "User")
        .forEach(common::remove);

    assertThat(unit).containsAllEntriesOf(common);
  }

  @Test
  void thePodsAreNodesOfOneCluster() throws Exception {
    List<String> args = args();
    assertThat(args.get(0)).isEqualTo("serve");
    assertOptionsExist(
        installation, args.stream().map(word -> word.replace("$(POD_NAME)", "reprise-0")).toList());
    assertThat((int) at(set(), "spec", "replicas")).isGreaterThanOrEqualTo(3);
    assertThat(after("--node")).isEqualTo("$(POD_NAME)");
    String peers = (String) at(set(), "spec", "serviceName");
    assertThat(after("--node-url")).isEqualTo("http://$(POD_NAME)." + peers + ":8080");
    Map<String, ?> headless = manifest.get("Service " + peers);
    assertThat(at(headless, "spec", "clusterIP")).isEqualTo("None");
    // A node that is not ready is asked by others all the same.
    assertThat(at(headless, "spec", "publishNotReadyAddresses")).isEqualTo(true);
    assertThat(list(container().get("env")).toString())
        .contains("name=POD_NAME", "fieldPath=metadata.name");
    for (Map<String, ?> service : List.of(headless, manifest.get("Service reprise"))) {
      assertThat(at(service, "spec", "selector"))
          .isEqualTo(at(set(), "spec", "template", "metadata", "labels"));
    }
  }

  @Test
  void noSecretIsInTheManifest() throws Exception {
    assertThat(manifest.keySet()).noneMatch(key -> key.startsWith("Secret"));
    assertThat(Files.readString(installation.file("kubernetes/reprise-cluster.yaml")))
        .doesNotContainIgnoringCase("password:")
        .doesNotContain("stringData");
    String file = after("--cluster-properties");
    Map<String, ?> mount = named(list(container().get("volumeMounts")), "kafka");
    assertThat(file).isEqualTo(mount.get("mountPath") + "/kafka.properties");
    assertThat(at(named(list(pod().get("volumes")), "kafka"), "secret", "secretName"))
        .isEqualTo("reprise-kafka");
  }

  @Test
  void oneMachineHasOneNodeAndOneIsStoppedAtATime() {
    assertThat(at(pod(), "affinity", "podAntiAffinity").toString())
        .contains("required", "kubernetes.io/hostname");
    assertThat(at(manifest.get("PodDisruptionBudget reprise"), "spec", "maxUnavailable"))
        .isEqualTo(1);
    assertThat(at(manifest.get("PodDisruptionBudget reprise"), "spec", "selector", "matchLabels"))
        .isEqualTo(at(set(), "spec", "selector", "matchLabels"));
  }

  @Test
  void thePodHasTimeToGiveItsShardsBack() {
    assertThat((int) at(pod(), "terminationGracePeriodSeconds"))
        .isGreaterThan(seconds(after("--drain")) + seconds(after("--grace")) + STOP_SECONDS);
  }

  @Test
  void thePodIsProbedAndBoundedAsThatOfOneService() throws Exception {
    Map<String, ?> single =
        map(
            at(
                manifest(installation.file("kubernetes/reprise.yaml")).get("StatefulSet reprise"),
                "spec",
                "template",
                "spec"));
    Map<String, ?> other = map(list(single.get("containers")).get(0));
    for (String same :
        List.of(
            "image",
            "ports",
            "livenessProbe",
            "readinessProbe",
            "startupProbe",
            "securityContext")) {
      assertThat(container().get(same)).as(same).isEqualTo(other.get(same));
    }
    for (String same : List.of("securityContext", "automountServiceAccountToken")) {
      assertThat(pod().get(same)).as(same).isEqualTo(single.get(same));
    }
    assertThat(after("--data"))
        .startsWith(named(list(container().get("volumeMounts")), "data").get("mountPath") + "/");
    assertThat(
            named(
                list(at(set(), "spec", "volumeClaimTemplates")).stream()
                    .map(claim -> map(claim).get("metadata"))
                    .toList(),
                "data"))
        .isNotNull();
  }

  private static Map<String, ?> set() {
    return map(manifest.get("StatefulSet reprise"));
  }

  private static Map<String, ?> pod() {
    return map(at(set(), "spec", "template", "spec"));
  }

  private static Map<String, ?> container() {
    return map(list(pod().get("containers")).get(0));
  }

  private static List<String> args() {
    return list(container().get("args")).stream().map(Object::toString).toList();
  }

  private static String after(String option) {
    return args().get(args().indexOf(option) + 1);
  }

  private static Map<String, ?> named(List<?> objects, String name) {
    for (Object each : objects) {
      if (map(each).get("name").equals(name)) {
        return map(each);
      }
    }
    throw new AssertionError("no " + name);
  }
}
