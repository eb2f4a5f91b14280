package dev.reprise.cli.base;

import dev.reprise.cli.terminal.Terminal;
import dev.reprise.core.InvalidSettingException;
import java.util.Locale;
import java.util.concurrent.Callable;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Spec;

/**
 * The base of all commands: terminal, root options and errors. Commands return an {@link ExitCode}.
 */
public abstract class BaseCommand implements Callable<Integer> {
  @Spec private @Nullable CommandSpec spec;

  public final CommandSpec spec() {
    if (spec == null) {
      throw new IllegalStateException("the command is used without picocli");
    }
    return spec;
  }

  public final Reprise root() {
    return (Reprise) spec().root().userObject();
  }

  public Terminal terminal() {
    return root().terminal();
  }

  public boolean json() {
    return root().json();
  }

  /** Returns an error that points at this command's help. */
  public final ParameterException wrongUsage(String message) {
    return new ParameterException(spec().commandLine(), message);
  }

  /**
   * Returns the error of a setting that an option gave; the option is called as the setting is,
   * {@code attemptTimeout} as {@code --attempt-timeout}.
   */
  protected final ParameterException refused(InvalidSettingException e) {
    return wrongOption(e.field(), e.value(), e.rule());
  }

  /** Returns the error of an option that has the name of a field. */
  protected final ParameterException wrongOption(String field, String value, String rule) {
    String option = field.replaceAll("(?<=[a-z])(?=[A-Z])", "-").toLowerCase(Locale.ROOT);
    return wrongUsage("--" + option + " is " + value + ": " + rule);
  }
}
