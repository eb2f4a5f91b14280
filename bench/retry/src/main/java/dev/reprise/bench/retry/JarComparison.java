package dev.reprise.bench.retry;

import dev.reprise.core.retry.Retry;
import java.io.IOException;
import java.io.PrintStream;
import java.lang.module.ModuleDescriptor.Requires;
import java.lang.module.ModuleFinder;
import java.lang.module.ModuleReference;
import java.net.URISyntaxException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Locale;

/** What a program that uses core takes along. */
final class JarComparison implements Comparison {
  private static final double KIBIBYTE = 1024;
  private static final double MOST_KIBIBYTES = 120;

  @Override
  public String name() {
    return "jar";
  }

  @Override
  public String what() {
    return "the size of core's jar, and the modules beside the JDK's that it needs";
  }

  @Override
  public String goal() {
    return "KB<=120,dependencies=0";
  }

  @Override
  public String run(Effort effort, PrintStream out) throws IOException, URISyntaxException {
    return run(
        Path.of(Retry.class.getProtectionDomain().getCodeSource().getLocation().toURI()), out);
  }

  String run(Path jar, PrintStream out) throws IOException {
    if (!Files.isRegularFile(jar)) {
      throw new IllegalStateException("core is in " + jar + ": must be a jar");
    }
    double kibibytes = Files.size(jar) / KIBIBYTE;
    long dependencies = dependencies(jar);
    out.printf(Locale.ROOT, "%-44s %12s %12s%n", name(), "KB", "dependencies");
    out.printf(Locale.ROOT, "%-44s %12.1f %12d%n", "REPRISE", kibibytes, dependencies);
    return String.format(
        Locale.ROOT,
        "ratio=%.2f goal=%s %s",
        kibibytes / MOST_KIBIBYTES,
        goal(),
        kibibytes <= MOST_KIBIBYTES && dependencies == 0 ? "met" : "MISSED");
  }

  private static long dependencies(Path jar) {
    return ModuleFinder.of(jar).findAll().stream()
        .map(ModuleReference::descriptor)
        .flatMap(module -> module.requires().stream())
        .filter(needed -> !needed.modifiers().contains(Requires.Modifier.STATIC))
        .filter(needed -> ModuleFinder.ofSystem().find(needed.name()).isEmpty())
        .count();
  }
}
