package dev.reprise.core.backoff;

/**
 * The fate of the jitter of a documented formula once its delay has grown to the cap. The formulas
 * cut off at the cap what they have drawn: from then on every client waits equally long, and
 * clients that failed together keep returning together.
 */
public enum AtCap {
  /** As documented: the delay at the cap is the cap, without jitter. */
  CONSTANT,

  /**
   * Mended: the growth is capped first, so that the longest delay that can be drawn is the cap, and
   * the jitter is drawn inside it.
   */
  JITTER
}
