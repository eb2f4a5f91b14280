package dev.reprise.delivery.host;

import dev.reprise.delivery.DeliveryReader;
import dev.reprise.delivery.Ledger;
import dev.reprise.delivery.catalog.Catalog;
import dev.reprise.delivery.catalog.CatalogSalvage;
import dev.reprise.delivery.catalog.Subscription;
import dev.reprise.delivery.catalog.SubscriptionSettings;
import dev.reprise.delivery.salvage.Damage;
import dev.reprise.delivery.salvage.DamagedStore;
import dev.reprise.delivery.salvage.SalvageLosses;
import dev.reprise.delivery.secret.SecretKeys;
import dev.reprise.delivery.shard.ShardReader;
import dev.reprise.delivery.shard.ShardSalvage;
import dev.reprise.delivery.store.Batch;
import dev.reprise.delivery.store.RocksSettings;
import dev.reprise.delivery.store.RocksStore;
import dev.reprise.delivery.store.Store;
import dev.reprise.delivery.store.StoreException;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.channels.FileChannel;
import java.nio.channels.FileLock;
import java.nio.channels.OverlappingFileLockException;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.StandardOpenOption;
import java.util.Arrays;
import java.util.BitSet;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.function.LongConsumer;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * A data folder that was made of what could be read of a damaged one.
 *
 * @param damages the parts of files that cannot be read
 * @param lostWrites writes that were in no table yet, and cannot be read
 * @param records how many records were read
 * @param topics the number of topics
 * @param subscriptions the number of subscriptions
 * @param ledger the ledger of everything
 * @param agrees whether the records agree with the ledger, to the last delivery
 * @param losses of each subscription that has any, by its id
 * @param held the subscriptions that are suspended until they have been checked, each with why
 * @param notes what else an operator has to look at, a line each
 * @param missingKeys as in {@link RestoredFolder#missingKeys}
 */
public record SalvagedFolder(
    List<Damage> damages,
    List<DamagedStore.LostWrites> lostWrites,
    long records,
    int topics,
    int subscriptions,
    Ledger ledger,
    boolean agrees,
    Map<String, SalvageLosses> losses,
    Map<String, String> held,
    Set<String> notes,
    Map<String, String> missingKeys) {
  /**
   * Makes a data folder of another one, which is only read and may have damaged files.
   *
   * @param from no process may have it open
   * @param to must be absent; until it is whole, it has another name
   * @param strict the views of which a record that may have been deleted is left out, such as API
   *     keys
   * @param progress is given the number of records that were read, repeatedly
   * @throws StoreException if the folder is in use, of a newer version, no service's, or without a
   *     list of its files; or if the new one cannot be made
   */
  public static SalvagedFolder salvage(
      Path from, Path to, Set<Integer> strict, LongConsumer progress) {
    if (!Files.isDirectory(from)) {
      throw refused(from + " is no data folder: there is no such folder");
    }
    FolderFormat.check(from);
    FolderMarks.requireEmbedded(from);
    Path work = to.resolveSibling(to.getFileName() + ".unfinished");
    requireAbsent(to, "choose another one");
    requireAbsent(work, "an earlier salvage was broken off; delete it");
    try (FileChannel lock = lock(from)) {
      // Held to the end; a folder without the file was never opened by a service.
      progress.accept(lock == null ? 0 : lock.position());
      SalvagedFolder salvaged = new Salvage(from, work, strict, progress).run();
      Files.move(work.resolve(Salvage.STORE), to, StandardCopyOption.ATOMIC_MOVE);
      sync(to);
      return salvaged;
    } catch (IOException | UncheckedIOException e) {
      throw new StoreException("cannot salvage " + from + " to " + to + ": " + e, false, e);
    } finally {
      delete(work);
    }
  }

  /** Returns the kinds of records that a damaged part has had, for people; empty for a log. */
  public static String kinds(Damage damage) {
    int first = viewOf(damage.from());
    int last = viewOf(damage.to());
    if (first < 0 || first > last) {
      return "";
    }
    if (first != last) {
      return "records of %s to %s".formatted(kind(damage.from()), kind(damage.to()));
    }
    String from = kind(damage.from());
    String to = kind(damage.to());
    return from.equals(to) ? from : from + " to " + to;
  }

  private static int viewOf(byte[] key) {
    // Logs have keys of all kinds, and name none.
    return key.length < 2 || (key.length > 4 && key[2] == -1 && key[3] == -1)
        ? -1
        : (key[0] & 0xff) << 8 | (key[1] & 0xff);
  }

  private static String kind(byte[] key) {
    int view = viewOf(key);
    int letter = key.length > 2 ? key[2] : 0;
    if (view == 0) {
      return switch (letter) {
        case 'T' -> "topics";
        case 'S' -> "subscriptions";
        case 'K' -> "carriers";
        default -> "the catalog";
      };
    }
    if (view > SubscriptionSettings.MAX_SHARDS) {
      return "keys, projects and audit";
    }
    return ShardSalvage.kindOf(letter) + " of shard " + (view - 1);
  }

  private static void requireAbsent(Path folder, String rule) {
    if (Files.exists(folder)) {
      throw refused(folder + " exists: " + rule + ". Nothing was changed");
    }
  }

  /** Keeps a service from starting on the folder, and changes nothing in it. */
  private static @Nullable FileChannel lock(Path folder) throws IOException {
    FileChannel channel;
    try {
      channel = FileChannel.open(folder.resolve("reprise.lock"), StandardOpenOption.READ);
    } catch (NoSuchFileException e) {
      return null;
    }
    FileLock lock;
    try {
      lock = channel.tryLock(0, Long.MAX_VALUE, /* shared= */ true);
    } catch (OverlappingFileLockException e) {
      lock = null;
    }
    if (lock == null) {
      channel.close();
      throw refused(
          "data folder " + folder + " is in use: stop the service first. Nothing was changed");
    }
    return channel;
  }

  private static void sync(Path to) throws IOException {
    Path parent = to.toAbsolutePath().getParent();
    if (parent != null) {
      try (FileChannel opened = FileChannel.open(parent)) {
        opened.force(true);
      }
    }
  }

  private static void delete(Path folder) {
    try (Stream<Path> files = Files.walk(folder)) {
      for (Path file : files.sorted(Comparator.reverseOrder()).toList()) {
        Files.deleteIfExists(file);
      }
    } catch (IOException | UncheckedIOException e) {
      // It has no name of a data folder, and the next salvage says what to do with it.
    }
  }

  private static StoreException refused(String message) {
    return new StoreException(message, false, null);
  }

  /** One run. */
  private static final class Salvage {
    static final String STORE = "store";
    private static final long MIB = 1L << 20;
    private static final RocksSettings SIDE =
        new RocksSettings(32 * MIB, 16 * MIB, 64 * MIB, 0).withoutSync();
    private static final int ENTRIES_PER_BATCH = 5000;
    private static final long BYTES_PER_BATCH = 4L << 20;
    private static final byte[] SHARD_COUNT = {0, 0, '#'};

    private final Path from;
    private final Path work;
    private final Set<Integer> strict;
    private final LongConsumer progress;
    private final DamagedStore damaged;
    private final long nowMillis = System.currentTimeMillis();

    /** Of each subscription, the shards that have records of it. */
    private final Map<Long, BitSet> seen = new HashMap<>();

    private final Set<String> notes = new TreeSet<>();
    private Batch certain = new Batch();
    private Batch uncertain = new Batch();
    private long read;
    private long leftOut;
    private int highestShard;

    Salvage(Path from, Path work, Set<Integer> strict, LongConsumer progress) {
      this.from = from;
      this.work = work;
      this.strict = strict;
      this.progress = progress;
      this.damaged = new DamagedStore(from);
    }

    SalvagedFolder run() throws IOException {
      RocksSettings whole = RocksSettings.defaults().withReserveBytes(0);
      try (RocksStore store = RocksStore.open(work.resolve(STORE), whole);
          RocksStore side = RocksStore.open(work.resolve("side"), SIDE)) {
        try (RocksStore logs = RocksStore.open(work.resolve("logs"), SIDE)) {
          damaged.read(logs, (key, value, doubt) -> take(store, side, key, value, doubt));
        }
        write(store, side);
        if (leftOut > 0) {
          notes.add(
              leftOut
                  + " records beside topics and deliveries, such as API keys, are left out: they"
                  + " may have been changed or revoked");
        }
        if (!damaged.lostWrites().isEmpty()) {
          notes.add(
              "writes of a log are lost: if subscriptions, carriers or API keys were changed or"
                  + " revoked by them, or letters purged, that is undone; look at what was changed"
                  + " last");
        }
        SalvagedFolder made = makeWhole(store, side);
        FolderFormat.note(work.resolve(STORE));
        return made;
      }
    }

    private void take(
        RocksStore store, RocksStore side, byte[] key, byte[] value, DamagedStore.Doubt doubt) {
      // Of what is lost in a log nearly nothing is about topics, subscriptions and keys.
      boolean isUncertain = doubt == DamagedStore.Doubt.DAMAGED_BLOCK;
      if (++read % ENTRIES_PER_BATCH == 0) {
        progress.accept(read);
      }
      int view = (key[0] & 0xff) << 8 | (key[1] & 0xff);
      boolean isShard = view > 0 && view <= SubscriptionSettings.MAX_SHARDS;
      if (isUncertain && strict.contains(view)) {
        leftOut++;
        return;
      }
      byte[] own = Arrays.copyOfRange(key, 2, key.length);
      if (isShard) {
        highestShard = Math.max(highestShard, view);
        long subscription = ShardSalvage.subscriptionOf(own);
        if (subscription > 0) {
          seen.computeIfAbsent(subscription, number -> new BitSet()).set(view - 1);
        }
        if (doubt != DamagedStore.Doubt.NONE && ShardSalvage.isJudged(own)) {
          uncertain.put(key, value);
          writeIfLarge(store, side);
          return;
        }
      }
      if (isUncertain && (view == 0 || (isShard && ShardSalvage.isLedger(own)))) {
        uncertain.put(key, value);
      }
      certain.put(key, value);
      writeIfLarge(store, side);
    }

    private void writeIfLarge(RocksStore store, RocksStore side) {
      if (certain.size() + uncertain.size() >= ENTRIES_PER_BATCH
          || certain.bytes() + uncertain.bytes() >= BYTES_PER_BATCH) {
        write(store, side);
      }
    }

    private void write(RocksStore store, RocksStore side) {
      store.write(certain);
      side.write(uncertain);
      certain = new Batch();
      uncertain = new Batch();
    }

    private SalvagedFolder makeWhole(RocksStore store, RocksStore side) {
      int shards = shards(store);
      Map<Long, Integer> wanted = new TreeMap<>();
      seen.forEach((number, in) -> wanted.put(number, spread(number, in, shards)));
      Store uncertainCatalog = side.view(0);
      CatalogSalvage.Result catalog =
          CatalogSalvage.run(
              store.view(0),
              key -> uncertainCatalog.get(key) != null,
              wanted,
              key -> damaged.mayHaveHeld(inView(0, key)),
              nowMillis);
      notes.addAll(catalog.notes());
      Catalog whole = new Catalog(store.view(0));
      Map<String, SalvageLosses> losses = new TreeMap<>();
      Ledger ledger = Ledger.EMPTY;
      boolean agrees = true;
      for (int i = 0; i < shards; i++) {
        int view = EmbeddedShards.viewOf(i);
        Map<Long, SalvageLosses> lost =
            ShardSalvage.run(
                store.view(view),
                side.view(view),
                catalog.existing(),
                heldIn(i, shards, catalog.held(), whole),
                prefix -> damaged.hasDamagedBlockOf(inView(view, prefix)),
                damaged.lostWrites().stream().mapToLong(DamagedStore.LostWrites::count).sum(),
                nowMillis);
        lost.forEach(
            (number, some) -> losses.merge(name(whole, number), some, SalvageLosses::plus));
        DeliveryReader reader = new ShardReader(store.view(view));
        DeliveryReader.Ledgers ledgers = reader.allLedgers();
        ledger = ledger.plus(ledgers.closed());
        for (Ledger each : ledgers.open().values()) {
          ledger = ledger.plus(each);
        }
        agrees &= reader.audit().agrees();
      }
      Map<String, String> held = new TreeMap<>();
      catalog.held().forEach((number, why) -> held.put(name(whole, number), why));
      return new SalvagedFolder(
          damaged.damages(),
          damaged.lostWrites(),
          damaged.records(),
          whole.topics().size(),
          whole.subscriptions().size(),
          ledger,
          agrees && ledger.unexplained() == 0,
          losses,
          held,
          notes,
          whole.missingKeys(SecretKeys.NONE));
    }

    /** A folder keeps its number of shards: subscriptions are spread by it. */
    private int shards(RocksStore store) {
      int stored = EmbeddedHost.storedShards(store.view(0));
      if (stored > 0) {
        return stored;
      }
      if (highestShard == 0) {
        throw refused(
            "data folder "
                + from
                + " cannot be salvaged: nothing that could be read is a service's. Nothing was"
                + " changed");
      }
      notes.add(
          "the number of shards is lost, and taken for "
              + highestShard
              + ", as that many have records");
      store.write(shardCount(highestShard));
      return highestShard;
    }

    private static Batch shardCount(int shards) {
      Batch batch = new Batch();
      batch.put(SHARD_COUNT, new byte[] {(byte) (shards >>> 8), (byte) shards});
      return batch;
    }

    /** Over how many shards a subscription is spread at least. */
    private static int spread(long number, BitSet in, int shards) {
      int first = (int) (number % shards);
      int most = 1;
      for (int shard = in.nextSetBit(0); shard >= 0; shard = in.nextSetBit(shard + 1)) {
        most = Math.max(most, Math.floorMod(shard - first, shards) + 1);
      }
      return most;
    }

    private static Map<Long, String> heldIn(
        int shard, int shards, Map<Long, String> held, Catalog catalog) {
      Map<Long, String> here = new TreeMap<>();
      held.forEach(
          (number, why) -> {
            Subscription subscription = Objects.requireNonNull(catalog.findSubscription(number));
            if (SubscriptionShards.of(subscription, shards).partIn(shard) >= 0) {
              here.put(number, why);
            }
          });
      return here;
    }

    private static String name(Catalog catalog, long number) {
      Subscription subscription = catalog.findSubscription(number);
      return subscription == null ? "(removed, number " + number + ")" : subscription.id();
    }

    private static byte[] inView(int view, byte[] key) {
      byte[] whole = new byte[2 + key.length];
      whole[0] = (byte) (view >>> 8);
      whole[1] = (byte) view;
      System.arraycopy(key, 0, whole, 2, key.length);
      return whole;
    }
  }
}
