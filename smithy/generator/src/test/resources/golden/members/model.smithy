$version: "2"

namespace example.members

service Members {
    errors: [
        EveryType
    ]
}

/// Has a member of every type.
@error("client")
@httpError(422)
structure EveryType {
    /// What went wrong.
    message: String

    aBoolean: Boolean
    aByte: Byte
    aShort: Short
    anInteger: Integer
    aLong: Long
    aFloat: Float
    aDouble: Double
    aBigInteger: BigInteger
    aBigDecimal: BigDecimal
    aString: String
    aBlob: Blob
    aDocument: Document
    aTimestamp: Timestamp
    aStructure: Detail

    @required
    requiredBoolean: Boolean

    @required
    requiredByte: Byte

    @required
    requiredShort: Short

    @required
    requiredInteger: Integer

    @required
    requiredLong: Long

    @required
    requiredFloat: Float

    @required
    requiredDouble: Double

    @required
    requiredBigInteger: BigInteger

    @required
    requiredBigDecimal: BigDecimal

    @required
    requiredString: String

    @required
    requiredBlob: Blob

    @required
    requiredDocument: Document

    @required
    requiredTimestamp: Timestamp

    @required
    requiredStructure: Detail

    @required
    requiredList: Words

    defaultBoolean: Boolean = true
    defaultByte: Byte = 1
    defaultShort: Short = -2
    defaultInteger: Integer = 3
    defaultLong: Long = 4
    defaultFloat: Float = 0.5
    defaultDouble: Double = 6.25
    defaultBigInteger: BigInteger = 7
    defaultBigDecimal: BigDecimal = 8.5
    defaultString: String = "say \"hi\"\n"
    defaultBlob: Blob = "aGk="
    defaultDocument: Document = true
    defaultTimestamp: Timestamp = 1.5
    defaultList: Words = []

    @clientOptional
    clientOptional: Integer = 9

    nullDefault: Integer = null
}

structure Detail {
    @required
    code: Integer

    text: String
}

list Words {
    member: String
}

/// Has none.
@error("client")
structure NoMembers {}
