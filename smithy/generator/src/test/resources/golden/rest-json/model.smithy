$version: "2"

namespace example.rest

use aws.protocols#restJson1

@restJson1
service Library {
    operations: [
        GetBook
    ]
    errors: [
        ThrottlingError
    ]
}

@readonly
@http(method: "GET", uri: "/books/{id}")
operation GetBook {
    input := {
        @required
        @httpLabel
        id: String
    }

    errors: [
        NoSuchBook
        Gone
        BadPicture
        BadText
        AlsoNotFound
        BadShelf
    ]
}

@error("client")
@httpError(429)
@retryable(throttling: true)
structure ThrottlingError {
    message: String

    @httpHeader("Retry-After")
    retryAfterSeconds: Integer
}

@error("client")
@httpError(404)
structure NoSuchBook {
    @jsonName("Message")
    message: String

    @required
    @httpHeader("X-Book-Id")
    id: String

    @httpHeader("X-Near")
    near: Names

    @httpHeader("X-Counts")
    counts: Counts

    @httpHeader("X-Final")
    final: Boolean

    @httpResponseCode
    status: Integer

    @httpHeader("X-Json")
    json: Json

    @httpPrefixHeaders("X-Meta-")
    meta: Meta

    @jsonName("the_author")
    author: Author

    choice: Choice
}

@error("client")
@httpError(404)
structure AlsoNotFound {}

@error("client")
@httpError(410)
structure Gone {
    @httpPayload
    author: Author
}

@error("client")
@httpError(415)
structure BadPicture {
    @httpPayload
    picture: Blob
}

@error("client")
@httpError(422)
structure BadText {
    @httpPayload
    text: String
}

structure Author {
    @jsonName("full_name")
    name: String
}

union Choice {
    @jsonName("a")
    first: String

    second: Integer
}

map Meta {
    key: String
    value: String
}

list Names {
    member: String
}

list Counts {
    member: Integer
}

@mediaType("application/json")
string Json

@error("client")
@httpError(423)
structure BadShelf {
    @httpPrefixHeaders("X-Shelf-")
    shelves: Shelves

    @httpPayload
    color: Color
}

map Shelves {
    key: Color
    value: Color
}

enum Color {
    RED = "red"
}
