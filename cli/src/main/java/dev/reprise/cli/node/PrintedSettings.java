package dev.reprise.cli.node;

import dev.reprise.cli.base.Json;
import dev.reprise.cli.terminal.Terminal;
import dev.reprise.server.settings.ServeSettings;
import dev.reprise.server.settings.Setting;
import dev.reprise.server.settings.Settings;
import dev.reprise.server.settings.SourcedSettings;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;
import tools.jackson.databind.node.ArrayNode;
import tools.jackson.databind.node.ObjectNode;

/** Settings as {@code serve --print-config} shows them: a file for {@code --config}. */
final class PrintedSettings {
  /** A text that YAML reads as the same text without quotes. */
  private static final Pattern PLAIN = Pattern.compile("[0-9]{1,9}[A-Za-z]{0,2}|[a-z/][\\w/.-]*");

  private static final int NAME_AND_VALUE = 40;

  private PrintedSettings() {}

  static void print(Terminal terminal, SourcedSettings sourced, boolean json) {
    if (json) {
      Json.print(terminal, json(sourced));
      return;
    }
    Setting.@Nullable Group group = null;
    for (Setting<?> setting : Settings.ALL) {
      if (setting.group() != group) {
        group = setting.group();
        if (!group.heading().isEmpty()) {
          terminal.line("");
          terminal.line("# " + group.heading());
        }
      }
      terminal.line(line(setting, sourced));
    }
  }

  private static String line(Setting<?> setting, SourcedSettings sourced) {
    String text = text(setting, sourced.settings());
    String place = sourced.place(setting);
    if (text == null) {
      String standard = setting.standardWords();
      return padded("# " + setting.name() + ":")
          + (standard.isEmpty() ? "# absent" : "# default: " + standard);
    }
    return padded(setting.name() + ": " + written(setting, text))
        + "# "
        + (place.isEmpty() ? "default" : place);
  }

  private static String padded(String line) {
    return line + " ".repeat(Math.max(1, NAME_AND_VALUE - line.length()));
  }

  private static String written(Setting<?> setting, String text) {
    return setting.isList()
        ? "["
            + Arrays.stream(text.split(","))
                .map(PrintedSettings::quoted)
                .collect(Collectors.joining(", "))
            + "]"
        : quoted(text);
  }

  private static String quoted(String text) {
    return PLAIN.matcher(text).matches() && !text.equals("null")
        ? text
        : Json.compact(Json.text(text));
  }

  /** The value; null if it follows from something else, such as the machine. */
  private static @Nullable String text(Setting<?> setting, ServeSettings settings) {
    String text = settings.text(setting);
    return text == null || !setting.isFile()
        ? text
        : Path.of(text).toAbsolutePath().normalize().toString();
  }

  private static ObjectNode json(SourcedSettings sourced) {
    ObjectNode all = Json.object();
    ArrayNode items = all.putArray("settings");
    for (Setting<?> setting : Settings.ALL) {
      String place = sourced.place(setting);
      items
          .addObject()
          .put("name", setting.name())
          .put("value", text(setting, sourced.settings()))
          .put("from", place.isEmpty() ? "default" : place)
          .put("variable", setting.variable());
    }
    return all;
  }
}
