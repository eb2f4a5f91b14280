$version: "2"

namespace example.reserved

service Reserved {
    errors: [
        RuntimeException
        HttpError
        Builder
        lowerCase
        Under_Score
        ArithmeticException
        Objects
    ]
}

/// Has the name of a class of Java.
@error("client")
structure RuntimeException {
    Message: String
    class: String
    default: Integer
    new: Boolean
    int: Integer
    record: String
    yield: String
    var: String
    true: Boolean
    null: String
    cause: String
    retryAfter: Integer
    httpStatus: Integer
    fault: String
    isThrottle: Boolean
    getClass: String
    getMessage: String
    toString: String
    hashCode: Integer
    wait: Integer
    builder: String
    build: String
    received: String
    HTTPCode: Integer
    URL: String
    java: String
    dev: String
    snake_case: String
    snakeCase: Integer
    other: Object
    that: String
    strings: Strings
}

/// Has the name of a file that is always generated.
@error("server")
structure HttpError {
    message: Message
}

@error("client")
structure Builder {
    value: Override
    instant: Instant
    at: Timestamp
    lists: List
}

@error("client")
structure lowerCase {}

@error("client")
structure Under_Score {}

/// Its message is no text.
structure Message {
    text: String
}

structure Object {
    other: String
    that: Integer
    this: Boolean
}

structure Override {
    String: String
}

structure Instant {
    value: Timestamp
}

structure List {
    values: Strings
}

list Strings {
    member: String
}

@error("client")
structure ArithmeticException {
    amount: Integer
    variant: VariantMember
    unknown: UnknownMember
}

@error("client")
structure Objects {
    @required
    java: String
}

/// Has the name that its own record would have.
union VariantMember {
    variant: String
}

/// Has the name of the record for members that are not known.
union UnknownMember {
    a: String
}
