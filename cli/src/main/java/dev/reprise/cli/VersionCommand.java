package dev.reprise.cli;

import dev.reprise.cli.base.BaseCommand;
import dev.reprise.cli.base.ExitCode;
import dev.reprise.cli.base.Json;
import java.io.IOException;
import java.io.InputStream;
import java.util.Properties;
import picocli.CommandLine.Command;
import picocli.CommandLine.IVersionProvider;

/** Shows the version. */
@Command(
    name = "version",
    description = "Show the version.",
    footer = {"  ./reprise version", "  ./reprise version --json"})
final class VersionCommand extends BaseCommand {
  /** The text of {@code --version}. */
  static final class Text implements IVersionProvider {
    @Override
    public String[] getVersion() {
      return new String[] {"reprise " + number() + " (Java " + Runtime.version() + ")"};
    }
  }

  @Override
  public Integer call() {
    String java = Runtime.version().toString();
    if (!root().printedAsJson(Json.object().put("version", number()).put("java", java))) {
      terminal().line(new Text().getVersion()[0]);
    }
    return ExitCode.DONE;
  }

  /** Maven writes the number into the jar; from a folder of classes there is none. */
  private static String number() {
    String name = "/META-INF/maven/dev.reprise/reprise-cli/pom.properties";
    try (InputStream resource = VersionCommand.class.getResourceAsStream(name)) {
      if (resource == null) {
        return "development";
      }
      Properties properties = new Properties();
      properties.load(resource);
      return properties.getProperty("version", "development");
    } catch (IOException e) {
      return "development";
    }
  }
}
