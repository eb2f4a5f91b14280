package dev.reprise.cli;

import static org.junit.jupiter.api.Assumptions.assumeTrue;

import java.io.IOException;
import java.io.InputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.concurrent.TimeUnit;

/** A library in C that is preloaded into a process, compiled when a test needs it. */
final class Shim {
  private Shim() {}

  /** Compiles {@code NAME.c}, which lies beside this class; skips the test where that cannot be. */
  static Path compile(String name, Path folder) throws IOException, InterruptedException {
    assumeTrue(
        System.getProperty("os.name").equals("Linux"),
        "SKIPPED: " + name + ".c is preloaded, which needs Linux");
    for (String source : new String[] {"shim.h", name + ".c"}) {
      try (InputStream in = Shim.class.getResourceAsStream(source)) {
        Files.copy(in, folder.resolve(source));
      }
    }
    Path library = folder.resolve(name + ".so");
    Path said = folder.resolve("cc.txt");
    Process compiler;
    try {
      compiler =
          new ProcessBuilder(
                  "cc",
                  "-shared",
                  "-fPIC",
                  "-O1",
                  "-o",
                  library.toString(),
                  folder.resolve(name + ".c").toString(),
                  "-ldl",
                  "-lpthread")
              .redirectErrorStream(true)
              .redirectOutput(said.toFile())
              .start();
    } catch (IOException e) {
      assumeTrue(false, "SKIPPED: " + name + ".c needs a C compiler as cc: " + e.getMessage());
      throw e;
    }
    boolean compiled = compiler.waitFor(5, TimeUnit.MINUTES) && compiler.exitValue() == 0;
    if (!compiled) {
      throw new AssertionError(name + ".c cannot be compiled: " + Files.readString(said));
    }
    return library;
  }
}
