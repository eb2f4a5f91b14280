package dev.reprise.delivery.shard;

/**
 * Where the answer to an input goes. Completed after what the answer speaks of is durable. Only the
 * first call counts: a host may have failed what becomes durable later after all.
 *
 * @param <T> the answer's type
 */
public interface Reply<T> {
  /** The input was carried out. */
  void complete(T answer);

  /** The input was refused, or it is not known whether it became durable. */
  void fail(Throwable error);
}
