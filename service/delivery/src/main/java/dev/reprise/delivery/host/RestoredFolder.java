package dev.reprise.delivery.host;

import dev.reprise.delivery.DeliveryReader;
import dev.reprise.delivery.Ledger;
import dev.reprise.delivery.backup.BackupException;
import dev.reprise.delivery.backup.BackupManifest;
import dev.reprise.delivery.backup.BackupReader;
import dev.reprise.delivery.catalog.Catalog;
import dev.reprise.delivery.secret.SecretKeys;
import dev.reprise.delivery.shard.ShardReader;
import dev.reprise.delivery.store.RestoreFolder;
import dev.reprise.delivery.store.RocksSettings;
import dev.reprise.delivery.store.RocksStore;
import dev.reprise.delivery.store.StoreException;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.function.LongConsumer;

/**
 * A data folder that was made of a backup, and its contents.
 *
 * @param backup the description of the backup
 * @param topics the number of topics
 * @param subscriptions the number of subscriptions
 * @param ledger the ledger of everything
 * @param agrees whether the records in the store agree with the ledger, to the last delivery
 * @param missingKeys the names of the keys under which its secrets are encrypted, each with a
 *     carrier or a subscription that needs it
 */
public record RestoredFolder(
    BackupManifest backup,
    int topics,
    int subscriptions,
    Ledger ledger,
    boolean agrees,
    Map<String, String> missingKeys) {
  /**
   * Makes a data folder of a backup. If that fails, the folder is left as it was.
   *
   * @param in the bytes of the backup
   * @param folder empty or absent
   * @param progress is given the bytes that were restored, repeatedly
   * @throws BackupException if the backup is not whole, damaged or of a newer version
   * @throws StoreException if the folder is not empty or cannot be written
   */
  public static RestoredFolder restore(InputStream in, Path folder, LongConsumer progress)
      throws IOException {
    BackupManifest manifest;
    try (RestoreFolder restore = RestoreFolder.begin(folder)) {
      manifest = BackupReader.read(in, receiver(restore, progress));
      restore.finish();
    }
    return look(folder, manifest);
  }

  private static BackupReader.Receiver receiver(RestoreFolder restore, LongConsumer progress) {
    return new BackupReader.Receiver() {
      @Override
      public void began(BackupManifest manifest) throws IOException {
        if (manifest.format() > FolderFormat.CURRENT) {
          throw new BackupException(
              "was made by a newer version of Reprise (format "
                  + manifest.format()
                  + "; this one reads up to "
                  + FolderFormat.CURRENT
                  + "): restore it with that version");
        }
        restore.requireSpace(manifest.bytes());
      }

      @Override
      public OutputStream file(String name, long size) throws IOException {
        progress.accept(restore.bytes());
        return restore.file(name);
      }
    };
  }

  /** Opens the folder as a start does, and counts everything in it. */
  private static RestoredFolder look(Path folder, BackupManifest manifest) {
    FolderFormat.check(folder);
    try (RocksStore store = RocksStore.open(folder, RocksSettings.defaults().withReserveBytes(0))) {
      Catalog catalog = new Catalog(store.view(0));
      int shards = EmbeddedHost.storedShards(store.view(0));
      Ledger ledger = Ledger.EMPTY;
      boolean agrees = true;
      for (int i = 0; i < shards; i++) {
        DeliveryReader reader = new ShardReader(store.view(1 + i));
        DeliveryReader.Ledgers ledgers = reader.allLedgers();
        ledger = ledger.plus(ledgers.closed());
        for (Ledger each : ledgers.open().values()) {
          ledger = ledger.plus(each);
        }
        agrees &= reader.audit().agrees();
      }
      return new RestoredFolder(
          manifest,
          List.copyOf(catalog.topics()).size(),
          catalog.subscriptions().size(),
          ledger,
          agrees && ledger.unexplained() == 0,
          catalog.missingKeys(SecretKeys.NONE));
    }
  }
}
