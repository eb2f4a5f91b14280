$version: "2"

namespace example.unions

service Unions {
    errors: [
        WrongShape
    ]
}

@error("client")
@httpError(422)
structure WrongShape {
    shape: Shape

    @required
    expected: Shape

    all: Shapes
}

/// A figure in the plane.
union Shape {
    /// Round.
    circle: Circle

    square: Double
    nothing: Unit
    names: Names
    color: Color
    unknown: String
    inside: Shape
    builder: CircleMember
}

structure Circle {
    @required
    radius: Double
}

/// Has the name that a record of the union has.
structure CircleMember {
    value: String
}

list Names {
    member: String
}

list Shapes {
    member: Shape
}

enum Color {
    RED = "red"
}
