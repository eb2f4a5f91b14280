package dev.reprise.chaos;

import dev.reprise.bench.common.Benchmark;
import dev.reprise.bench.common.Effort;
import dev.reprise.bench.common.Folders;
import java.io.IOException;
import java.io.PrintStream;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Random;

/**
 * Seeded schedules of faults, each over a load of a new cluster of three nodes on three brokers.
 * The first seeds have one fault of each kind, the next one a service that becomes a cluster; the
 * others have up to three of any, and some of them begin as such a service.
 */
final class ClusterChaos implements Benchmark {
  private static final int QUICK_SEEDS = 3;
  private static final int SEEDS = 64;

  /** Every so many of the mixed schedules begin as a service without a cluster. */
  private static final int MIGRATED = 10;

  private static final int MAX_FAULTS = 3;
  private static final int PER_SECOND = 50;

  /** Faults that the machine did not allow. */
  private int skipped;

  @Override
  public String name() {
    return "cluster-chaos";
  }

  @Override
  public String goal() {
    return "lost<=0,broken<=0";
  }

  @Override
  public String run(Effort effort, PrintStream out) throws Exception {
    List<Long> seeds = seeds(effort);
    Path folder = Folders.create("cluster-chaos");
    out.println("logs of nodes and brokers: " + folder);
    long published = 0;
    long repeated = 0;
    long lost = 0;
    long broken = 0;
    skipped = 0;
    try (Ground ground = Ground.make(folder, out)) {
      for (long seed : seeds) {
        Trial.Verdict verdict = run(ground, seed, folder, out);
        out.println("seed " + seed + ": " + verdict);
        verdict.broken().forEach(rule -> out.println("  BROKEN " + rule));
        published += verdict.published();
        repeated += verdict.repeated();
        lost += verdict.lost();
        broken += verdict.broken().size();
      }
    }
    if (lost + broken == 0) {
      Folders.delete(folder);
    }
    return String.format(
        Locale.ROOT,
        "lost=%d broken=%d skipped=%d repeated=%d published=%d seeds=%d",
        lost,
        broken,
        skipped,
        repeated,
        published,
        seeds.size());
  }

  private static List<Long> seeds(Effort effort) {
    Long one = Long.getLong("reprise.seed");
    if (one != null) {
      return List.of(one);
    }
    int count = Integer.getInteger("reprise.seeds", effort.choose(QUICK_SEEDS, SEEDS));
    List<Long> seeds = new ArrayList<>();
    for (long i = 1; i <= count; i++) {
      seeds.add(i);
    }
    return seeds;
  }

  private Trial.Verdict run(Ground ground, long seed, Path folder, PrintStream out)
      throws InterruptedException {
    out.println("seed " + seed);
    try (Ground.Site site = ground.new Site("chaos" + seed)) {
      Nodes nodes = site.nodes();
      Random random = new Random(seed);
      List<Fault> all = ground.faults(site);
      List<Fault> faults = new ArrayList<>();
      boolean migrated = seed == all.size() + 1 || (seed > all.size() && seed % MIGRATED == 0);
      if (migrated) {
        faults.add(new MigrationFaults(ground.receiver())::migrate);
        site.startAlone();
      } else {
        site.start();
      }
      if (seed <= all.size()) {
        faults.add(all.get((int) seed - 1));
      } else if (seed > all.size() + 1) {
        for (int i = random.nextInt(MAX_FAULTS); i >= 0; i--) {
          faults.add(all.get(random.nextInt(all.size())));
        }
      }
      Scene scene = new Scene(ground.brokers(), Ground.BROKERS, nodes, folder, out);
      // The endpoints outlive the cluster: another name, and nothing of other seeds is counted.
      Trial.Verdict verdict =
          new Trial(scene, ground.receiver(), PER_SECOND).run("orders" + seed, faults, random);
      skipped += scene.skipped();
      nodes.terminateAll();
      return verdict.with(new CopyChecker(nodes).check());
    } catch (IOException | RuntimeException | AssertionError e) {
      e.printStackTrace(out);
      return Trial.Verdict.failed(e);
    }
  }
}
