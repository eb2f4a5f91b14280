package dev.reprise.cli;

import dev.reprise.cli.apply.ApplyCommand;
import dev.reprise.cli.apply.ExportCommand;
import dev.reprise.cli.base.CommandFailure;
import dev.reprise.cli.base.ExitCode;
import dev.reprise.cli.base.Reprise;
import dev.reprise.cli.base.Section;
import dev.reprise.cli.demo.DemoCommand;
import dev.reprise.cli.device.DeviceCommand;
import dev.reprise.cli.lab.LabCommand;
import dev.reprise.cli.node.MigrateCommand;
import dev.reprise.cli.node.RestoreCommand;
import dev.reprise.cli.node.SalvageCommand;
import dev.reprise.cli.node.SecretKeyCommand;
import dev.reprise.cli.node.ServeCommand;
import dev.reprise.cli.policy.PresetsCommand;
import dev.reprise.cli.policy.PreviewCommand;
import dev.reprise.cli.policy.SchemaCommand;
import dev.reprise.cli.service.AuditCommand;
import dev.reprise.cli.service.BackupCommand;
import dev.reprise.cli.service.CarrierCommand;
import dev.reprise.cli.service.ClusterCommand;
import dev.reprise.cli.service.DeadLettersCommand;
import dev.reprise.cli.service.DeliveriesCommand;
import dev.reprise.cli.service.HealthCommand;
import dev.reprise.cli.service.KeyCommand;
import dev.reprise.cli.service.LedgerCommand;
import dev.reprise.cli.service.ProjectCommand;
import dev.reprise.cli.service.PublishCommand;
import dev.reprise.cli.service.RedriveCommand;
import dev.reprise.cli.service.SubscribeCommand;
import dev.reprise.cli.service.SubscriptionCommand;
import dev.reprise.cli.service.TopicCommand;
import dev.reprise.cli.service.TroublesCommand;
import dev.reprise.cli.smithy.SmithyCommand;
import dev.reprise.cli.terminal.Terminal;
import dev.reprise.common.text.HarmlessText;
import dev.reprise.server.settings.Setting;
import java.io.PrintWriter;
import java.lang.reflect.Field;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Supplier;
import java.util.stream.Collectors;
import picocli.CommandLine;
import picocli.CommandLine.Help;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Model.OptionSpec;
import picocli.CommandLine.Model.UsageMessageSpec;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.UnmatchedArgumentException;

/** The tree of commands, and what holds for all of them: help, errors, exit codes. */
public final class Cli {
  private static final String RUN = "Run";
  private static final String SET_UP = "Set up";
  private static final String PUBLISH = "Publish, and see what becomes of it";
  private static final String DEVICES = "Devices";
  private static final String OFFLINE = "Without a service";

  /** The sections whose commands ask a service. */
  private static final List<String> ASKING = List.of(SET_UP, PUBLISH);

  private static final String JSON = "--json";

  private static final List<String> WITHOUT_JSON = List.of("demo", "completion");

  private static final List<String> CONNECTION_OPTIONS =
      List.of("--url", "--api-key", "--api-key-file", "--api-ca", "--project");

  /** The commands in the order of the help; reading the annotations of all takes a while. */
  private static final List<Entry> COMMANDS =
      List.of(
          new Entry(RUN, "serve", ServeCommand::new),
          new Entry(RUN, "demo", () -> new DemoCommand(Cli::run)),
          new Entry(SET_UP, "topic", TopicCommand::new),
          new Entry(SET_UP, "subscribe", SubscribeCommand::new),
          new Entry(SET_UP, "subscription", SubscriptionCommand::new),
          new Entry(SET_UP, "carrier", CarrierCommand::new),
          new Entry(SET_UP, "project", ProjectCommand::new),
          new Entry(SET_UP, "key", KeyCommand::new),
          new Entry(SET_UP, "apply", ApplyCommand::new),
          new Entry(SET_UP, "export", ExportCommand::new),
          new Entry(SET_UP, "audit", AuditCommand::new),
          new Entry(SET_UP, "backup", BackupCommand::new),
          new Entry(SET_UP, "cluster", ClusterCommand::new),
          new Entry(SET_UP, "health", HealthCommand::new),
          new Entry(SET_UP, "troubles", TroublesCommand::new),
          new Entry(PUBLISH, "publish", PublishCommand::new),
          new Entry(PUBLISH, "deliveries", DeliveriesCommand::new),
          new Entry(PUBLISH, "dead-letters", DeadLettersCommand::new),
          new Entry(PUBLISH, "redrive", RedriveCommand::new),
          new Entry(PUBLISH, "ledger", LedgerCommand::new),
          new Entry(DEVICES, "device", DeviceCommand::new),
          new Entry(OFFLINE, "restore", RestoreCommand::new),
          new Entry(OFFLINE, "salvage", SalvageCommand::new),
          new Entry(OFFLINE, "migrate", MigrateCommand::new),
          new Entry(OFFLINE, "lab", LabCommand::new),
          new Entry(OFFLINE, "preview", PreviewCommand::new),
          new Entry(OFFLINE, "presets", PresetsCommand::new),
          new Entry(OFFLINE, "schema", SchemaCommand::new),
          new Entry(OFFLINE, "smithy", SmithyCommand::new),
          new Entry(OFFLINE, "secret-key", SecretKeyCommand::new),
          new Entry(OFFLINE, "completion", CompletionCommand::new),
          new Entry(OFFLINE, "version", VersionCommand::new));

  /** A command: which section of the help it stands in, its name, and how it is made. */
  private record Entry(String section, String name, Supplier<Object> command) {}

  private Cli() {}

  /**
   * Runs one command.
   *
   * @return the exit code: 0 done, 1 failed, 2 wrong usage, 3 service unreachable, 4 not found, 5
   *     API key refused, 6 the service has failed for good, 7 a figure is as --fail-if says or
   *     apply --dry-run would change something, 8 the data folder is damaged
   */
  public static int run(Terminal terminal, String... args) {
    for (String arg : args) {
      if (arg.indexOf('\ufffd') >= 0) {
        terminal.error(
            "an argument is not readable in this locale: set LC_ALL=C.UTF-8, or give it in a file");
        return ExitCode.WRONG_USAGE;
      }
    }
    int exitCode = tree(terminal, args).execute(args);
    terminal.flush();
    return exitCode;
  }

  /** Returns the tree with the command that the arguments name, or with all. */
  public static CommandLine tree(Terminal terminal, String... args) {
    // Help is asked for once, commands are run all day: only the one that is named is read.
    List<Entry> named =
        args.length == 0 || args[0].equals("completion")
            ? List.of()
            : COMMANDS.stream().filter(entry -> entry.name().equals(args[0])).toList();
    return tree(terminal, named.isEmpty() ? COMMANDS : named);
  }

  private static CommandLine tree(Terminal terminal, List<Entry> entries) {
    CommandLine root = new CommandLine(new Reprise(terminal));
    for (Entry entry : entries) {
      root.addSubcommand(entry.name(), entry.command().get());
    }
    root.getCommandSpec().versionProvider(new VersionCommand.Text());
    root.setOut(new PrintWriter(terminal.out(), true, StandardCharsets.UTF_8));
    root.setErr(new PrintWriter(terminal.err(), true, StandardCharsets.UTF_8));
    root.setColorScheme(
        terminal.colour()
            ? Help.defaultColorScheme(Help.Ansi.ON)
            : Help.defaultColorScheme(Help.Ansi.OFF));
    root.getCommandSpec().usageMessage().sortOptions(false);
    root.setUsageHelpWidth(terminal.width());
    root.setUsageHelpLongOptionsMaxWidth(30);
    root.setExecutionStrategy(Cli::runOrHelp);
    root.setExpandAtFiles(false);
    root.setAbbreviatedOptionsAllowed(false);
    root.setExecutionExceptionHandler((e, command, parsed) -> failed(terminal, e));
    root.setParameterExceptionHandler((e, args) -> wrongUsage(terminal, e));
    sectioned(root);
    root.getSubcommands().values().forEach(Cli::shorten);
    return root;
  }

  /** Runs what was asked for, unless an option would be passed over without a word. */
  private static int runOrHelp(CommandLine.ParseResult parsed) {
    CommandLine.ParseResult last = parsed;
    while (last.hasSubcommand()) {
      last = last.subcommand();
    }
    CommandLine command = last.commandSpec().commandLine();
    // A request for help may still name a command that does not exist.
    if (!last.commandSpec().subcommands().isEmpty() && !last.unmatched().isEmpty()) {
      throw new UnmatchedArgumentException(command, last.unmatched());
    }
    if (!last.isUsageHelpRequested() && !last.isVersionHelpRequested()) {
      refuseForeignOptions(parsed, last);
    }
    return new CommandLine.RunLast().execute(parsed);
  }

  private static void refuseForeignOptions(
      CommandLine.ParseResult root, CommandLine.ParseResult last) {
    String command = root.hasSubcommand() ? root.subcommand().commandSpec().name() : "";
    if (WITHOUT_JSON.contains(command)
        && (root.hasMatchedOption(JSON) || isGiven(root.subcommand(), JSON))) {
      throw new ParameterException(
          last.commandSpec().commandLine(), JSON + " is for commands that print data");
    }
    if (!isOffline(command)) {
      return;
    }
    for (String option : CONNECTION_OPTIONS) {
      if (root.hasMatchedOption(option) || isGiven(root.subcommand(), option)) {
        throw new ParameterException(
            last.commandSpec().commandLine(),
            option + " is for commands that ask a service, and this one asks none");
      }
    }
  }

  private static boolean isGiven(CommandLine.ParseResult parsed, String option) {
    return parsed.hasMatchedOption(option)
        || (parsed.hasSubcommand() && isGiven(parsed.subcommand(), option));
  }

  private static boolean isOffline(String command) {
    return COMMANDS.stream()
        .anyMatch(entry -> entry.name().equals(command) && !ASKING.contains(entry.section()));
  }

  /** The help of a command describes its own options; those of every command are only listed. */
  private static void shorten(CommandLine command) {
    UsageMessageSpec usage = command.getCommandSpec().usageMessage();
    usage.sortOptions(false).synopsisHeading("Usage: ").descriptionHeading("%n");
    usage.parameterListHeading("%nArguments:%n").optionListHeading("%nOptions:%n");
    usage.commandListHeading("%nCommands:%n");
    if (usage.footer().length > 0) {
      usage.footerHeading("%nFor example:%n");
    }
    command
        .getHelpSectionMap()
        .put(UsageMessageSpec.SECTION_KEY_OPTION_LIST_HEADING, Cli::ownOptionsHeading);
    command.getHelpSectionMap().put(UsageMessageSpec.SECTION_KEY_OPTION_LIST, Cli::ownOptions);
    command.getHelpSectionMap().put(UsageMessageSpec.SECTION_KEY_SYNOPSIS, Cli::synopsis);
    command.getSubcommands().values().forEach(Cli::shorten);
  }

  private static List<OptionSpec> own(CommandSpec spec) {
    return spec.options().stream().filter(option -> !option.inherited()).toList();
  }

  private static String ownOptionsHeading(Help help) {
    return own(help.commandSpec()).isEmpty() ? "" : help.optionListHeading();
  }

  private static String ownOptions(Help help) {
    Map<String, Help.Layout> sections = new LinkedHashMap<>();
    sections.put("", help.createDefaultLayout());
    for (OptionSpec option : own(help.commandSpec())) {
      sections
          .computeIfAbsent(section(option), heading -> help.createDefaultLayout())
          .addOption(option, help.parameterLabelRenderer());
    }
    StringBuilder options = new StringBuilder();
    sections.forEach(
        (heading, layout) ->
            options.append(heading.isEmpty() ? "" : "\n" + heading + ":\n").append(layout));
    String asking =
        isOffline(topmost(help.commandSpec())) ? "" : String.join(", ", CONNECTION_OPTIONS) + ", ";
    String json = WITHOUT_JSON.contains(topmost(help.commandSpec())) ? "" : JSON + ", ";
    String where = (asking.isEmpty() ? " " : "\n") + "(`reprise --help`).\n";
    return options + "\nAs every command: " + asking + json + "--help" + where;
  }

  private static String section(OptionSpec option) {
    if (option.userObject() instanceof Setting<?> setting) {
      return setting.group().heading();
    }
    Section section =
        option.userObject() instanceof Field field
            ? field.getDeclaringClass().getAnnotation(Section.class)
            : null;
    return section == null ? "" : section.value();
  }

  /** Returns the name of the command that stands right behind {@code reprise}. */
  private static String topmost(CommandSpec spec) {
    CommandSpec command = spec;
    while (command.parent() != null && command.parent().parent() != null) {
      command = command.parent();
    }
    return command.name();
  }

  private static String synopsis(Help help) {
    CommandSpec spec = help.commandSpec();
    StringBuilder line = new StringBuilder(spec.qualifiedName());
    if (!spec.subcommands().isEmpty()) {
      line.append(" COMMAND");
    }
    spec.positionalParameters().forEach(p -> line.append(' ').append(positional(p)));
    own(spec).stream()
        .filter(OptionSpec::required)
        .forEach(o -> line.append(' ').append(o.longestName()).append(' ').append(o.paramLabel()));
    return line.append(own(spec).isEmpty() ? "" : " [OPTIONS]").append('\n').toString();
  }

  private static String positional(CommandLine.Model.PositionalParamSpec parameter) {
    return parameter.required() ? parameter.paramLabel() : "[" + parameter.paramLabel() + "]";
  }

  private static void sectioned(CommandLine root) {
    root.getHelpSectionMap().put(UsageMessageSpec.SECTION_KEY_COMMAND_LIST_HEADING, help -> "");
    root.getHelpSectionMap().put(UsageMessageSpec.SECTION_KEY_COMMAND_LIST, Cli::commandList);
    List<String> order = new ArrayList<>(root.getHelpSectionKeys());
    // The commands come first, as most readers look for them.
    List<String> commands =
        List.of(
            UsageMessageSpec.SECTION_KEY_COMMAND_LIST_HEADING,
            UsageMessageSpec.SECTION_KEY_COMMAND_LIST);
    order.removeAll(commands);
    order.addAll(order.indexOf(UsageMessageSpec.SECTION_KEY_OPTION_LIST_HEADING), commands);
    root.setHelpSectionKeys(order);
  }

  private static String commandList(Help help) {
    StringBuilder text = new StringBuilder();
    String section = "";
    for (Entry entry : COMMANDS) {
      Help command = help.subcommands().get(entry.name());
      if (command != null) {
        if (!entry.section().equals(section)) {
          section = entry.section();
          text.append(text.length() == 0 ? "" : "\n").append(section).append(":\n");
        }
        String line = command.commandSpec().usageMessage().description()[0];
        text.append(String.format("  %-14s %s%n", entry.name(), line));
      }
    }
    return text.toString();
  }

  private static int failed(Terminal terminal, Exception e) {
    if (e instanceof CommandFailure failure) {
      terminal.error(HarmlessText.visible(failure.text()));
      failure.details().forEach(detail -> terminal.note("  " + HarmlessText.visible(detail)));
      return failure.exitCode();
    }
    if (e instanceof ParameterException wrong) {
      return wrongUsage(terminal, wrong);
    }
    terminal.error("unexpected " + e + "; please report it, with REPRISE_TRACE=1 for the details");
    if (terminal.variable("REPRISE_TRACE") != null) {
      e.printStackTrace(terminal.err());
    }
    return ExitCode.FAILED;
  }

  private static int wrongUsage(Terminal terminal, ParameterException e) {
    CommandSpec spec = e.getCommandLine().getCommandSpec();
    StringBuilder message = new StringBuilder();
    List<String> suggestions = List.of();
    if (e instanceof UnmatchedArgumentException unmatched) {
      String first = HarmlessText.visible(unmatched.getUnmatched().get(0));
      suggestions = OtherWords.meant(spec, first);
      if (suggestions.isEmpty()) {
        suggestions = unmatched.getSuggestions();
      }
      message.append(first.startsWith("-") ? "there is no option " : noMore(spec)).append(first);
    } else {
      message.append(HarmlessText.visible(String.valueOf(e.getMessage())));
    }
    if (!suggestions.isEmpty()) {
      message
          .append(". Did you mean ")
          .append(suggestions.stream().limit(3).collect(Collectors.joining(" or ")))
          .append('?');
    }
    message.append(message.charAt(message.length() - 1) == '?' ? " " : ". ");
    terminal.error(message + "See: " + spec.qualifiedName() + " --help");
    return ExitCode.WRONG_USAGE;
  }

  private static String noMore(CommandSpec spec) {
    return spec.subcommands().isEmpty() ? "one argument too many: " : "there is no command ";
  }
}
