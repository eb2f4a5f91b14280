package dev.reprise.cli;

import dev.reprise.cli.base.BaseCommand;
import dev.reprise.cli.base.ExitCode;
import picocli.AutoComplete;
import picocli.CommandLine.Command;
import picocli.CommandLine.Parameters;

/** Prints what a shell needs to complete commands and options. */
@Command(
    name = "completion",
    description = "Print a script that lets the shell complete commands and options.",
    footer = {"  source <(./reprise completion bash)", "  ./reprise completion zsh >> ~/.zshrc"})
final class CompletionCommand extends BaseCommand {
  /** The shells that picocli's script works in. */
  enum Shell {
    bash,
    zsh
  }

  @Parameters(paramLabel = "SHELL", description = "bash or zsh.")
  private Shell shell = Shell.bash;

  @Override
  public Integer call() {
    // One script serves both: in zsh it loads the emulation of bash's completion by itself.
    String script = AutoComplete.bash("reprise", spec().root().commandLine());
    terminal().line("# reprise: completion for " + shell);
    terminal().line(script);
    return ExitCode.DONE;
  }
}
