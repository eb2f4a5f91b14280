package dev.reprise.chaos;

import java.io.IOException;
import java.io.UncheckedIOException;

/**
 * A process that was stopped in the middle of what it does (SIGSTOP), until this is closed. A shell
 * has it go on when the input of that shell ends: a stopped process does not see that this one has
 * ended, and would outlive it.
 */
final class StoppedProcess implements AutoCloseable {
  private static final String SCRIPT =
      "/bin/kill -STOP $0 && echo done; read line; /bin/kill -CONT $0";

  private final Process shell;

  StoppedProcess(long pid) throws IOException {
    shell =
        new ProcessBuilder("/bin/sh", "-c", SCRIPT, Long.toString(pid))
            .redirectError(ProcessBuilder.Redirect.DISCARD)
            .start();
    if (shell.getInputStream().read() < 0) {
      throw new IOException("process " + pid + " could not be stopped");
    }
  }

  @Override
  public void close() {
    try {
      shell.getOutputStream().close();
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
    shell.onExit().join();
  }
}
