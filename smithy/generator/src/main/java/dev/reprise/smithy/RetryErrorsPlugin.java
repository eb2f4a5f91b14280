package dev.reprise.smithy;

import dev.reprise.core.InvalidSettingException;
import software.amazon.smithy.build.FileManifest;
import software.amazon.smithy.build.PluginContext;
import software.amazon.smithy.build.SmithyBuildPlugin;

/**
 * Generates retry-aware exceptions in Smithy's build, under the name {@code java-retry-errors}. The
 * settings are those of {@link RetryErrorsSettings}.
 */
public final class RetryErrorsPlugin implements SmithyBuildPlugin {
  /** The plugin's name in {@code smithy-build.json}. */
  public static final String NAME = "java-retry-errors";

  @Override
  public String getName() {
    return NAME;
  }

  /**
   * Writes the files into the plugin's folder of the projection.
   *
   * @throws InvalidSettingException if a setting is unknown, wrong, or does not fit the model;
   *     nothing is written then
   */
  @Override
  public void execute(PluginContext context) {
    RetryErrorsSettings settings = RetryErrorsSettings.read(context.getSettings());
    GeneratedErrors generated = RetryErrors.generate(context.getModel(), settings);
    FileManifest manifest = context.getFileManifest();
    generated.files().forEach(manifest::writeFile);
    generated.notes().forEach(RetryErrorsPlugin::note);
  }

  private static void note(String note) {
    System.getLogger(RetryErrorsPlugin.class.getName()).log(System.Logger.Level.WARNING, note);
  }
}
