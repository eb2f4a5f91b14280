package dev.reprise.cli.smithy;

import dev.reprise.cli.base.CommandFailure;
import dev.reprise.cli.terminal.Words;
import dev.reprise.common.text.HarmlessText;
import dev.reprise.core.InvalidSettingException;
import dev.reprise.smithy.RetryErrorsPlugin;
import dev.reprise.smithy.RetryErrorsSettings;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Map;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;
import software.amazon.smithy.build.SmithyBuildException;
import software.amazon.smithy.build.model.SmithyBuildConfig;
import software.amazon.smithy.model.SourceException;
import software.amazon.smithy.model.node.ObjectNode;

/**
 * The configuration of the plugin in a {@code smithy-build.json}.
 *
 * @param settings the defaults where no file is used
 * @param file the file that was used, or null
 * @param place where in the file the settings stand
 */
record SmithyConfig(RetryErrorsSettings settings, @Nullable Path file, String place) {
  private static final String USUAL_NAME = "smithy-build.json";
  private static final String PLACE = "plugins." + RetryErrorsPlugin.NAME;
  private static final SmithyConfig NONE =
      new SmithyConfig(RetryErrorsSettings.defaults(), null, "");

  /**
   * Reads the file that was named; else the usual one in the working folder, where it is needed,
   * exists and configures the plugin.
   *
   * @throws CommandFailure when it cannot be used; the message names the file and the setting
   */
  static SmithyConfig of(@Nullable Path named, boolean needless) {
    if (named != null) {
      if (!Files.isRegularFile(named)) {
        throw CommandFailure.wrongUsage("--config: there is no file " + named);
      }
      SmithyConfig read = read(named);
      if (read.file() == null) {
        throw CommandFailure.failed(
            named + " has no " + PLACE + ", neither alone nor in a projection");
      }
      return read;
    }
    return needless ? NONE : in(Path.of(""));
  }

  /** Reads the usual file of a folder, if there is one. */
  static SmithyConfig in(Path folder) {
    Path usual = folder.resolve(USUAL_NAME);
    return Files.isRegularFile(usual) ? read(usual) : NONE;
  }

  /** Returns the file and the place in it, for people. */
  String where() {
    return HarmlessText.visible(file + ", " + place);
  }

  /** Returns the failure of settings that do not fit the model. */
  CommandFailure failure(String message) {
    return CommandFailure.failed(file == null ? message : file + ": " + place + ": " + message);
  }

  private static SmithyConfig read(Path file) {
    SmithyBuildConfig config = load(file);
    ObjectNode top = config.getPlugins().get(RetryErrorsPlugin.NAME);
    if (top != null) {
      return read(file, PLACE, top);
    }
    Map<String, SmithyConfig> inProjections = new TreeMap<>();
    config
        .getProjections()
        .forEach(
            (name, projection) -> {
              ObjectNode settings = projection.getPlugins().get(RetryErrorsPlugin.NAME);
              if (settings != null) {
                String place = "projections." + name + "." + PLACE;
                inProjections.put(place, read(file, place, settings));
              }
            });
    if (inProjections.size() > 1) {
      throw CommandFailure.failed(
          file
              + " has settings at "
              + String.join(" and ", inProjections.keySet())
              + ": must be one, or "
              + PLACE
              + " at its top");
    }
    return inProjections.values().stream().findFirst().orElse(NONE);
  }

  private static SmithyConfig read(Path file, String place, ObjectNode settings) {
    try {
      return new SmithyConfig(RetryErrorsSettings.read(settings), file, place);
    } catch (InvalidSettingException e) {
      throw CommandFailure.failed(file + ": " + place + ": " + e.getMessage());
    }
  }

  private static SmithyBuildConfig load(Path file) {
    try {
      return SmithyBuildConfig.load(file);
    } catch (SmithyBuildException | SourceException e) {
      // The outer exception shows the inner one as Java prints it.
      Exception cause = e.getCause() instanceof SourceException inner ? inner : e;
      throw CommandFailure.failed(file + " cannot be used: " + Words.firstLine(cause));
    }
  }
}
