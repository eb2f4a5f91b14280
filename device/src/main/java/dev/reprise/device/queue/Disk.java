package dev.reprise.device.queue;

import java.io.IOException;
import java.nio.file.Path;
import java.util.List;

/**
 * The operations that a journal needs of a file system; tests implement it with disks that fail.
 */
interface Disk {
  /** Opens a file to read and write; a file that is not there is an error. */
  DiskFile open(Path path) throws IOException;

  /** Opens a file to read and write, an empty one if there is none. */
  DiskFile create(Path path) throws IOException;

  /** Gives a file another name, in one step; a file of that name is gone. */
  void rename(Path from, Path to) throws IOException;

  /** Deletes a file, if it is there. */
  void delete(Path path) throws IOException;

  /** Returns the files of a folder. */
  List<Path> list(Path folder) throws IOException;

  /** Makes durable which files a folder has. */
  void force(Path folder) throws IOException;
}
