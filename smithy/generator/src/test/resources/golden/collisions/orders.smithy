$version: "2"

namespace example.orders

@error("client")
@httpError(409)
structure Conflict {
    with: Item
}

@error("client")
structure OnlyHere {}

structure Item {
    order: String
}
