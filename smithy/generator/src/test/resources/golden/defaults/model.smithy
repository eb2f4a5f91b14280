$version: "2"

namespace example.defaults

service Defaults {
    errors: [
        OddDefaults
    ]
}

/// 都市が見つかりません。 Die Stadt fehlt in Zürich 🚲: see [東京](https://example.com/東京).
///
/// ```
/// city("Zürich") < 3
/// ```
@error("client")
@httpError(422)
structure OddDefaults {
    /// The smallest: `‑128` – or more.
    @required
    smallestByte: Byte = -128

    @required
    smallestShort: Short = -32768

    @required
    smallestInteger: Integer = -2147483648

    @required
    smallestLong: Long = -9223372036854775808

    largestLong: Long = 9223372036854775807

    tenth: Float = 0.1

    large: Float = 3e38

    denormal: Float = 1e-44

    lost: Float = 1e-60

    lostBelowZero: Float = -1e-60

    @required
    notANumber: Float = "NaN"

    boundless: Float = "Infinity"

    boundlessBelow: Float = "-Infinity"

    largeDouble: Double = 1.5e308

    lostDouble: Double = 1e-400

    notADouble: Double = "NaN"

    boundlessDouble: Double = "Infinity"

    boundlessBelowDouble: Double = "-Infinity"

    bigInteger: BigInteger = 123456789012345678901234567890

    bigDecimal: BigDecimal = 1e1000000

    unpadded: Blob = "aGk"

    second: Timestamp = 1

    @required
    nanosecond: Timestamp = 1.000000001

    beforeEpoch: Timestamp = -0.5

    @timestampFormat("date-time")
    dateTime: Timestamp = "2000-01-02T20:34:56.123456789Z"

    @required
    @timestampFormat("http-date")
    httpDate: Timestamp = "Sun, 02 Jan 2000 20:34:56 GMT"
}
