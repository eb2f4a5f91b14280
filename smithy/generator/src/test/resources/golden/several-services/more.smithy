$version: "2"

namespace example.more

/// Has the name of a service elsewhere.
service First {
    version: "1"
    operations: [
        Watch
    ]
}

operation Watch {
    output := {
        events: Events
    }
}

@streaming
union Events {
    tick: Tick
    gone: Gone
}

structure Tick {}

/// Is sent within a stream of events.
@error("server")
@httpError(503)
structure Gone {
    message: String
}

/// Only lends its members.
@mixin
@error("client")
structure Base {
    message: String
}

@error("client")
structure OfMixin with [Base] {}
