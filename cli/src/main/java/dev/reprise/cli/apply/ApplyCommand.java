package dev.reprise.cli.apply;

import dev.reprise.cli.base.BaseCommand;
import dev.reprise.cli.base.CommandFailure;
import dev.reprise.cli.base.ExitCode;
import dev.reprise.cli.base.InputFile;
import dev.reprise.cli.base.Json;
import dev.reprise.cli.terminal.Words;
import dev.reprise.server.document.InvalidYamlException;
import dev.reprise.server.document.YamlDocument;
import dev.reprise.server.document.YamlText;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.node.ArrayNode;
import tools.jackson.databind.node.ObjectNode;

/** Makes a service as files say. */
@Command(
    name = "apply",
    description = {
      "Make topics, subscriptions, carriers and projects as files say.",
      "Files are YAML or JSON, with the sections carriers, projects, policies and topics; export"
          + " writes such files. A setting that a file does not give has its default. Only what"
          + " differs is changed, and nothing is deleted without --prune. All files are read and"
          + " checked before the first change."
    },
    footer = {
      "  ./reprise apply --dry-run reprise.yaml    # exit code 7 if anything would change",
      "  ./reprise apply reprise.yaml",
      "  ./reprise apply --prune topics/*.yaml",
      "",
      "Secrets stand elsewhere: password: {file: relay.pw} or password: {variable:"
          + " RELAY_PASSWORD}.",
      "A service shows of a secret only that it is set; --renew-secrets sends all of them again."
    })
public final class ApplyCommand extends BaseCommand {
  private static final int MAX_LEFT = 20;
  private static final int MAX_NOTES = 5;

  @Parameters(paramLabel = "FILE", arity = "1..*", description = "Files; - for the input.")
  private List<String> files = List.of();

  @Option(
      names = "--dry-run",
      description = "Only say what would change; exit code 7 if anything would.")
  private boolean dryRun;

  @Option(
      names = "--prune",
      description =
          "Delete what the sections of the files do not have: carriers, projects, all other topics"
              + " of the project, and subscriptions of topics that give a list of them.")
  private boolean prune;

  @Option(
      names = "--renew-secrets",
      description = "Send every secret again, also where one is set.")
  private boolean renewSecrets;

  @Option(
      names = "--unchecked",
      description = "Keep the settings of carriers although they cannot be used with them now.")
  private boolean unchecked;

  private final Plan plan = new Plan();

  @Override
  public Integer call() {
    List<Part> documents = read();
    throwMistakes();
    ServiceState state = new ServiceState(root());
    plan(documents, state);
    throwMistakes();
    plan.warnings.forEach(terminal()::warning);
    if (prune) {
      plan.changes.addAll(plan.superfluous);
    }
    return dryRun ? show() : make();
  }

  private List<Part> read() {
    List<Part> parts = new ArrayList<>();
    Set<String> seen = new HashSet<>();
    for (String file : files) {
      if (!seen.add(file)) {
        throw wrongUsage(file + " is named twice");
      }
      boolean input = file.equals("-");
      String text = input ? InputFile.standardInput(terminal()) : InputFile.text(file);
      try {
        for (YamlDocument document : YamlText.documents(input ? "the input" : file, text)) {
          Part whole = Part.of(document);
          parts.addAll(whole.json().isArray() ? whole.elements() : List.of(whole));
        }
      } catch (InvalidYamlException e) {
        plan.mistakes.add(String.valueOf(e.getMessage()));
      }
    }
    parts.removeIf(Part::isAbsent);
    if (parts.isEmpty() && plan.mistakes.isEmpty()) {
      throw CommandFailure.wrongUsage("the files say nothing: sections are " + sections());
    }
    return parts;
  }

  private static String sections() {
    return String.join(", ", WantedReader.SECTIONS);
  }

  private void throwMistakes() {
    List<String> mistakes = List.copyOf(plan.mistakes);
    if (mistakes.size() == 1) {
      throw CommandFailure.wrongUsage(mistakes.get(0));
    }
    if (!mistakes.isEmpty()) {
      throw new CommandFailure(
          ExitCode.WRONG_USAGE,
          "nothing was changed: there are " + mistakes.size() + " mistakes:",
          mistakes);
    }
  }

  /** Compares the files with the service. */
  private void plan(List<Part> documents, ServiceState state) {
    Wanted wanted = new WantedReader(terminal(), state.ownProject(), plan).read(documents);
    Map<String, Part> carriers = wanted.carriers;
    Map<String, Part> projects = wanted.projects;
    if ((carriers != null || projects != null) && !state.isOperator()) {
      throw new CommandFailure(
          ExitCode.REFUSED,
          "the files have carriers or projects, which only an operator's API key may change");
    }
    if (carriers != null) {
      new CarrierPlan(plan, state, terminal(), renewSecrets, unchecked).add(carriers);
    }
    if (projects != null) {
      new ProjectPlan(plan, state).add(projects);
    }
    List<PlannedChange> behind = new ArrayList<>(plan.superfluous);
    plan.superfluous.clear();
    wanted.topics.forEach(
        (project, topics) -> {
          if (!state.projects().containsKey(project)
              && (projects == null || !projects.containsKey(project))) {
            String where =
                topics.values().stream()
                    .findFirst()
                    .map(topic -> topic.part().document().place("/project") + ": ")
                    .orElse("");
            plan.mistakes.add(
                where + "project " + project + ": there is none, and the files do not make it");
            return;
          }
          Map<String, JsonNode> existing = state.topics(project);
          TopicPlan ofTopics = new TopicPlan(plan, state, project);
          SubscriptionPlan ofSubscriptions =
              new SubscriptionPlan(plan, state, terminal(), project, renewSecrets);
          ofTopics.add(topics, existing);
          ofSubscriptions.add(topics);
          ofSubscriptions.addSuperfluous(topics);
          ofTopics.addSuperfluous(topics, existing);
        });
    // Projects before the carriers that they may use.
    for (int i = behind.size() - 1; i >= 0; i--) {
      plan.superfluous.add(behind.get(i));
    }
  }

  private int show() {
    if (json()) {
      print(plan.changes);
    } else {
      plan.changes.forEach(change -> terminal().line(change.line()));
      noteSuperfluous();
      terminal()
          .line(
              plan.changes.isEmpty()
                  ? "nothing would change, " + plan.unchanged + " unchanged"
                  : Words.count(plan.changes.size(), "change")
                      + " would be made, "
                      + plan.unchanged
                      + " unchanged");
    }
    return plan.changes.isEmpty() ? ExitCode.DONE : ExitCode.CONDITION;
  }

  private int make() {
    List<PlannedChange> done = new ArrayList<>();
    for (PlannedChange change : plan.changes) {
      try {
        root().warnOf(change.request().send());
      } catch (CommandFailure e) {
        throw stopped(e, change, done);
      }
      done.add(change);
      if (!json()) {
        terminal().line(change.line());
        terminal().flush();
      }
    }
    if (json()) {
      print(done);
    } else {
      noteSuperfluous();
      terminal().line(Words.count(done.size(), "change") + ", " + plan.unchanged + " unchanged");
    }
    return ExitCode.DONE;
  }

  private CommandFailure stopped(CommandFailure e, PlannedChange change, List<PlannedChange> done) {
    if (json()) {
      print(done);
    }
    List<String> details = new ArrayList<>(e.details());
    int left = plan.changes.size() - done.size();
    details.add(
        Words.count(done.size(), "change")
            + " made, "
            + left
            + " not; once this is mended, the same command goes on with:");
    plan.changes.stream()
        .skip(done.size())
        .limit(MAX_LEFT)
        .map(PlannedChange::line)
        .forEach(details::add);
    if (left > MAX_LEFT) {
      details.add("and " + (left - MAX_LEFT) + " more");
    }
    return new CommandFailure(
        e.exitCode(), "\"" + change.line() + "\" failed: " + e.text(), details);
  }

  private void noteSuperfluous() {
    if (prune) {
      return;
    }
    // A topic says more than its subscriptions.
    plan.superfluous.stream()
        .sorted(Comparator.comparing(each -> each.what().equals("subscription")))
        .limit(MAX_NOTES)
        .forEach(
            each ->
                terminal()
                    .note("not in the files; --prune deletes it: " + each.line().substring(2)));
    if (plan.superfluous.size() > MAX_NOTES) {
      terminal()
          .note(
              "and "
                  + (plan.superfluous.size() - MAX_NOTES)
                  + " more that are not in the files; --dry-run --prune lists all");
    }
  }

  private void print(List<PlannedChange> changes) {
    ObjectNode answer = Json.object().put("dryRun", dryRun);
    ArrayNode list = answer.putArray("changes");
    changes.forEach(change -> list.add(change.toJson()));
    answer.put("unchanged", plan.unchanged);
    ArrayNode superfluous = answer.putArray("notInFiles");
    if (!prune) {
      plan.superfluous.forEach(each -> superfluous.add(each.toJson()));
    }
    Json.print(terminal(), answer);
  }
}
