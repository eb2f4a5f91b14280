package dev.reprise.device.queue;

import dev.reprise.device.message.Message;
import java.io.Closeable;
import java.io.EOFException;
import java.io.IOException;
import java.util.List;

/** The messages that wait in a segment, and their places in the file. */
final class LoadedSegment implements Closeable {
  final DiskFile log;
  private final Segment segment;
  final Waiting<Stored> waiting = new Waiting<>();
  final Offsets offsets = new Offsets();

  LoadedSegment(Segment segment, DiskFile log) {
    this.segment = segment;
    this.log = log;
  }

  /** Reads all messages of the segment except taken ones. */
  static LoadedSegment load(Disk disk, Segment segment, ExpiryClock clock) throws IOException {
    List<Frame> live = SegmentContent.readLive(disk, segment);
    LoadedSegment loaded = new LoadedSegment(segment, disk.open(segment.log));
    for (Frame frame : live) {
      loaded.offsets.add(frame.sequence(), frame.offset());
      if (!segment.taken.contains(frame.sequence())) {
        loaded.waiting.add(stored(frame, clock));
      }
    }
    return loaded;
  }

  static Stored stored(Frame frame, ExpiryClock clock) {
    StoredMessage head = StoredMessage.head(frame.payload());
    return new Stored(
        frame.sequence(),
        head.priority(),
        head.sizeBytes(),
        frame.length(),
        clock.expiryAgeNanos(frame.sequence(), head.lifetime()));
  }

  Message read(Stored message) throws IOException {
    int offset = offsets.of(message.sequence());
    byte[] bytes;
    try {
      bytes = log.read(offset, message.frameBytes());
    } catch (EOFException e) {
      throw new DamagedSegmentException(segment + " ends before offset " + offset + " is read");
    }
    if (!Frame.isAt(bytes, 0) || Frame.at(bytes, 0).sequence() != message.sequence()) {
      throw new DamagedSegmentException(
          segment + " cannot be read at offset " + offset + ": a message");
    }
    return StoredMessage.decode(Frame.at(bytes, 0).payload());
  }

  @Override
  public void close() throws IOException {
    log.close();
  }
}
