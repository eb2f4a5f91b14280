package dev.reprise.server.api;

import dev.reprise.delivery.backup.BackupStream;
import dev.reprise.delivery.engine.DeliveryEngine;
import dev.reprise.server.http.Answer;
import dev.reprise.server.http.ApiError;
import dev.reprise.server.http.ApiException;
import dev.reprise.server.http.Call;
import dev.reprise.server.http.Place;
import dev.reprise.server.http.Route;
import dev.reprise.server.http.Routes;
import dev.reprise.server.http.Use;
import dev.reprise.server.openapi.BackupDescriptions;
import java.util.List;
import java.util.Map;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.BooleanSupplier;

/** Backups of everything, while the service runs. */
final class BackupOperations {
  private final DeliveryEngine engine;
  private final BooleanSupplier stopping;
  private final boolean clustered;
  private final AtomicBoolean underWay = new AtomicBoolean();

  /**
   * Backups of an engine.
   *
   * @param clustered whether it is a node of a cluster, of which there are none
   */
  BackupOperations(DeliveryEngine engine, BooleanSupplier stopping, boolean clustered) {
    this.clustered = clustered;
    this.engine = engine;
    this.stopping = stopping;
  }

  List<Route> routes() {
    return List.of(
        // Nodes of a cluster refuse it.
        Routes.reading(Use.OPERATOR_CHANGE, Place.ANYWHERE, "POST", "/v1/backup", this::create)
            .described(BackupDescriptions.CREATE_BACKUP));
  }

  private Answer create(Call call) {
    call.query();
    if (clustered) {
      throw new ApiException(
          ApiError.of(
              409,
              "conflict",
              "this is a node of a cluster: what was accepted is in the topics of the brokers, and"
                  + " the data folder has copies of a part of it. Keep the topics safe, with"
                  + " replicas on several brokers and a mirror elsewhere; to move what a single"
                  + " service has, back up that one before it is migrated"));
    }
    if (!underWay.compareAndSet(false, true)) {
      throw new ApiException(
          ApiError.of(409, "conflict", "a backup is being taken already: wait until it has ended"));
    }
    try {
      BackupStream backup = engine.backup(() -> underWay.set(false));
      String name = backup.manifest().fileName();
      return Answer.transfer(
              "application/x-tar", new BackupTransfer(backup, engine.store(), stopping))
          .withHeaders(
              Map.of(
                  "Cache-Control",
                  "no-store",
                  "Content-Disposition",
                  "attachment; filename=\"" + name + "\""));
    } catch (RuntimeException | Error e) {
      underWay.set(false);
      throw e;
    }
  }
}
