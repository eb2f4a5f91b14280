package dev.reprise.webhook;

import static java.nio.charset.StandardCharsets.UTF_8;

/**
 * Signatures that others have made: those of the tests of the reference library for Go, and the
 * asymmetric one in the example of the specification, whose key Svix has published.
 */
final class Vectors {
  static final String ID = "msg_p5jXN8AQM9LWM0D4loKWxJek";
  static final long TIMESTAMP = 1_614_265_330;
  static final byte[] BODY = "{\"test\": 2432232314}".getBytes(UTF_8);

  static final String SECRET = "whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw";
  static final String SIGNATURE = "v1,g0hM9SsE+OTPJTGt/tmIKtSyZlE3uFJELVlNIOLJ1OE=";

  static final String GO_PRIVATE = "whsk_VEVTVFNJR05JTkdLRVlET05PVFVTRVRISVNGT1JBTlk=";
  static final String GO_SIGNATURE =
      "v1a,tQ9V2XOqn7jL/DQenEFpqIugdBVtiMmER5mhSkXBNwM0mkATuDe6KYYUuxqtaiHeYGb7KaaBRdM5WqyeFiL8Ag==";

  static final String SVIX_PRIVATE =
      "whsk_6Xb/dCcHpPea21PS1N9VY/NZW723CEc77N4rJCubMbfVKIDij2HKpMKkioLlX0dRqSKJp4AJ6p9lMicMFs6Kvg==";
  static final String SVIX_SEED = "whsk_6Xb/dCcHpPea21PS1N9VY/NZW723CEc77N4rJCubMbc=";
  static final String SVIX_PUBLIC = "whpk_1SiA4o9hyqTCpIqC5V9HUakiiaeACeqfZTInDBbOir4=";
  static final String SVIX_SIGNATURE =
      "v1a,hnO3f9T8Ytu9HwrXslvumlUpqtNVqkhqw/enGzPCXe5BdqzCInXqYXFymVJaA7AZdpXwVLPo3mNl8EM+m7TBAg==";

  /** Another symmetric secret, for what must not match or is replaced. */
  static final String OTHER_SECRET = "whsec_C2FVsBQIhrscChlQIMV+b5sSYspob7oD";

  private Vectors() {}
}
