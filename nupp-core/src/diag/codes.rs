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

    LoopIndexUnguarded "N0401" "no guard makes a span as long as the loop that indexes it";
    LoopIndexOneSided "N0402" "a guard bounds a span's length one way only";
    IndexOffset "N0403" "an offset of the loop index may leave the span";
    CursorUnproved "N0404" "no dominating comparison bounds a cursor";
    CursorWraps "N0405" "a sum that is compared may have wrapped";
    CursorPast "N0406" "an element lies past what a comparison proves";
    CursorStale "N0407" "a comparison is about an earlier value of a local";
    WriteElsewhere "N0408" "a write is not at an element that only its lane writes";
    WriteForms "N0409" "a written span is used in two forms";
    CrossRead "N0410" "a written span is read at another lane's element";
    BlockUnguarded "N0411" "no guard makes room for the elements a lane owns";
    BlockSlot "N0412" "a slot may leave the elements its lane or group owns";
    GuardContradiction "N0413" "guards cannot hold together";
    GuardUnreadable "N0414" "a guard states what cannot be checked when buffers are bound";
    ScratchOutside "N0415" "scratch is touched outside a phase";
    ScratchRange "N0416" "a slot may lie outside its array";
    ScratchOwner "N0417" "a phase writes a slot that its lane does not own";
    ScratchFamilies "N0418" "a phase writes one array in two ways";
    ScratchCross "N0419" "a phase reads another lane's slot of an array it writes";

    Nesting "N0501" "nesting too deep to compile";
    TooLong "N0591" "a kernel has too many instructions once its helpers are inlined";
    TooDeep "N0592" "a kernel nests too deeply once its helpers are inlined";
    ScratchLimit "N0593" "the scratch arrays of a kernel take too much memory";
}
