package dev.reprise.cli.node;

import dev.reprise.cli.base.BaseCommand;
import dev.reprise.cli.base.CommandFailure;
import dev.reprise.cli.base.ExitCode;
import dev.reprise.cli.base.Json;
import dev.reprise.cli.terminal.Progress;
import dev.reprise.cli.terminal.Words;
import dev.reprise.delivery.host.SalvagedFolder;
import dev.reprise.delivery.salvage.Damage;
import dev.reprise.delivery.salvage.DamagedStore;
import dev.reprise.delivery.salvage.SalvageLosses;
import dev.reprise.delivery.store.StoreException;
import dev.reprise.server.access.AccessControl;
import java.nio.file.Path;
import java.util.HexFormat;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;
import tools.jackson.databind.node.ObjectNode;

/** Makes a data folder of what can be read of a damaged one. */
@Command(
    name = "salvage",
    description = {
      "Make a data folder of what can be read of a damaged one.",
      "Stop the service first. The damaged folder is only read. The new one has every record of a"
          + " whole block; nothing that was deleted comes back. A delivery that may have ended, or"
          + " not, is attempted again. One that is lost is a dead letter with the reason UNREADABLE"
          + " if its id is known, and is counted as discarded if not; the ledger agrees. A"
          + " subscription whose settings are lost, or may be older ones, is suspended until it is"
          + " released. A backup that has everything is better."
    },
    footer = {
      "  ./reprise salvage --data /var/lib/reprise --to /var/lib/reprise-salvaged",
      "  ./reprise serve --data /var/lib/reprise-salvaged"
    })
public final class SalvageCommand extends BaseCommand {
  private static final HexFormat HEX = HexFormat.of();

  @Option(
      names = "--data",
      paramLabel = "DIR",
      required = true,
      description = "The damaged data folder. Nothing in it is changed.")
  private Path data = Path.of("");

  @Option(
      names = "--to",
      paramLabel = "NEW_DIR",
      required = true,
      description = "The data folder to make, which must not exist.")
  private Path to = Path.of("");

  @Override
  public Integer call() {
    Path from = data.toAbsolutePath().normalize();
    Path target = to.toAbsolutePath().normalize();
    Progress progress = new Progress(terminal());
    SalvagedFolder salvaged;
    try {
      salvaged =
          SalvagedFolder.salvage(
              from,
              target,
              Set.of(AccessControl.KEYS_VIEW),
              count -> progress.show(Words.count(count, "record")));
    } catch (StoreException e) {
      throw CommandFailure.failed(String.valueOf(e.getMessage()));
    } finally {
      progress.clear();
    }
    if (json()) {
      Json.print(terminal(), document(target, salvaged));
    } else {
      tell(target, salvaged);
    }
    salvaged.missingKeys().forEach(this::warnOfKey);
    if (!salvaged.agrees()) {
      terminal()
          .error("the new folder disagrees with its ledger: ./reprise ledger --verify tells where");
    }
    return salvaged.agrees() ? ExitCode.DONE : ExitCode.FAILED;
  }

  private static ObjectNode document(Path target, SalvagedFolder salvaged) {
    ObjectNode document =
        Json.object()
            .put("data", target.toString())
            .put("records", salvaged.records())
            .put("topics", salvaged.topics())
            .put("subscriptions", salvaged.subscriptions())
            .put("accepted", salvaged.ledger().accepted())
            .put("pending", salvaged.ledger().pending())
            .put("deadLettered", salvaged.ledger().deadLettered())
            .put("agrees", salvaged.agrees());
    var damages = document.putArray("damages");
    for (Damage each : salvaged.damages()) {
      damages
          .addObject()
          .put("file", each.file())
          .put("offset", each.offset())
          .put("bytes", each.bytes())
          .put("fromKey", HEX.formatHex(each.from()))
          .put("toKey", HEX.formatHex(each.to()))
          .put("kinds", SalvagedFolder.kinds(each))
          .put("why", each.why());
    }
    var lost = document.putArray("lostWrites");
    for (DamagedStore.LostWrites each : salvaged.lostWrites()) {
      lost.addObject()
          .put("where", each.where())
          .put("first", each.first())
          .put("last", each.last());
    }
    ObjectNode losses = document.putObject("losses");
    salvaged
        .losses()
        .forEach(
            (id, each) ->
                losses
                    .putObject(id)
                    .put("mayRepeat", each.mayRepeat())
                    .put("ended", each.ended())
                    .put("recovered", each.recovered())
                    .put("unreadable", each.unreadable())
                    .put("lost", each.lost())
                    .put("mayBeLost", each.mayBeLost())
                    .put("mayBePurged", each.mayBePurged()));
    ObjectNode held = document.putObject("held");
    salvaged.held().forEach(held::put);
    var notes = document.putArray("notes");
    salvaged.notes().forEach(notes::add);
    return document;
  }

  private void tell(Path target, SalvagedFolder salvaged) {
    for (Damage each : salvaged.damages()) {
      terminal()
          .line(
              String.format(
                  Locale.ROOT,
                  "Damaged: %s, %s from offset %d: %s%s",
                  each.file(),
                  Words.bytes(each.bytes()),
                  each.offset(),
                  each.why(),
                  SalvagedFolder.kinds(each).isEmpty()
                      ? ""
                      : " (" + SalvagedFolder.kinds(each) + ")"));
    }
    for (DamagedStore.LostWrites each : salvaged.lostWrites()) {
      terminal().line("Lost: %s, %s".formatted(Words.count(each.count(), "write"), each.where()));
    }
    for (Map.Entry<String, SalvageLosses> each : salvaged.losses().entrySet()) {
      SalvageLosses losses = each.getValue();
      terminal()
          .line(
              String.format(
                  Locale.ROOT,
                  "%s: %d may be attempted again, %d had ended, %d recovered, %d UNREADABLE, %d"
                      + " lost%s%s",
                  each.getKey(),
                  losses.mayRepeat(),
                  losses.ended(),
                  losses.recovered(),
                  losses.unreadable(),
                  losses.lost(),
                  losses.mayBeLost() == 0
                      ? ""
                      : String.format(Locale.ROOT, ", at most %d more may be", losses.mayBeLost()),
                  losses.mayBePurged() == 0
                      ? ""
                      : "; %s may have been purged or redriven"
                          .formatted(Words.count(losses.mayBePurged(), "dead letter"))));
    }
    salvaged.held().forEach((id, why) -> terminal().line(id + " is suspended: " + why));
    salvaged.notes().forEach(note -> terminal().warning(note));
    terminal()
        .line(
            "Salvaged "
                + Words.count(salvaged.records(), "record")
                + " into "
                + target
                + ": "
                + Words.count(salvaged.topics(), "topic")
                + ", "
                + Words.count(salvaged.subscriptions(), "subscription")
                + ", "
                + Words.count(salvaged.ledger().pending(), "pending delivery")
                + ", "
                + Words.count(salvaged.ledger().deadLettered(), "dead letter")
                + (salvaged.agrees() ? "; the ledger is balanced." : "."));
    terminal().note("Start it with: ./reprise serve --data " + target);
  }

  private void warnOfKey(String key, String owner) {
    terminal()
        .warning(
            "secrets in it, such as that of "
                + owner
                + ", are encrypted under key '"
                + key
                + "': "
                + (key.equals("dev")
                    ? "if it was a service with --dev, copy its dev-secret-key into the folder"
                    : "start the service with --secret-keys"));
  }
}
