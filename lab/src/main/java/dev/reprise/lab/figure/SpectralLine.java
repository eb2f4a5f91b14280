package dev.reprise.lab.figure;

import java.util.Arrays;

/**
 * Finds the beat of arrivals: the strongest line of their spectrum.
 *
 * <p>The counts, less their mean and under a Hann window, are transformed; at most the first
 * {@value #MAX_BINS} of them. A line must have come round at least {@value #MIN_PERIODS} times and
 * stand {@value #ABOVE_NOISE} times above the noise, so that chance alone shows one in less than a
 * run of a million. The noise is the larger of two: what independent arrivals of this number would
 * have (Poisson), and the median of the neighbourhood, from a frequency to half as much again.
 */
final class SpectralLine {
  private static final int MAX_BINS = 1 << 16;
  private static final int MIN_PERIODS = 8;
  private static final double ABOVE_NOISE = 30;

  private SpectralLine() {}

  /** Returns the period of the strongest line in bins, or 0 when there is none. */
  static double strongest(double[] counts, int from, int to) {
    int length = Math.min(to - from, MAX_BINS);
    if (length < 2 * MIN_PERIODS) {
      return 0;
    }
    int size = Integer.highestOneBit(2 * length - 1);
    double[] power = new double[size];
    double noise = windowed(counts, from, length, power);
    transform(power);
    int lowest = (int) Math.ceil((double) MIN_PERIODS * size / length);
    int best = strongest(power, lowest, noise);
    return best == 0 ? 0 : size / peak(power, best);
  }

  /** Fills in the counts under the window and returns the power that chance would give. */
  private static double windowed(double[] counts, int from, int length, double[] windowed) {
    double mean = 0;
    for (int i = 0; i < length; i++) {
      mean += counts[from + i] / length;
    }
    double noise = 0;
    for (int i = 0; i < length; i++) {
      double window = 0.5 - 0.5 * StrictMath.cos(2 * Math.PI * (i + 0.5) / length);
      windowed[i] = (counts[from + i] - mean) * window;
      noise += counts[from + i] * window * window;
    }
    return noise;
  }

  private static int strongest(double[] power, int lowest, double noise) {
    boolean[] lines = new boolean[power.length / 2];
    double mostPower = 0;
    for (int start = lowest; start < lines.length; ) {
      int end = Math.min(lines.length, Math.max(start + 8, start + start / 2));
      double[] neighbours = Arrays.copyOfRange(power, start, end);
      Arrays.sort(neighbours);
      // The median of noise is ln 2 of its mean.
      double floor = Math.max(noise, neighbours[neighbours.length / 2] / StrictMath.log(2));
      for (int i = start; i < end; i++) {
        lines[i] =
            power[i] > ABOVE_NOISE * floor && power[i] >= Math.max(power[i - 1], power[i + 1]);
        mostPower = lines[i] ? Math.max(mostPower, power[i]) : mostPower;
      }
      start = end;
    }
    // Short pulses have overtones that are all but as strong, and it is their pace that is asked.
    for (int i = lowest; i < lines.length; i++) {
      if (lines[i] && power[i] >= mostPower / 2) {
        return i;
      }
    }
    return 0;
  }

  /** Returns where between the bins the peak is: the vertex of the parabola through three. */
  private static double peak(double[] power, int best) {
    double left = Math.sqrt(power[best - 1]);
    double middle = Math.sqrt(power[best]);
    double right = Math.sqrt(power[best + 1]);
    double curve = left - 2 * middle + right;
    return curve < 0 ? best + 0.5 * (left - right) / curve : best;
  }

  /** Replaces values by the power of their spectrum (Cooley and Tukey, radix 2, in place). */
  private static void transform(double[] real) {
    int size = real.length;
    double[] imaginary = new double[size];
    for (int i = 1, j = 0; i < size; i++) {
      int bit = size >> 1;
      for (; (j & bit) != 0; bit >>= 1) {
        j ^= bit;
      }
      j ^= bit;
      if (i < j) {
        double swapped = real[i];
        real[i] = real[j];
        real[j] = swapped;
      }
    }
    double[] cosines = new double[size / 2];
    double[] sines = new double[size / 2];
    for (int i = 0; i < size / 2; i++) {
      cosines[i] = StrictMath.cos(2 * Math.PI * i / size);
      sines[i] = -StrictMath.sin(2 * Math.PI * i / size);
    }
    for (int half = 1; half < size; half *= 2) {
      int stride = size / (2 * half);
      for (int start = 0; start < size; start += 2 * half) {
        for (int k = 0; k < half; k++) {
          int low = start + k;
          int high = low + half;
          double cosine = cosines[k * stride];
          double sine = sines[k * stride];
          double re = real[high] * cosine - imaginary[high] * sine;
          double im = real[high] * sine + imaginary[high] * cosine;
          real[high] = real[low] - re;
          imaginary[high] = imaginary[low] - im;
          real[low] += re;
          imaginary[low] += im;
        }
      }
    }
    for (int i = 0; i < size; i++) {
      real[i] = real[i] * real[i] + imaginary[i] * imaginary[i];
    }
  }
}
