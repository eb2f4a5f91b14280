package dev.reprise.lab.calls;

/**
 * The exact solution of one client with a token bucket that makes its calls one after the other:
 * how many attempts a call takes, and how many calls succeed. The bucket holds 5 tokens and starts
 * full; a retry costs 1; a tenth of a token comes in either with the first try of a call or with
 * its success. Up to 3 retries.
 *
 * @param load attempts of a call on average
 * @param success the share of calls that succeed
 */
record TokenChain(double load, double success) {
  private static final int FULL = 50;
  private static final int PRICE = 10;
  private static final int RETRIES = 3;

  /**
   * Solves the chain.
   *
   * @param meanCalls of a client; their number is Poisson distributed
   */
  static TokenChain of(double meanCalls, double failure, boolean paysAtFirstTry) {
    double[] tokens = new double[FULL + 1];
    tokens[FULL] = 1;
    double attempts = 0;
    double successes = 0;
    double atLeast = 1;
    double exactly = Math.exp(-meanCalls);
    // The call number n is made when there are more than n - 1 of them.
    for (int call = 1; call < meanCalls + 10 * Math.sqrt(meanCalls) + 10; call++) {
      atLeast -= exactly;
      exactly *= meanCalls / call;
      double[] after = new double[FULL + 1];
      for (int held = 0; held <= FULL; held++) {
        int left = paysAtFirstTry ? Math.min(FULL, held + 1) : held;
        double reaches = tokens[held];
        for (int made = 0; ; made++) {
          attempts += atLeast * reaches;
          successes += atLeast * reaches * (1 - failure);
          int rich = paysAtFirstTry ? left : Math.min(FULL, left + 1);
          after[rich] += reaches * (1 - failure);
          reaches *= failure;
          if (made == RETRIES || left < PRICE) {
            after[left] += reaches;
            break;
          }
          left -= PRICE;
        }
      }
      tokens = after;
    }
    return new TokenChain(attempts / meanCalls, successes / meanCalls);
  }
}
