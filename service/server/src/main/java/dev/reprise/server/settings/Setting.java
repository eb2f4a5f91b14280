package dev.reprise.server.settings;

import dev.reprise.core.InvalidSettingException;
import java.util.Locale;

/**
 * A setting of the service, with everything that is to be said of it.
 *
 * @param <T> how the program has its value
 */
public final class Setting<T> {
  private final Group group;
  private final String name;
  private final String label;
  private final SettingType<T> type;
  private final String description;
  private final String standard;
  private final String standardWords;
  private final String variable;

  /** The part of the service that a setting is about; in the order of help and reference. */
  public enum Group {
    SERVICE(""),
    ENDPOINTS("Endpoints"),
    RETENTION("Retention and bounds"),
    LOG("Log and audit"),
    CLUSTER("Cluster");

    private final String heading;

    Group(String heading) {
      this.heading = heading;
    }

    /** The heading in help and reference; empty for those that come first. */
    public String heading() {
      return heading;
    }
  }

  private Setting(
      Group group,
      String name,
      String label,
      SettingType<T> type,
      String description,
      String standard,
      String standardWords,
      String variable) {
    this.group = group;
    this.name = name;
    this.label = label;
    this.type = type;
    this.description = description;
    this.standard = standard;
    this.standardWords = standardWords;
    this.variable = variable;
  }

  /**
   * A setting without a default.
   *
   * @param name as it stands behind {@code --} and in a file, such as {@code history-bytes}
   * @param label the kind of value in a line of help, such as {@code SPAN}
   * @param description sentences, without the default
   */
  static <T> Setting<T> of(
      Group group, String name, String label, SettingType<T> type, String description) {
    String variable = "REPRISE_" + name.replace('-', '_').toUpperCase(Locale.ROOT);
    return new Setting<>(group, name, label, type, description, "", "", variable);
  }

  /** The same with a default value. */
  Setting<T> byDefault(String text) {
    return new Setting<>(group, name, label, type, description, text, text, variable);
  }

  /** The same with words for what holds where no value is given. */
  Setting<T> byDefaultAs(String words) {
    return new Setting<>(group, name, label, type, description, standard, words, variable);
  }

  /** The same with another variable than the one that follows from its name. */
  Setting<T> withVariable(String other) {
    return new Setting<>(group, name, label, type, description, standard, standardWords, other);
  }

  /** The group it belongs to. */
  public Group group() {
    return group;
  }

  /** Its name in a file, and behind {@code --}. */
  public String name() {
    return name;
  }

  /** The kind of its value in a line of help, such as {@code SPAN}; empty for a switch. */
  public String label() {
    return label;
  }

  /** The environment variable that may have its value. */
  public String variable() {
    return variable;
  }

  /** Sentences on it, without the default. */
  public String description() {
    return description;
  }

  /** The default in words, such as {@code 72h}; empty if it is just absent. */
  public String standardWords() {
    return standardWords;
  }

  /** The range of its values, such as {@code 1s to 24h}; empty if it has none. */
  public String range() {
    return type.range();
  }

  /** Returns true if its value is true or false. */
  public boolean isSwitch() {
    return type == SettingTypes.SWITCH;
  }

  /** Returns true if it may be given several times. */
  public boolean isList() {
    return type == SettingTypes.TEXTS;
  }

  /** Returns true if its value is the name of a file or folder. */
  public boolean isFile() {
    return type == SettingTypes.FILE;
  }

  /** The text of the default value; empty if there is none. */
  String standard() {
    return standard;
  }

  /**
   * Reads a value.
   *
   * @throws InvalidSettingException if it is no value, or out of range
   */
  T read(String text) {
    T value = type.read(text);
    if (value == null) {
      throw new InvalidSettingException(name, text.isEmpty() ? "empty" : text, type.form());
    }
    String rule = type.broken(value);
    if (rule != null) {
      throw new InvalidSettingException(name, text, rule);
    }
    return value;
  }

  /**
   * Returns the value if it is in the range.
   *
   * @throws InvalidSettingException if it is not
   */
  T checked(T value) {
    String rule = type.broken(value);
    if (rule != null) {
      throw new InvalidSettingException(name, type.write(value), rule);
    }
    return value;
  }

  /** Returns a text that is read as the value. */
  String write(T value) {
    return type.write(value);
  }

  @Override
  public String toString() {
    return name;
  }
}
