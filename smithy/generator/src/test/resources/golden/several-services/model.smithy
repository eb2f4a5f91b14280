$version: "2"

namespace example.several

use aws.protocols#awsJson1_0
use aws.protocols#restJson1
use aws.protocols#restXml

@awsJson1_0
service First {
    version: "1"
    errors: [
        Shared
        OfFirst
    ]
}

@restJson1
service Second {
    version: "1"
    errors: [
        Shared
    ]
}

@restXml
service Xml {
    version: "1"
    errors: [
        Shared
    ]
}

@error("server")
structure Shared {
    message: String

    @jsonName("in_body")
    detail: Detail
}

@error("client")
structure OfFirst {}

@error("client")
structure OfNone {}

structure Detail {
    at: Timestamp
}
