package dev.reprise.cli;

import static java.nio.charset.StandardCharsets.UTF_8;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.stream.Stream;
import org.apache.kafka.common.acl.AclOperation;
import org.apache.kafka.common.resource.ResourceType;
import org.apache.kafka.metadata.authorizer.StandardAuthorizer;
import org.apache.kafka.server.authorizer.Action;
import org.apache.kafka.server.authorizer.AuthorizableRequestContext;
import org.apache.kafka.server.authorizer.AuthorizationResult;

/** Kafka's own authorizer, which notes what it was asked and what it has answered. */
public final class RecordingAuthorizer extends StandardAuthorizer {
  /** The setting of a broker for the folder with the notes. */
  static final String FOLDER = "recording.authorizer.folder";

  /** Those of a broker and of its controller, in one process. */
  private static final Set<Decision> NOTED = new HashSet<>();

  private Path file;

  /**
   * One that was made.
   *
   * @param user who asked
   * @param told whether it decides about a request; else it is only described
   */
  record Decision(
      String user,
      AclOperation operation,
      ResourceType type,
      String name,
      boolean allowed,
      boolean told) {
    private static Decision parse(String line) {
      String[] words = line.split("\t", -1);
      return new Decision(
          words[0],
          AclOperation.valueOf(words[1]),
          ResourceType.valueOf(words[2]),
          words[3],
          Boolean.parseBoolean(words[4]),
          Boolean.parseBoolean(words[5]));
    }

    private String line() {
      return String.join(
              "\t",
              user,
              operation.name(),
              type.name(),
              name,
              Boolean.toString(allowed),
              Boolean.toString(told))
          + "\n";
    }
  }

  /** Brokers make it by its name. */
  public RecordingAuthorizer() {}

  /** All that brokers have noted in a folder. */
  static Set<Decision> read(Path folder) throws IOException {
    Set<Decision> all = new HashSet<>();
    try (Stream<Path> files = Files.list(folder)) {
      for (Path each : files.toList()) {
        Files.readAllLines(each, UTF_8).forEach(line -> all.add(Decision.parse(line)));
      }
    }
    return all;
  }

  @Override
  public void configure(Map<String, ?> configs) {
    super.configure(configs);
    file = Path.of((String) configs.get(FOLDER), "broker-" + ProcessHandle.current().pid());
  }

  @Override
  public List<AuthorizationResult> authorize(
      AuthorizableRequestContext context, List<Action> actions) {
    List<AuthorizationResult> results = super.authorize(context, actions);
    for (int i = 0; i < actions.size(); i++) {
      Action action = actions.get(i);
      boolean allowed = results.get(i) == AuthorizationResult.ALLOWED;
      note(
          new Decision(
              context.principal().getName(),
              action.operation(),
              action.resourcePattern().resourceType(),
              action.resourcePattern().name(),
              allowed,
              allowed ? action.logIfAllowed() : action.logIfDenied()));
    }
    return results;
  }

  private void note(Decision decision) {
    synchronized (NOTED) {
      if (NOTED.add(decision)) {
        try {
          Files.writeString(
              file, decision.line(), UTF_8, StandardOpenOption.CREATE, StandardOpenOption.APPEND);
        } catch (IOException e) {
          throw new UncheckedIOException(e);
        }
      }
    }
  }
}
