//! One row a diagnostic code: N01 syntax, N02 names and types, N03 forms, N04 proofs, N05 limits
//! and profiles.

macro_rules! codes {
    ($( $name:ident $text:literal $title:literal; )*) => {
        /// A diagnostic's code.
        #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
        pub enum Code { $( #[doc = $title] $name, )* }
        impl Code {
            /// Every code, in order.
            pub const ALL: &'static [Code] = &[ $( Code::$name, )* ];
            /// As printed, for example `N0401`.
            pub fn text(self) -> &'static str { match self { $( Code::$name => $text, )* } }
            /// What it is about, in a few words.
            pub fn title(self) -> &'static str { match self { $( Code::$name => $title, )* } }
        }
    };
}

codes! {
    Syntax "N0101" "the tokens do not form a Nupp item, statement or expression";
}
