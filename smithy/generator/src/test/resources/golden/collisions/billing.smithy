$version: "2"

namespace example.billing

@error("server")
structure Conflict {
    with: Item
}

@error("client")
structure conflict_ {}

structure Item {
    invoice: Integer
}
