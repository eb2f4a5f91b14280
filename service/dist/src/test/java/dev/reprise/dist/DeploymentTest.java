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
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.regex.Pattern;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.yaml.snakeyaml.Yaml;

/** The unit of systemd, the Containerfile and the manifest of Kubernetes, against what they run. */
@Tag("slow")
class DeploymentTest {
  /** After drain and grace, as {@code Service.close} says. */
  private static final int STOP_SECONDS = 21;

  private static final Path SERVICE = Path.of("systemd/reprise.service");

  @TempDir static Path folder;
  private static Installation installation;
  private static Map<String, List<String>> unit;
  private static String containerfile;
  private static Map<String, Map<String, ?>> manifest;

  @BeforeAll
  static void read() throws Exception {
    installation = Installation.in(folder);
    unit = assignments(Files.readAllLines(installation.root().resolve(SERVICE)));
    containerfile = Files.readString(installation.file("Containerfile"));
    manifest = manifest(installation.file("kubernetes/reprise.yaml"));
  }

  @Test
  void theUnitRunsTheServiceOnItsOwnFolder() throws Exception {
    String[] command = unit.get("ExecStart").get(0).split(" ", -1);

    assertThat(command[0]).isEqualTo("/opt/reprise/reprise");
    assertThat(command).containsSequence("serve", "--data", "%S/reprise");
    assertThat(unit).containsEntry("StateDirectory", List.of("reprise"));
    assertOptionsExist(installation, List.of(command));
    Map<String, List<String>> variables =
        assignments(Files.readAllLines(installation.file("systemd/reprise.env")));
    assertThat(variables).containsKey("REPRISE_JAVA_OPTS");
    assertOptionsExist(
        installation, List.of(variables.get("REPRISE_OPTIONS").get(0).split(" ", -1)));
    assertThat(Files.readString(installation.file("README.md")))
        .contains("/etc/reprise/reprise.env");
  }

  @Test
  void theUnitStopsAndRestartsAsTheServiceDoes() {
    assertThat(unit).containsEntry("KillSignal", List.of("SIGTERM"));
    assertThat(unit).containsEntry("Restart", List.of("on-failure"));
    assertThat(unit.get("RestartPreventExitStatus").get(0)).isEqualTo("2 8");
    assertThat(seconds(unit.get("TimeoutStopSec").get(0))).isGreaterThan(1 + 10 + STOP_SECONDS);
    assertThat(Integer.parseInt(unit.get("LimitNOFILE").get(0))).isGreaterThanOrEqualTo(65_536);
  }

  @Test
  void theUnitHearsWhetherTheServiceAnswers() {
    assertThat(unit)
        .containsEntry("Type", List.of("notify"))
        // systemd-notify is another process than the service.
        .containsEntry("NotifyAccess", List.of("all"))
        .containsEntry("WatchdogSec", List.of("2min"))
        .containsEntry("TimeoutStartSec", List.of("15min"));
  }

  @Test
  void theUnitGivesNoMoreThanIsNeeded() {
    assertThat(unit)
        .containsEntry("DynamicUser", List.of("yes"))
        .containsEntry("NoNewPrivileges", List.of("yes"))
        .containsEntry("ProtectSystem", List.of("strict"))
        .containsEntry("ProtectHome", List.of("yes"))
        .containsEntry("CapabilityBoundingSet", List.of(""))
        .containsEntry("UMask", List.of("0077"))
        // The compiler of the JVM does that.
        .doesNotContainKey("MemoryDenyWriteExecute");
  }

  @Test
  void theUnitMayBeGivenAPortBelow1024() throws Exception {
    assertThat(Files.readAllLines(installation.root().resolve(SERVICE)))
        .containsSequence(
            "#AmbientCapabilities=CAP_NET_BIND_SERVICE",
            "#CapabilityBoundingSet=CAP_NET_BIND_SERVICE");
  }

  @Test
  void fewHeapsOfTheCLibraryAreMade() {
    assertThat(unit).containsEntry("Environment", List.of("MALLOC_ARENA_MAX=2"));
    assertThat(instructions("ENV")).containsExactly("MALLOC_ARENA_MAX=2");
  }

  @Test
  void theContainerIsAskedForItsHealth() throws Exception {
    String check = containerfile.substring(containerfile.indexOf("HEALTHCHECK"));
    List<Object> command =
        new Yaml().load(check.substring(check.indexOf("CMD [") + 4, check.indexOf(']') + 1));
    assertThat(check).startsWith("HEALTHCHECK --start-period=5m ");
    assertThat(command)
        .startsWith("/usr/bin/env")
        .containsSequence("/opt/reprise/reprise", "health", "--live");
    List<String> words = new ArrayList<>();
    command.subList(command.indexOf("health"), command.size()).forEach(w -> words.add("" + w));

    // Nothing listens there: it is the command of the archive that says so.
    words.addAll(List.of("--url", "http://127.0.0.1:1"));
    assertThat(installation.run(words.toArray(String[]::new)).exitCode()).isEqualTo(3);
  }

  @Test
  void theContainerCopiesWhatIsThere() {
    List<String> copied = new ArrayList<>();
    for (String line : instructions("COPY")) {
      String[] words = line.split(" ", -1);
      copied.addAll(List.of(words).subList(0, words.length - 1));
      assertThat(words[words.length - 1]).startsWith("/opt/reprise/");
    }

    assertThat(copied)
        .contains("reprise", "lib", "runtime")
        .allSatisfy(file -> assertThat(installation.file(file)).exists());
    for (String line : instructions("COPY")) {
      String[] words = line.split(" ", -1);
      // Of a folder, the content is copied.
      if (Files.isDirectory(installation.file(words[0]))) {
        assertThat(words[1]).isEqualTo("/opt/reprise/" + words[0]);
      }
    }
  }

  @Test
  void theContainerRunsTheServiceAsNobodySpecial() throws Exception {
    assertThat(instructions("ENTRYPOINT")).containsExactly("[\"/opt/reprise/reprise\"]");
    // A number, so that runAsNonRoot can be checked, and the group that each user of OpenShift is
    // in.
    assertThat(instructions("USER")).containsExactly("10001:0");
    assertThat(containerfile)
        .contains("--uid 10001 --gid 0 ", "install -d -o reprise -g root -m 0770 /var/lib/reprise");
    assertThat(instructions("EXPOSE")).containsExactly("8080");
    List<Object> command = new Yaml().load(instructions("CMD").get(0));
    assertThat(command.get(0)).isEqualTo("serve");
    assertOptionsExist(installation, command.stream().map(Object::toString).toList());
    String data = command.get(command.indexOf("--data") + 1).toString();
    assertThat(data).startsWith(instructions("VOLUME").get(0) + "/");
  }

  @Test
  void thePodRunsOneServiceOnItsVolume() throws Exception {
    assertThat(at(manifest.get("StatefulSet reprise"), "spec", "replicas")).isEqualTo(1);
    List<String> args = list(container().get("args")).stream().map(Object::toString).toList();
    assertThat(args.get(0)).isEqualTo("serve");
    assertOptionsExist(installation, args);
    Map<String, ?> mount = map(list(container().get("volumeMounts")).get(0));
    assertThat(args.get(args.indexOf("--data") + 1)).startsWith(mount.get("mountPath") + "/");
    assertThat(mount.get("name"))
        .isEqualTo(
            at(
                map(
                    list(at(manifest.get("StatefulSet reprise"), "spec", "volumeClaimTemplates"))
                        .get(0)),
                "metadata",
                "name"));
    String version = installation.root().getFileName().toString().replace("reprise-", "");
    assertThat(container().get("image")).isEqualTo("reprise:" + version);
  }

  @Test
  void thePodIsProbedWhereTheServiceAnswers() throws Exception {
    assertThat(at(container(), "livenessProbe", "httpGet", "path")).isEqualTo("/health/live");
    assertThat(at(container(), "startupProbe", "httpGet", "path")).isEqualTo("/health/live");
    assertThat(at(container(), "readinessProbe", "httpGet", "path")).isEqualTo("/health/ready");
    Map<String, ?> port = map(list(container().get("ports")).get(0));
    assertThat(port.get("containerPort")).isEqualTo(8080);
    for (String probe : List.of("livenessProbe", "startupProbe", "readinessProbe")) {
      assertThat(at(container(), probe, "httpGet", "port")).isEqualTo(port.get("name"));
    }
    Map<String, ?> service = map(list(at(manifest.get("Service reprise"), "spec", "ports")).get(0));
    assertThat(service.get("targetPort")).isEqualTo(port.get("name"));
    assertThat(at(manifest.get("Service reprise"), "spec", "selector"))
        .isEqualTo(at(manifest.get("StatefulSet reprise"), "spec", "selector", "matchLabels"))
        .isEqualTo(
            at(manifest.get("StatefulSet reprise"), "spec", "template", "metadata", "labels"));
  }

  @Test
  void thePodHasTimeToStop() throws Exception {
    List<?> args = list(container().get("args"));
    int drain = seconds(args.get(args.indexOf("--drain") + 1).toString());
    int grace = seconds(args.get(args.indexOf("--grace") + 1).toString());

    assertThat((int) at(pod(), "terminationGracePeriodSeconds"))
        .isGreaterThan(drain + grace + STOP_SECONDS);
  }

  @Test
  void thePodMayDoLittle() throws Exception {
    assertThat(at(pod(), "securityContext", "runAsNonRoot")).isEqualTo(true);
    // OpenShift's SCC restricted-v2 refuses ids that are not of the namespace.
    assertThat(map(pod().get("securityContext")))
        .doesNotContainKeys("runAsUser", "runAsGroup", "fsGroup", "supplementalGroups");
    assertThat(at(pod(), "automountServiceAccountToken")).isEqualTo(false);
    assertThat(at(container(), "securityContext", "readOnlyRootFilesystem")).isEqualTo(true);
    assertThat(at(container(), "securityContext", "allowPrivilegeEscalation")).isEqualTo(false);
    assertThat(at(container(), "securityContext", "capabilities", "drop"))
        .isEqualTo(List.of("ALL"));
  }

  private static List<String> instructions(String name) {
    return Pattern.compile("(?m)^" + name + " (.*)$")
        .matcher(containerfile)
        .results()
        .map(found -> found.group(1))
        .toList();
  }

  private static Map<String, ?> pod() {
    return map(at(manifest.get("StatefulSet reprise"), "spec", "template", "spec"));
  }

  private static Map<String, ?> container() {
    return map(list(pod().get("containers")).get(0));
  }
}
