package dev.reprise.cli.node;

import dev.reprise.server.settings.Setting;
import dev.reprise.server.settings.Settings;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Model.OptionSpec;
import picocli.CommandLine.Spec;

/** The options that follow from {@link Settings}. */
@Command // a part of a command must be one for picocli
final class SettingOptions {
  /** Adds the options to the command that has these as a part. */
  @Spec(Spec.Target.MIXEE)
  @SuppressWarnings("unused") // picocli calls it
  private void addTo(CommandSpec command) {
    Settings.ALL.forEach(setting -> command.addOption(option(setting)));
  }

  private static OptionSpec option(Setting<?> setting) {
    OptionSpec.Builder option =
        OptionSpec.builder("--" + setting.name())
            .userObject(setting)
            .description(description(setting).replace("%", "%%"));
    if (setting.isSwitch()) {
      return option.type(Boolean.class).arity("0").negatable(true).build();
    }
    option.paramLabel(setting.label()).arity("1");
    return setting.isList()
        ? option.type(List.class).auxiliaryTypes(String.class).build()
        : option.type(String.class).build();
  }

  private static String description(Setting<?> setting) {
    StringBuilder text = new StringBuilder(setting.description());
    if (!setting.range().isEmpty()) {
      text.append(" Range: ").append(setting.range()).append('.');
    }
    if (!setting.isSwitch() && !setting.standardWords().isEmpty()) {
      text.append(" Default: ").append(setting.standardWords()).append('.');
    }
    return text.toString();
  }

  /** Returns the texts of those that were given. */
  Map<Setting<?>, String> given(CommandSpec command) {
    Map<Setting<?>, String> given = new LinkedHashMap<>();
    for (Setting<?> setting : Settings.ALL) {
      Object value = command.findOption("--" + setting.name()).getValue();
      if (value instanceof List<?> values) {
        given.put(setting, String.join(",", values.stream().map(String::valueOf).toList()));
      } else if (value != null) {
        given.put(setting, value.toString());
      }
    }
    return given;
  }
}
