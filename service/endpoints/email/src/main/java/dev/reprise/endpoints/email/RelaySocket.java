package dev.reprise.endpoints.email;

import java.io.FilterInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.net.Socket;

/**
 * A connection of which only so much is read for each command: the mail library keeps a reply in
 * memory until it ends.
 */
final class RelaySocket extends Socket {
  /** Of a reply, or of the certificates of a handshake. */
  static final int MAX_REPLY_BYTES = 256 * 1024;

  private volatile long left = MAX_REPLY_BYTES;

  /** Allows another reply to be read. */
  void expectReply() {
    left = MAX_REPLY_BYTES;
  }

  @Override
  public InputStream getInputStream() throws IOException {
    return new Bounded(super.getInputStream());
  }

  private final class Bounded extends FilterInputStream {
    private Bounded(InputStream in) {
      super(in);
    }

    @Override
    public int read() throws IOException {
      return counted(super.read(), 1);
    }

    @Override
    public int read(byte[] into, int offset, int length) throws IOException {
      int read = super.read(into, offset, length);
      return counted(read, read);
    }

    /** One thread reads. */
    @SuppressWarnings("NonAtomicVolatileUpdate")
    private int counted(int result, int bytes) throws IOException {
      if (bytes > 0) {
        left -= bytes;
      }
      if (left < 0) {
        throw new IOException("the reply is longer than " + MAX_REPLY_BYTES + " bytes");
      }
      return result;
    }
  }
}
