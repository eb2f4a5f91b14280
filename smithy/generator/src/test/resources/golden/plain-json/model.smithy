$version: "2"

namespace example.plain

/// An HTTP API that says nothing of Smithy: its errors have a status and a body.
service Shop {
    errors: [
        OutOfStock
        NotFound
        Busy
    ]
}

@error("client")
@httpError(409)
structure OutOfStock {
    code: String
    message: String
}

@error("client")
@httpError(404)
structure NotFound {
    message: String
}

@error("server")
@httpError(503)
@retryable
structure Busy {
    message: String
}
