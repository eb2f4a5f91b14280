package dev.reprise.lab.kernel;

import java.util.Arrays;
import java.util.NoSuchElementException;

/**
 * The events to come, in the order of their ticks and, within a tick, in the order in which they
 * were added. An event is a long whose meaning is its owner's. Not thread-safe.
 *
 * <p>It is made for millions of events, where time goes into waiting for memory. So nothing is ever
 * looked up at a random place. There are three levels: a list for each of the {@value #NEAR_LISTS}
 * ticks of the current window, a list for each of the windows of the current span, and a list for
 * each span. When a window begins, its list is read from start to end and dealt out to the ticks;
 * the same with a span. That is a radix sort in three passes of which each event takes only those
 * that its distance needs, and in each pass all list ends that are written to fit the cache.
 *
 * <p>The order is exact without any comparison, since dealing out keeps the order within a list,
 * and because all that is added to a list before its window begins is dealt out before anything is
 * added to the ticks of the window directly.
 *
 * <p>Lists are made of chunks of {@value #CHUNK} longs, which live in pages that are allocated as
 * needed and used again. A near event takes 8 bytes, a far one 16, for its tick stands beside it.
 */
public final class EventWheel {
  /** The first tick that is too far: ticks of a millisecond reach 397 days. */
  public static final long TICKS = 1L << 35;

  /**
   * The number of near lists, as a power of 2: their ends fit the processor's cache of address
   * translations.
   */
  private static final int NEAR_BITS = 10;

  private static final int WINDOW_BITS = 12;
  private static final int SPAN_BITS = 13;
  private static final int NEAR_LISTS = 1 << NEAR_BITS;
  private static final int WINDOW_LISTS = 1 << WINDOW_BITS;
  private static final int FIRST_WINDOW = NEAR_LISTS;
  private static final int FIRST_SPAN = FIRST_WINDOW + WINDOW_LISTS;
  private static final int LISTS = FIRST_SPAN + (1 << SPAN_BITS);

  private static final int CHUNK_BITS = 6;
  private static final int CHUNK = 1 << CHUNK_BITS;
  private static final int CHUNK_MASK = CHUNK - 1;

  /** 256 KB: small enough to be an ordinary object for every collector. */
  private static final int PAGE_BITS = 15;

  private static final int PAGE_MASK = (1 << PAGE_BITS) - 1;
  private static final int CHUNKS_PER_PAGE_BITS = PAGE_BITS - CHUNK_BITS;
  private static final int NONE = -1;

  /** The first chunk of each list, or {@link #NONE}. */
  private final int[] heads = new int[LISTS];

  /** The end of each list; at the start of a chunk, that chunk has yet to be found. */
  private final int[] tails = new int[LISTS];

  /** A bit for each tick of the window that has events. */
  private final long[] occupied = new long[NEAR_LISTS / Long.SIZE];

  private long[][] pages = new long[8][];

  /** The chunk after each chunk, in a list or among the free. */
  private int[] next = new int[pages.length << CHUNKS_PER_PAGE_BITS];

  private int chunks;
  private int firstFree = NONE;

  private long tick;
  private long size;

  /** The chunk that is read, which is the head of the tick's list, or {@link #NONE}. */
  private int readChunk = NONE;

  private long[] readPage = new long[0];
  private int readAt;
  private int readEnd;

  /** Creates an empty wheel at tick 0. */
  public EventWheel() {
    Arrays.fill(heads, NONE);
  }

  /** Returns how many events are to come. */
  public long size() {
    return size;
  }

  /** Returns the tick of the event that was polled last; 0 at first. */
  public long tick() {
    return tick;
  }

  /**
   * Adds an event behind those of the same tick.
   *
   * @param at its tick, not before {@link #tick()}, and less than {@link #TICKS}
   */
  public void add(long at, long event) {
    if (at < tick || at >= TICKS) {
      throw new IllegalArgumentException(
          "at is " + at + ": must be from the tick, which is " + tick + ", to before " + TICKS);
    }
    size++;
    long apart = at ^ tick;
    if (apart >>> NEAR_BITS == 0) {
      append((int) at & (NEAR_LISTS - 1), event);
    } else if (apart >>> (NEAR_BITS + WINDOW_BITS) == 0) {
      append(windowOf(at), at, event);
    } else {
      append(FIRST_SPAN + (int) (at >>> (NEAR_BITS + WINDOW_BITS)), at, event);
    }
  }

  /**
   * Removes the next event and goes to its tick.
   *
   * @throws NoSuchElementException when there is none
   */
  public long poll() {
    if (readAt == readEnd) {
      findNext();
    }
    size--;
    return readPage[readAt++];
  }

  /** Returns whether the next event is of the same tick as the last one. */
  public boolean hasMoreInTick() {
    return readAt != readEnd || findInTick();
  }

  private void findNext() {
    if (size == 0) {
      throw new NoSuchElementException("no event is to come");
    }
    while (!findInTick()) {
      int later = nextOccupied((int) tick & (NEAR_LISTS - 1));
      if (later == NONE) {
        nextWindow();
      } else {
        tick = (tick & -NEAR_LISTS) | later;
      }
    }
  }

  /** Goes to the next events of this tick that lie in a row, or returns false. */
  private boolean findInTick() {
    int list = (int) tick & (NEAR_LISTS - 1);
    while (heads[list] != NONE) {
      int chunk = heads[list];
      boolean last = (tails[list] - 1) >>> CHUNK_BITS == chunk;
      int end = last ? tails[list] : (chunk + 1) << CHUNK_BITS;
      int from = chunk == readChunk ? positionInPages() : chunk << CHUNK_BITS;
      if (from < end) {
        readChunk = chunk;
        readPage = pages[from >>> PAGE_BITS];
        readAt = from & PAGE_MASK;
        readEnd = readAt + (end - from);
        return true;
      }
      heads[list] = last ? NONE : next[chunk];
      if (last) {
        tails[list] = 0;
        occupied[list >>> 6] &= ~(1L << list);
      }
      release(chunk);
      readChunk = NONE;
    }
    return false;
  }

  /** Returns where in all pages the reading has come to. */
  private int positionInPages() {
    return ((readChunk >>> CHUNKS_PER_PAGE_BITS) << PAGE_BITS) + readEnd;
  }

  private int nextOccupied(int from) {
    int word = from >>> 6;
    long bits = occupied[word] & (-1L << from);
    while (bits == 0) {
      if (++word == occupied.length) {
        return NONE;
      }
      bits = occupied[word];
    }
    return (word << 6) + Long.numberOfTrailingZeros(bits);
  }

  /** Goes to the start of the next window that has events. */
  private void nextWindow() {
    long window = tick >>> NEAR_BITS;
    int list;
    do {
      window++;
      if ((window & (WINDOW_LISTS - 1)) == 0) {
        dealOut(FIRST_SPAN + (int) (window >>> WINDOW_BITS));
      }
      list = FIRST_WINDOW + ((int) window & (WINDOW_LISTS - 1));
    } while (heads[list] == NONE);
    tick = window << NEAR_BITS;
    dealOut(list);
  }

  /** Moves the events of a list to the level below, in their order. */
  private void dealOut(int list) {
    int chunk = heads[list];
    int end = tails[list];
    heads[list] = NONE;
    tails[list] = 0;
    while (chunk != NONE) {
      boolean last = (end - 1) >>> CHUNK_BITS == chunk;
      int from = chunk << CHUNK_BITS;
      long[] page = pages[from >>> PAGE_BITS];
      int at = from & PAGE_MASK;
      int until = at + (last ? end - from : CHUNK);
      for (; at < until; at += 2) {
        if (list >= FIRST_SPAN) {
          append(windowOf(page[at]), page[at], page[at + 1]);
        } else {
          append((int) page[at] & (NEAR_LISTS - 1), page[at + 1]);
        }
      }
      int after = last ? NONE : next[chunk];
      release(chunk);
      chunk = after;
    }
  }

  private static int windowOf(long at) {
    return FIRST_WINDOW + ((int) (at >>> NEAR_BITS) & (WINDOW_LISTS - 1));
  }

  private void append(int list, long event) {
    int at = tails[list];
    if ((at & CHUNK_MASK) == 0) {
      occupied[list >>> 6] |= 1L << list;
      at = extend(list);
    }
    pages[at >>> PAGE_BITS][at & PAGE_MASK] = event;
    tails[list] = at + 1;
  }

  private void append(int list, long tickOfEvent, long event) {
    int at = tails[list];
    if ((at & CHUNK_MASK) == 0) {
      at = extend(list);
    }
    long[] page = pages[at >>> PAGE_BITS];
    page[at & PAGE_MASK] = tickOfEvent;
    page[(at & PAGE_MASK) + 1] = event;
    tails[list] = at + 2;
  }

  /** Gives a list one more chunk and returns where that starts. */
  private int extend(int list) {
    int chunk = firstFree;
    if (chunk == NONE) {
      chunk = chunks++;
      if ((chunk & ((1 << CHUNKS_PER_PAGE_BITS) - 1)) == 0) {
        addPage(chunk >>> CHUNKS_PER_PAGE_BITS);
      }
    } else {
      firstFree = next[chunk];
    }
    if (heads[list] == NONE) {
      heads[list] = chunk;
    } else {
      next[(tails[list] - 1) >>> CHUNK_BITS] = chunk;
    }
    return chunk << CHUNK_BITS;
  }

  private void addPage(int page) {
    if (page == pages.length) {
      pages = Arrays.copyOf(pages, 2 * page);
      next = Arrays.copyOf(next, 2 * next.length);
    }
    pages[page] = new long[1 << PAGE_BITS];
  }

  private void release(int chunk) {
    next[chunk] = firstFree;
    firstFree = chunk;
  }
}
