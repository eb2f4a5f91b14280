package dev.reprise.smithy;

import dev.reprise.core.InvalidSettingException;
import dev.reprise.smithy.names.JavaWords;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import software.amazon.smithy.model.node.Node;
import software.amazon.smithy.model.node.ObjectNode;
import software.amazon.smithy.model.shapes.ShapeId;
import software.amazon.smithy.model.shapes.ShapeIdSyntaxException;

/**
 * The settings of a generation: whose errors, and into which package. Immutable.
 *
 * @param service the service whose errors are generated; null for all errors of the model
 * @param packageName the Java package; null for the namespace of the service, or of the errors, and
 *     {@code .errors}
 */
public record RetryErrorsSettings(@Nullable ShapeId service, @Nullable String packageName) {
  private static final String SERVICE = "service";
  private static final String PACKAGE = "package";

  /**
   * Checks the package's name.
   *
   * @throws InvalidSettingException if it is not one that Java allows
   */
  public RetryErrorsSettings {
    if (packageName != null && !JavaWords.isPackageName(packageName)) {
      throw new InvalidSettingException(
          PACKAGE, quoted(packageName), "must be a Java package name, such as com.example.errors");
    }
  }

  /**
   * Returns the settings that generate all errors of a model, into the package of its namespace.
   */
  public static RetryErrorsSettings defaults() {
    return new RetryErrorsSettings(null, null);
  }

  /**
   * Reads the settings from {@code smithy-build.json}.
   *
   * @param node what stands under the plugin's name
   * @throws InvalidSettingException if a setting is unknown or wrong
   */
  public static RetryErrorsSettings read(ObjectNode node) {
    for (Map.Entry<String, Node> setting : node.getStringMap().entrySet()) {
      if (!List.of(SERVICE, PACKAGE).contains(setting.getKey())) {
        throw new InvalidSettingException(
            quoted(setting.getKey()), "no setting", "the settings are service and package");
      }
    }
    String service = text(node, SERVICE);
    return new RetryErrorsSettings(service == null ? null : shapeId(service), text(node, PACKAGE));
  }

  /**
   * Reads the name of a service.
   *
   * @throws InvalidSettingException if it is not namespace#Name
   */
  public static ShapeId shapeId(String service) {
    try {
      return ShapeId.from(service);
    } catch (ShapeIdSyntaxException e) {
      throw new InvalidSettingException(
          SERVICE, quoted(service), "must be namespace#Name, such as example.weather#Weather");
    }
  }

  private static String quoted(String text) {
    return '"' + text + '"';
  }

  private static @Nullable String text(ObjectNode node, String setting) {
    Node value = node.getMember(setting).orElse(null);
    if (value == null) {
      return null;
    }
    return value
        .asStringNode()
        .orElseThrow(
            () -> new InvalidSettingException(setting, Node.printJson(value), "must be a string"))
        .getValue();
  }
}
