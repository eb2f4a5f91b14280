package dev.reprise.server.cli;

import java.util.concurrent.Callable;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Spec;

/** What every command can ask for. Commands return an {@link ExitCode}. */
abstract class BaseCommand implements Callable<Integer> {
  @Spec private @Nullable CommandSpec spec;

  final CommandSpec spec() {
    if (spec == null) {
      throw new IllegalStateException("the command is used without picocli");
    }
    return spec;
  }

  final Reprise root() {
    return (Reprise) spec().root().userObject();
  }

  Terminal terminal() {
    return root().terminal();
  }

  boolean json() {
    return root().json();
  }

  /** Returns an error that points at this command's help. */
  final ParameterException wrongUsage(String message) {
    return new ParameterException(spec().commandLine(), message);
  }
}
