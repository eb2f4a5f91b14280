package dev.reprise.delivery.host;

/** A shard runs in another process, or in none just now. Nothing was done. */
public final class ShardElsewhereException extends RuntimeException {
  private static final long serialVersionUID = 1L;

  private final int shard;

  /**
   * The exception.
   *
   * @param shard from 0
   * @param where says, for people, where it runs
   */
  public ShardElsewhereException(int shard, String where) {
    super("shard " + shard + " " + where);
    this.shard = shard;
  }

  /** The shard, from 0. */
  public int shard() {
    return shard;
  }
}
