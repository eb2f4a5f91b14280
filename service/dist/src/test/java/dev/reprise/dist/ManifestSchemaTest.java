package dev.reprise.dist;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.fabric8.kubernetes.api.model.HasMetadata;
import io.fabric8.kubernetes.api.model.Service;
import io.fabric8.kubernetes.api.model.apps.StatefulSet;
import io.fabric8.kubernetes.api.model.policy.v1.PodDisruptionBudget;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Map;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;
import tools.jackson.core.JacksonException;
import tools.jackson.databind.DeserializationFeature;
import tools.jackson.databind.MapperFeature;
import tools.jackson.databind.cfg.CoercionAction;
import tools.jackson.databind.cfg.CoercionInputShape;
import tools.jackson.databind.cfg.MapperConfig;
import tools.jackson.databind.introspect.Annotated;
import tools.jackson.databind.introspect.JacksonAnnotationIntrospector;
import tools.jackson.databind.json.JsonMapper;
import tools.jackson.databind.type.LogicalType;

/**
 * The manifests against the objects of Kubernetes' API, as they are in classes that are generated
 * from its OpenAPI schema: no field is unknown, and each value has its type. Which fields are
 * required the classes do not say.
 */
@Tag("slow")
class ManifestSchemaTest {
  private static final Path MANIFESTS = Path.of("src/main/archive/kubernetes");

  private static final Map<String, Class<? extends HasMetadata>> KINDS =
      Map.of(
          "Service",
          Service.class,
          "StatefulSet",
          StatefulSet.class,
          "PodDisruptionBudget",
          PodDisruptionBudget.class);

  private static final JsonMapper STRICT =
      JsonMapper.builder()
          .annotationIntrospector(new WithoutAnySetter())
          .enable(DeserializationFeature.FAIL_ON_UNKNOWN_PROPERTIES)
          .disable(MapperFeature.ALLOW_COERCION_OF_SCALARS)
          .withCoercionConfig(
              LogicalType.Textual,
              texts ->
                  texts
                      .setCoercion(CoercionInputShape.Integer, CoercionAction.Fail)
                      .setCoercion(CoercionInputShape.Float, CoercionAction.Fail)
                      .setCoercion(CoercionInputShape.Boolean, CoercionAction.Fail))
          .build();

  @TempDir private Path folder;

  /** Unknown fields go to a map in these classes; without it they are refused. */
  private static final class WithoutAnySetter extends JacksonAnnotationIntrospector {
    private static final long serialVersionUID = 1;

    @Override
    public Boolean hasAnySetter(MapperConfig<?> config, Annotated annotated) {
      return false;
    }
  }

  @ParameterizedTest
  @ValueSource(strings = {"reprise.yaml", "reprise-cluster.yaml"})
  void everyFieldIsKubernetesOwnAndHasItsType(String name) throws Exception {
    check(MANIFESTS.resolve(name));
  }

  @ParameterizedTest
  @CsvSource({
    "readinessProbe:, readynessProbe:, readynessProbe",
    "failureThreshold: 60, failureTreshold: 60, failureTreshold",
    "accessModes:, accessMode:, accessMode",
    "replicas: 1, replicas: one, replicas",
    "containerPort: 8080, containerPort: '\"8080\"', containerPort",
    "'prometheus.io/port: \"8080\"', prometheus.io/port: 8080, prometheus.io/port",
    "runAsNonRoot: true, runAsNonRoot: 'yes please', runAsNonRoot",
    "'args: [serve, ', 'args: [1, ', args"
  })
  void whatIsWrongIsFound(String right, String wrong, String named) throws Exception {
    String manifest = Files.readString(MANIFESTS.resolve("reprise.yaml"));
    assertThat(manifest).contains(right);
    Path changed = folder.resolve("reprise.yaml");
    Files.writeString(changed, manifest.replace(right, wrong), UTF_8);

    assertThatThrownBy(() -> check(changed))
        .isInstanceOf(JacksonException.class)
        .hasMessageContaining(named);
  }

  private static void check(Path manifest) throws Exception {
    Map<String, Map<String, ?>> objects = DeploymentFiles.manifest(manifest);
    assertThat(objects).isNotEmpty();
    for (Map<String, ?> object : objects.values()) {
      Class<? extends HasMetadata> kind = KINDS.get("" + object.get("kind"));
      assertThat(kind).as("the class of " + object.get("kind")).isNotNull();
      HasMetadata read = STRICT.readValue(STRICT.writeValueAsString(object), kind);
      assertThat(object.get("apiVersion")).isEqualTo(HasMetadata.getApiVersion(kind));
      assertThat(read.getMetadata().getName()).isNotNull();
    }
  }
}
