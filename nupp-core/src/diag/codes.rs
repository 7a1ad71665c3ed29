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
    Unclosed "N0102" "a block, bracket, string or comment is not closed";
    DashComment "N0103" "a `--` comment takes code with it";
    SlashDivision "N0104" "a `//` comment that reads like a division";
    ForeignOperator "N0105" "an operator of Lua or Rust that Nupp does not have";
    ForeignConstruct "N0106" "a construct of Lua or Rust that Nupp does not have";
    LiteralForm "N0107" "a number or string in a form that Nupp does not have";
    ReservedName "N0108" "a word that cannot be a name";
    BlockLocal "N0109" "a block-level `local` that is no module alias";
    LocalWithoutValue "N0110" "a `local` without a value";
    ValueCount "N0111" "a different number of names and values";
    FunctionForm "N0112" "a function that is not local, or is generic, variadic or inside another";
    LoopForm "N0113" "a `for` that is not a counted loop of step one";
    Attribute "N0114" "an attribute that Nupp does not have, or one in the wrong place";
    Nesting "N0501" "nesting too deep to compile";
}
