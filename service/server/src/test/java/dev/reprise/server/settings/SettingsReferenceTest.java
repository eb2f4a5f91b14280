package dev.reprise.server.settings;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.StringJoiner;
import org.junit.jupiter.api.Test;

/** The table of reference follows from the settings: SETTINGS.md, between its two marks. */
class SettingsReferenceTest {
  private static final String BEGIN = "<!-- settings -->\n";
  private static final String END = "<!-- /settings -->";

  @Test
  void theReferenceHasEverySettingAsItIs() throws IOException {
    String reference = Files.readString(Path.of("SETTINGS.md"));
    int begin = reference.indexOf(BEGIN) + BEGIN.length();

    assertThat(reference.substring(begin, reference.indexOf(END)))
        .as("put this between the marks of SETTINGS.md:\n" + tables())
        .isEqualTo(tables());
  }

  private static String tables() {
    StringJoiner tables = new StringJoiner("\n", "\n", "\n");
    for (Setting.Group group : Setting.Group.values()) {
      tables.add("## " + (group.heading().isEmpty() ? "Service" : group.heading()));
      tables.add("");
      tables.add("| key | value | default | |");
      tables.add("|---|---|---|---|");
      Settings.ALL.stream()
          .filter(setting -> setting.group() == group)
          .forEach(setting -> tables.add(row(setting)));
      tables.add("");
    }
    return tables.toString();
  }

  private static String row(Setting<?> setting) {
    String value = setting.isSwitch() ? "true, false" : setting.label();
    String range = setting.range().isEmpty() ? "" : ", " + setting.range();
    return "| `%s` | %s%s | %s | %s |"
        .formatted(setting.name(), value, range, setting.standardWords(), setting.description());
  }
}
