package dev.reprise.device.queue;

import java.util.ArrayList;
import java.util.List;

/**
 * The content of a file.
 *
 * @param frames all that are sound, in their order
 * @param gaps stretches between them that cannot be read
 * @param end where the last sound frame ends; what follows cannot be read either
 */
record FrameScan(List<Frame> frames, List<Gap> gaps, int end) {
  /** A stretch that cannot be read. */
  record Gap(int offset, int bytes) {}

  /** Continues behind damaged bytes: one bad byte must not cost all messages that follow it. */
  static FrameScan of(byte[] file, int start) {
    List<Frame> frames = new ArrayList<>();
    List<Gap> gaps = new ArrayList<>();
    int end = start;
    for (int at = start; at < file.length; at++) {
      if (Frame.isAt(file, at)) {
        if (at > end) {
          gaps.add(new Gap(end, at - end));
        }
        Frame frame = Frame.at(file, at);
        frames.add(frame);
        end = frame.end();
        at = end - 1;
      }
    }
    return new FrameScan(frames, gaps, end);
  }
}
