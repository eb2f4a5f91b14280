package dev.reprise.cli.lab;

import dev.reprise.cli.base.GroupCommand;
import picocli.CommandLine.Command;

/** The lab: what a policy does to a fleet, before it is shipped. */
@Command(
    name = "lab",
    description = "Show what a policy does to a fleet, or to a service, before you ship it.",
    footer = {
      "  ./reprise lab run herd-after-outage",
      "  ./reprise lab choose --devices 1000000 --capacity 5000/s --outage 1h"
    },
    subcommands = {
      LabRunCommand.class,
      LabCompareCommand.class,
      LabSweepCommand.class,
      LabChooseCommand.class,
      LabLintCommand.class,
      LabReplayCommand.class,
      LabScenariosCommand.class,
      LabFiguresCommand.class
    })
public final class LabCommand extends GroupCommand {}
