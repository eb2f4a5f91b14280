package dev.reprise.delivery.store;

import dev.reprise.common.text.AmountText;

/**
 * The space of a store at one moment, on its disk and within its own bound.
 *
 * @param freeBytes the free bytes of the disk
 * @param reserveBytes what publishes leave of them, so that accepted work can be finished
 * @param takenBytes what the store takes for its bound; 0 without a bound
 * @param maxBytes the bound; 0 for none
 */
public record StoreSpace(long freeBytes, long reserveBytes, long takenBytes, long maxBytes) {
  /** Returns whether so many bytes more leave the reserve and the bound as they are. */
  public boolean allows(long bytes) {
    return missingOnDisk(bytes) <= 0 && missingInBound(bytes) <= 0;
  }

  private long missingOnDisk(long bytes) {
    return reserveBytes + bytes - freeBytes;
  }

  private long missingInBound(long bytes) {
    return maxBytes == 0 ? 0 : takenBytes + bytes - maxBytes;
  }

  /**
   * Describes, for people, the space that is left, and how much more is needed for so many bytes.
   */
  public String text(long bytes) {
    if (missingInBound(bytes) > 0) {
      return "the store has "
          + AmountText.bytes(takenBytes)
          + ", and its bound (store-bytes) is "
          + AmountText.bytes(maxBytes)
          + more(missingInBound(bytes));
    }
    return "the disk has "
        + AmountText.bytes(freeBytes)
        + " left"
        + (missingOnDisk(bytes) <= 0
            ? ""
            : ", and publishing leaves "
                + AmountText.bytes(reserveBytes)
                + " of it free"
                + more(missingOnDisk(bytes)));
  }

  private static String more(long missing) {
    return ": " + AmountText.bytes(missing) + " more needed";
  }

  /** Returns a sentence for the operator: what makes room for publishes. */
  public String action() {
    return missingInBound(1) > 0
        ? "Raise --store-bytes, or let dead letters go: ./reprise dead-letters purge, or"
            + " --dead-letter-bytes for a bound. Pending deliveries make room once they are"
            + " delivered; history goes by itself."
        : "Free space on the disk of the data folder, or make it larger. History goes by itself;"
            + " dead letters go by ./reprise dead-letters purge, or with --dead-letter-bytes."
            + " --store-bytes keeps the store from filling the disk again.";
  }
}
