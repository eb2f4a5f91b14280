$version: "2"

namespace example.enums

service Enums {
    errors: [
        WrongColor
    ]
}

@error("client")
@httpError(400)
structure WrongColor {
    color: Color
    level: Level
    old: OldEnum
    unnamed: UnnamedEnum

    @required
    requiredColor: Color

    @required
    requiredLevel: Level

    defaultColor: Color = "red"
    defaultLevel: Level = 2
}

/// What it looks like.
enum Color {
    /// Like blood.
    RED = "red"

    DARK_BLUE = "dark blue */ \"quoted\""

    mixedCase = "mixed"

    KNOWN

    @deprecated(message: "use RED", since: "2.0")
    PINK = "pink"
}

intEnum Level {
    LOW = 1
    HIGH = 2
    LOWEST = -1
}

@enum([
    {
        name: "FIRST"
        value: "first"
    }
    {
        name: "SECOND"
        value: "2nd"
    }
])
string OldEnum

@enum([
    {
        value: "a value no name can be made of!"
    }
])
string UnnamedEnum
