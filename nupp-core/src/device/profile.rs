//! Profiles: what a device's arithmetic may be trusted with, one route an operation.

/// How one operation is carried on a device.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Route {
    /// The device's instruction, its result hidden from the compiler where another float operation
    /// consumes it.
    Opaque,
    /// Integer code of ours.
    Software,
}

/// A device's arithmetic, as far as emission cares.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Profile {
    /// Its name in artifacts and on the command line.
    pub name: &'static str,
    /// add, sub.
    pub add: Route,
    /// mul.
    pub mul: Route,
    /// fma.
    pub fma: Route,
    /// div.
    pub div: Route,
    /// sqrt.
    pub sqrt: Route,
    /// `== < <=`.
    pub compare: Route,
    /// int32 and uint32 to float.
    pub from_int: Route,
}

impl Profile {
    /// Right on every device that keeps subnormals, whatever else it gets wrong: the profile of
    /// the embedded module.
    pub const CONSERVATIVE: Profile = Profile {
        name: "conservative",
        add: Route::Opaque,
        mul: Route::Opaque,
        fma: Route::Software,
        div: Route::Software,
        sqrt: Route::Software,
        compare: Route::Opaque,
        from_int: Route::Software,
    };
    /// Every float operation in integer code: right on any device whose integers work, flushing
    /// ones included.
    pub const INTEGER: Profile = Profile {
        name: "integer",
        add: Route::Software,
        mul: Route::Software,
        compare: Route::Software,
        ..Profile::CONSERVATIVE
    };

    /// All named profiles.
    pub const ALL: &'static [Profile] = &[Profile::CONSERVATIVE, Profile::INTEGER];
}
