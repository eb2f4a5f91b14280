package dev.reprise.delivery.salvage;

import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.nio.ByteOrder;
import java.util.HexFormat;

/**
 * The 64-bit hash XXH3 with seed 0 (xxHash specification, version 0.2), by which RocksDB checks the
 * blocks of its tables.
 */
final class Xxh3 {
  private static final VarHandle LONG =
      MethodHandles.byteArrayViewVarHandle(long[].class, ByteOrder.LITTLE_ENDIAN);
  private static final VarHandle INT =
      MethodHandles.byteArrayViewVarHandle(int[].class, ByteOrder.LITTLE_ENDIAN);

  private static final byte[] SECRET =
      HexFormat.of()
          .parseHex(
              "b8fe6c3923a44bbe7c01812cf721ad1cded46de9839097db7240a4a4b7b3671f"
                  + "cb79e64eccc0e578825ad07dccff7221b8084674f743248ee03590e6813a264c"
                  + "3c2852bb91c300cb88d0658b1b532ea371644897a20df94e3819ef46a9deacd8"
                  + "a8fa763fe39c343ff9dcbbc7c70b4f1d8a51e04bcdb45931c89f7ec9d9787364"
                  + "eac5ac8334d3ebc3c581a0fffa1363eb170ddd51b7f0da49d316552629d4689e"
                  + "2b16be587d47a1fc8ff8b8d17ad031ce45cb3a8f95160428afd7fbcabb4b407e");

  private static final long PRIME32_1 = 0x9E3779B1L;
  private static final long PRIME32_2 = 0x85EBCA77L;
  private static final long PRIME32_3 = 0xC2B2AE3DL;
  private static final long PRIME64_1 = 0x9E3779B185EBCA87L;
  private static final long PRIME64_2 = 0xC2B2AE3D27D4EB4FL;
  private static final long PRIME64_3 = 0x165667B19E3779F9L;
  private static final long PRIME64_4 = 0x85EBCA77C2B2AE63L;
  private static final long PRIME64_5 = 0x27D4EB2F165667C5L;
  private static final long PRIME_MX1 = 0x165667919E3779F9L;
  private static final long PRIME_MX2 = 0x9FB21C651E98DF25L;

  private static final int STRIPE = 64;
  private static final int STEP = 8;
  private static final int STRIPES_PER_BLOCK = (192 - STRIPE) / STEP;
  private static final int BLOCK = STRIPE * STRIPES_PER_BLOCK;

  private Xxh3() {}

  /** Returns the hash of the first {@code length} bytes. */
  static long hash(byte[] in, int length) {
    if (length <= 16) {
      return upTo16(in, length);
    }
    if (length <= 128) {
      return upTo128(in, length);
    }
    return length <= 240 ? upTo240(in, length) : longer(in, length);
  }

  private static long upTo16(byte[] in, int length) {
    if (length > 8) {
      long low = u64(in, 0) ^ (u64(SECRET, 24) ^ u64(SECRET, 32));
      long high = u64(in, length - 8) ^ (u64(SECRET, 40) ^ u64(SECRET, 48));
      return avalanche(length + Long.reverseBytes(low) + high + fold(low, high));
    }
    if (length >= 4) {
      long both = u32(in, length - 4) + (u32(in, 0) << 32);
      long z = both ^ (u64(SECRET, 8) ^ u64(SECRET, 16));
      z ^= Long.rotateLeft(z, 49) ^ Long.rotateLeft(z, 24);
      z *= PRIME_MX2;
      z ^= (z >>> 35) + length;
      z *= PRIME_MX2;
      return z ^ (z >>> 28);
    }
    if (length > 0) {
      long combined =
          ((in[0] & 0xffL) << 16)
              | ((in[length >> 1] & 0xffL) << 24)
              | (in[length - 1] & 0xffL)
              | ((long) length << 8);
      return avalanche64(combined ^ (u32(SECRET, 0) ^ u32(SECRET, 4)));
    }
    return avalanche64(u64(SECRET, 56) ^ u64(SECRET, 64));
  }

  private static long upTo128(byte[] in, int length) {
    long sum = length * PRIME64_1;
    for (int i = (length - 1) / 32; i >= 0; i--) {
      sum += mix16(in, 16 * i, 32 * i);
      sum += mix16(in, length - 16 * (i + 1), 32 * i + 16);
    }
    return avalanche(sum);
  }

  private static long upTo240(byte[] in, int length) {
    long sum = length * PRIME64_1;
    for (int i = 0; i < 8; i++) {
      sum += mix16(in, 16 * i, 16 * i);
    }
    sum = avalanche(sum);
    for (int i = 8; i < length / 16; i++) {
      sum += mix16(in, 16 * i, 16 * (i - 8) + 3);
    }
    return avalanche(sum + mix16(in, length - 16, 136 - 17));
  }

  private static long longer(byte[] in, int length) {
    long[] lanes = {
      PRIME32_3, PRIME64_1, PRIME64_2, PRIME64_3, PRIME64_4, PRIME32_2, PRIME64_5, PRIME32_1
    };
    int blocks = (length - 1) / BLOCK;
    for (int block = 0; block < blocks; block++) {
      for (int i = 0; i < STRIPES_PER_BLOCK; i++) {
        accumulate(lanes, in, block * BLOCK + i * STRIPE, i * STEP);
      }
      scramble(lanes);
    }
    int stripes = (length - 1 - blocks * BLOCK) / STRIPE;
    for (int i = 0; i < stripes; i++) {
      accumulate(lanes, in, blocks * BLOCK + i * STRIPE, i * STEP);
    }
    accumulate(lanes, in, length - STRIPE, 192 - STRIPE - 7);
    long sum = length * PRIME64_1;
    for (int i = 0; i < 4; i++) {
      sum +=
          fold(
              lanes[2 * i] ^ u64(SECRET, 11 + 16 * i),
              lanes[2 * i + 1] ^ u64(SECRET, 11 + 16 * i + 8));
    }
    return avalanche(sum);
  }

  private static void accumulate(long[] lanes, byte[] in, int at, int secret) {
    for (int i = 0; i < 8; i++) {
      long value = u64(in, at + 8 * i);
      long key = value ^ u64(SECRET, secret + 8 * i);
      lanes[i ^ 1] += value;
      lanes[i] += (key & 0xffffffffL) * (key >>> 32);
    }
  }

  private static void scramble(long[] lanes) {
    for (int i = 0; i < 8; i++) {
      long lane = lanes[i];
      lane ^= lane >>> 47;
      lane ^= u64(SECRET, 192 - STRIPE + 8 * i);
      lanes[i] = lane * PRIME32_1;
    }
  }

  private static long mix16(byte[] in, int at, int secret) {
    return fold(u64(in, at) ^ u64(SECRET, secret), u64(in, at + 8) ^ u64(SECRET, secret + 8));
  }

  /** Both halves of the product of two unsigned numbers, one over the other. */
  private static long fold(long a, long b) {
    long high = Math.multiplyHigh(a, b) + ((a >> 63) & b) + ((b >> 63) & a);
    return (a * b) ^ high;
  }

  private static long avalanche(long hash) {
    long z = hash ^ (hash >>> 37);
    z *= PRIME_MX1;
    return z ^ (z >>> 32);
  }

  private static long avalanche64(long hash) {
    long z = hash ^ (hash >>> 33);
    z *= PRIME64_2;
    z ^= z >>> 29;
    z *= PRIME64_3;
    return z ^ (z >>> 32);
  }

  private static long u64(byte[] bytes, int at) {
    return (long) LONG.get(bytes, at);
  }

  private static long u32(byte[] bytes, int at) {
    return (int) INT.get(bytes, at) & 0xffffffffL;
  }
}
