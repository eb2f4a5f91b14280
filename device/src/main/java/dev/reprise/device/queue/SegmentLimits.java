package dev.reprise.device.queue;

/**
 * The limits of a file of messages, and of wasted bytes in all files.
 *
 * @param bytes as many bytes are enough for a file; what one sync writes may exceed it
 * @param messages as many messages are enough for a file: what bounds the heap that it takes while
 *     it is loaded
 * @param wastedBytes so many bytes of what is gone may lie in all files together, beside as many as
 *     are not gone, before any file is written again
 */
record SegmentLimits(int bytes, int messages, long wastedBytes) {
  /** About as many bytes as messages of a usual size: 250 bytes each. */
  static final SegmentLimits DEFAULT = new SegmentLimits(256 * 1024, 1024, 1024 * 1024);

  boolean isFull(long bytes, int messages) {
    return bytes >= this.bytes || messages >= this.messages;
  }
}
