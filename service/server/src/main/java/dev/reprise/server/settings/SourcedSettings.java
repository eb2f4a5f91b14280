package dev.reprise.server.settings;

import dev.reprise.core.InvalidSettingException;
import dev.reprise.policy.document.FieldNames;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * Settings, and where each comes from: an option, else a variable, else a file, else its default.
 */
public final class SourcedSettings {
  /** Every variable of the service begins so. */
  private static final String PREFIX = "REPRISE_";

  /** Variables that are read elsewhere, by the command line, the start script or systemd. */
  private static final Set<String> OTHER_VARIABLES =
      Set.of(
          "REPRISE_URL",
          "REPRISE_KEY",
          "REPRISE_CA",
          "REPRISE_PROJECT",
          "REPRISE_CONFIG",
          "REPRISE_JAVA_OPTS",
          "REPRISE_OPTIONS",
          "REPRISE_BROKERS",
          "REPRISE_SECRET_KEYS");

  /**
   * Kubernetes gives each container variables for each of its services: for one that is called
   * reprise, {@code REPRISE_PORT=tcp://10.0.0.1:8080} and more.
   */
  private static final Pattern SERVICE_LINK = Pattern.compile("(?:tcp|udp|sctp)://.*");

  private static final Pattern SERVICE_LINK_NAME =
      Pattern.compile("REPRISE_(?:.*_)?(?:SERVICE_(?:HOST|PORT.*)|PORT_[0-9].*)");

  private final ServeSettings settings;
  private final Map<Setting<?>, Source> sources;

  /**
   * A place that gives a value.
   *
   * @param place such as {@code --history}, {@code REPRISE_HISTORY} or {@code reprise.yaml}
   * @param subject how a message about the value begins
   */
  private record Source(String place, String subject, String text) {}

  private SourcedSettings(ServeSettings settings, Map<Setting<?>, Source> sources) {
    this.settings = settings;
    this.sources = sources;
  }

  /**
   * Puts settings together.
   *
   * @param options the texts that were given as options
   * @param variables the environment variables
   * @throws IllegalArgumentException if a value is not allowed; the message begins with the place
   *     that has it
   */
  public static SourcedSettings of(
      Map<Setting<?>, String> options, Map<String, String> variables, @Nullable SettingsFile file) {
    ServeSettings settings = ServeSettings.defaults();
    Map<Setting<?>, Source> sources = new HashMap<>();
    for (Setting<?> setting : Settings.ALL) {
      Source source = source(setting, options, variables, file);
      if (source != null) {
        sources.put(setting, source);
        try {
          settings = settings.withText(setting, source.text());
        } catch (InvalidSettingException e) {
          throw refused(e, sources);
        }
      }
    }
    try {
      return new SourcedSettings(settings.checked(), sources);
    } catch (InvalidSettingException e) {
      throw refused(e, sources);
    }
  }

  private static @Nullable Source source(
      Setting<?> setting,
      Map<Setting<?>, String> options,
      Map<String, String> variables,
      @Nullable SettingsFile file) {
    String option = options.get(setting);
    if (option != null) {
      return new Source("--" + setting.name(), "--" + setting.name(), option);
    }
    String variable = variables.getOrDefault(setting.variable(), "").strip();
    if (!variable.isEmpty() && !SERVICE_LINK.matcher(variable).matches()) {
      return new Source(setting.variable(), setting.variable(), variable);
    }
    SettingsFile.Value value = file == null ? null : file.values().get(setting);
    return value == null
        ? null
        : new Source(value.place(), setting.name() + " in " + value.place(), value.text());
  }

  private static IllegalArgumentException refused(
      InvalidSettingException e, Map<Setting<?>, Source> sources) {
    String subject =
        Settings.named(e.field()).map(sources::get).map(Source::subject).orElse("--" + e.field());
    return new IllegalArgumentException(subject + " is " + e.value() + ": " + e.rule(), e);
  }

  /** The values. */
  public ServeSettings settings() {
    return settings;
  }

  /**
   * Returns the place that gives a setting its value, such as {@code --history}, {@code
   * REPRISE_HISTORY} or the name of a file; empty for the default.
   */
  public String place(Setting<?> setting) {
    Source source = sources.get(setting);
    return source == null ? "" : source.place();
  }

  /**
   * Returns a line for each variable that is probably meant as a setting, and is none.
   *
   * @param variables the environment variables
   */
  public static List<String> misspelt(Map<String, String> variables) {
    List<String> known =
        Settings.ALL.stream()
            .map(setting -> setting.variable().substring(PREFIX.length()))
            .toList();
    List<String> lines = new ArrayList<>();
    for (String name : new TreeMap<>(variables).keySet()) {
      if (name.startsWith(PREFIX)
          && !known.contains(name.substring(PREFIX.length()))
          && !OTHER_VARIABLES.contains(name)
          && !SERVICE_LINK_NAME.matcher(name).matches()) {
        FieldNames.nearest(name.substring(PREFIX.length()), known)
            .ifPresent(
                nearest ->
                    lines.add(
                        name
                            + " is no setting, and has no effect; did you mean "
                            + PREFIX
                            + nearest
                            + "?"));
      }
    }
    return lines;
  }
}
