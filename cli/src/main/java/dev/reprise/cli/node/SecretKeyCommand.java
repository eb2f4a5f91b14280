package dev.reprise.cli.node;

import dev.reprise.cli.base.BaseCommand;
import dev.reprise.cli.base.ExitCode;
import dev.reprise.cli.base.Json;
import dev.reprise.delivery.secret.SecretKeys;
import java.time.LocalDate;
import java.time.ZoneOffset;
import picocli.CommandLine.Command;
import picocli.CommandLine.Parameters;

/** Makes a key under which a service encrypts secrets. */
@Command(
    name = "secret-key",
    description = {
      "Make a key under which a service encrypts passwords and other secrets.",
      "It is a line for the file that `serve --secret-keys` names.",
      "To change the key, put a new line above the old one and start the service again: it"
          + " encrypts everything anew, and the old line may go at the start after that."
    },
    footer = {"  ./reprise secret-key > /etc/reprise/secret-keys", "  ./reprise secret-key k2"})
public final class SecretKeyCommand extends BaseCommand {
  @Parameters(
      arity = "0..1",
      paramLabel = "NAME",
      description = "The key's name. Default: k and today's date.")
  private String name = "";

  @Override
  public Integer call() {
    String id =
        name.isEmpty() ? "k" + LocalDate.now(ZoneOffset.UTC).toString().replace("-", "") : name;
    String line;
    try {
      line = SecretKeys.newLine(id);
    } catch (IllegalArgumentException e) {
      throw wrongUsage(String.valueOf(e.getMessage()));
    }
    if (json()) {
      Json.print(terminal(), Json.object().put("line", line));
    } else {
      terminal().line(line);
    }
    return ExitCode.DONE;
  }
}
