//! Profiles: what a device's arithmetic may be trusted with, one route an operation.
//!
//! A route is right where what it asks of the device holds; `probe` finds out, and chooses. A profile
//! that asks for less gives the same bits on every device on which the other is right.

/// How one operation is carried on a device.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Route {
    /// The device's instruction, its result hidden from the compiler where another float operation
    /// consumes it. The device is right for every operand.
    Opaque,
    /// The device's instruction where its result shows that no subnormal was involved, integer code
    /// elsewhere. The device is right but for flushing subnormals to zero.
    Guarded,
    /// A sequence over the device's product and fused multiply-add (div, sqrt) where the operands'
    /// exponents leave room for it, integer code elsewhere. Those two are right but for flushing.
    Refined,
    /// Integer code of ours.
    Software,
}

impl Route {
    /// Its name in reports.
    pub fn name(self) -> &'static str {
        match self {
            Route::Opaque => "device",
            Route::Guarded => "device, guarded",
            Route::Refined => "device's fma, refined",
            Route::Software => "software",
        }
    }
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
    /// `== < <=`; the device's or software.
    pub compare: Route,
    /// int32 and uint32 to float; the device's or software.
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
    /// Right on every device whose sums and products err by flushing at most.
    pub const GUARDED: Profile = Profile {
        name: "guarded",
        add: Route::Guarded,
        mul: Route::Guarded,
        ..Profile::INTEGER
    };
    /// Right on every device whose sums, products and fused sums err by flushing at most.
    pub const FUSED: Profile = Profile {
        name: "fused",
        fma: Route::Guarded,
        div: Route::Refined,
        sqrt: Route::Refined,
        ..Profile::GUARDED
    };

    /// Every operation as the device has it, which is what a probe looks at first. It is no profile to
    /// run kernels with before that.
    pub const DEVICE: Profile = Profile {
        name: "device",
        add: Route::Opaque,
        mul: Route::Opaque,
        fma: Route::Opaque,
        div: Route::Opaque,
        sqrt: Route::Opaque,
        compare: Route::Opaque,
        from_int: Route::Opaque,
    };

    /// All named profiles that are right on some devices in use.
    pub const ALL: &'static [Profile] = &[
        Profile::CONSERVATIVE,
        Profile::INTEGER,
        Profile::GUARDED,
        Profile::FUSED,
    ];

    /// The operations of which a profile says the route, with that route.
    pub fn routes(&self) -> [(&'static str, Route); 7] {
        [
            ("add", self.add),
            ("mul", self.mul),
            ("fma", self.fma),
            ("div", self.div),
            ("sqrt", self.sqrt),
            ("compare", self.compare),
            ("from integer", self.from_int),
        ]
    }
}
