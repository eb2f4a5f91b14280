package dev.reprise.bench.retry;

import dev.reprise.bench.common.Benchmark;
import dev.reprise.bench.common.Effort;
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

/** The size of core and its dependencies. */
final class JarComparison implements Benchmark {
  private static final double KIBIBYTE = 1024;

  @Override
  public String name() {
    return "jar";
  }

  @Override
  public String goal() {
    return "size<=150KB,dependencies<=0";
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
    return String.format(Locale.ROOT, "size=%.1fKB dependencies=%d", kibibytes, dependencies);
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
