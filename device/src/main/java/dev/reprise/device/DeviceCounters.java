package dev.reprise.device;

/**
 * The counts of a client since it was made, taken at one moment.
 *
 * @param waiting messages in the queue that are not under way
 * @param inFlight messages under way, or waiting to be sent again
 * @param accepted messages taken by {@code send} and {@code enqueue}
 * @param recovered messages found in a queue on disk
 * @param acknowledged messages that the other side has
 * @param rejected messages refused by the queue or by the other side
 * @param expired messages whose time was over
 * @param dropped messages that had to give way in a full queue
 * @param cancelled messages that were in memory when the client was closed
 * @param stored messages that were on disk when the client was closed
 * @param attempts how often messages were handed to a connection
 * @param connects how often a connection was begun
 * @param losses how often an attempt to connect failed or a connection was lost
 */
public record DeviceCounters(
    int waiting,
    int inFlight,
    long accepted,
    long recovered,
    long acknowledged,
    long rejected,
    long expired,
    long dropped,
    long cancelled,
    long stored,
    long attempts,
    long connects,
    long losses) {
  /** The counts of a new client, all 0. */
  public static final DeviceCounters NONE =
      new DeviceCounters(0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0);

  /** Returns what this client and another one have done together. */
  public DeviceCounters plus(DeviceCounters other) {
    return new DeviceCounters(
        waiting + other.waiting,
        inFlight + other.inFlight,
        accepted + other.accepted,
        recovered + other.recovered,
        acknowledged + other.acknowledged,
        rejected + other.rejected,
        expired + other.expired,
        dropped + other.dropped,
        cancelled + other.cancelled,
        stored + other.stored,
        attempts + other.attempts,
        connects + other.connects,
        losses + other.losses);
  }
}
