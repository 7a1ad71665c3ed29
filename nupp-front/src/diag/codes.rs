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

    UnknownName "N0201" "a name that is not in scope";
    DuplicateName "N0202" "two things of one name";
    TakenName "N0203" "a name that the language keeps for itself";
    UnknownFunction "N0204" "a function that the library does not have";
    WrongType "N0206" "a value of another type than its context needs";
    AmbiguousLiteral "N0207" "a number whose type nothing decides";
    LiteralRange "N0208" "a constant that its type cannot hold";
    MixedTypes "N0209" "operands of different types";
    OperatorType "N0210" "an operator on a type it is not defined for";
    IntegerDivision "N0211" "`/` on integers";
    ArgumentCount "N0212" "a call with too few or too many arguments";
    UnknownType "N0213" "a type that does not exist";
    StorageWidth "N0214" "an element or field that is not 32 bits wide";
    UniformType "N0215" "a scalar parameter of a kernel that is no float, int32 or uint32";
    SpanQualifier "N0216" "a span parameter without its `exclusive` or `borrows`, or with the wrong one";
    StructVisibility "N0217" "a struct that is less visible than the kernel that names it";
    UnknownField "N0218" "a field that the struct does not have";
    NotAValue "N0219" "a span, module, function or type where a value is needed";
    NotAssignable "N0220" "an assignment to what cannot be assigned";
    ReadSpanWritten "N0221" "a write to a borrowed span";
    NotConstant "N0222" "a constant is needed";
    StrayRequire "N0223" "a `require` inside a function";
    UnknownModule "N0224" "a module that does not exist";
    UnknownTarget "N0225" "a target other than `gpu` and `cpu`";
    NotCallable "N0226" "a call of what cannot be called";
    NotIndexable "N0227" "an index on what has no elements";
    ConstantArithmetic "N0228" "constant arithmetic without a result";
    StrayString "N0229" "a string outside a guard's message";
    MissingResult "N0230" "a helper without a result where a value is needed, or a result that is dropped";
    SpanArgument "N0231" "a span or scratch argument that the helper cannot take";

    KernelShape "N0301" "a kernel of neither shape";
    OutsideMap "N0302" "a statement beside a map's one loop";
    LoopTarget "N0303" "a map's loop over something other than its primary output";
    NoWriteSpan "N0304" "a kernel that writes nothing";
    KernelResult "N0305" "a kernel that returns a value";
    ReturnForm "N0306" "a `return` that cannot stand here";
    MissingReturn "N0307" "a path through a helper without its result";
    Recursion "N0308" "a helper that calls itself";
    LoopControl "N0309" "`break` or `continue` outside a loop";
    ContinueSkips "N0310" "a `continue` past the declaration of a local that the `until` reads";
    ForBound "N0311" "a bound that a counted loop cannot have";
    GuardForm "N0312" "a condition or message that a guard cannot have";
    GuardUniform "N0313" "a GPU kernel's guard on something other than span lengths";
    LateGuard "N0314" "`assert` or `error` after the guards";
    HelperForm "N0315" "a helper of a form that does not exist";
    StructForm "N0316" "a struct of a form that does not exist";
    StatementForm "N0317" "an expression where a statement is needed";
    WorkgroupsForm "N0330" "a call of `gpu.workgroups` of another form";
    SecondWorkgroups "N0331" "a second `gpu.workgroups` in one kernel";
    BesideWorkgroups "N0332" "a statement that cannot stand beside `gpu.workgroups`";
    GroupSize "N0333" "a group size that is no constant from 1 to 256";
    GroupCount "N0334" "a group count of another form";
    NoPhase "N0335" "a controller without a phase";
    EmptyPhase "N0336" "a phase without a statement";
    PhaseCallback "N0337" "a phase that is no immediate function";
    PhasesEscape "N0338" "a use of `phases` that lets it escape";
    ControlCrossesPhase "N0339" "control flow across a phase's edge";
    PhaseAssigns "N0340" "a phase that assigns a local of the controller";
    ScratchOutsidePhase "N0341" "scratch used outside a phase";
    ScratchForm "N0342" "a scratch declaration of another form";
    DynamicScratch "N0343" "scratch whose size is no constant";
    TreeArray "N0344" "a tree over an array that it is not defined for";
    TreeSame "N0345" "a scan whose temporary is its own array";
    ControllerWrites "N0346" "a write in the controller";
    Barrier "N0347" "a barrier written by hand";
    Atomics "N0348" "an atomic operation";
    Subgroup "N0349" "a subgroup function";
    CooperativeMatrix "N0350" "a cooperative matrix";
    PhasePlace "N0351" "a phase where none can run";
    ScatterForm "N0352" "a `scatter` of another form";
    CombineForm "N0353" "a function of `phases:reduce` of another form";

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
    ScatterTwice "N0414" "one lane may scatter into a span twice";
    ScratchRange "N0416" "a slot may lie outside its array";
    ScratchOwner "N0417" "a phase writes a slot that its lane does not own";
    ScratchFamilies "N0418" "a phase writes one array in two ways";
    ScratchCross "N0419" "a phase reads another lane's slot of an array it writes";

    Nesting "N0501" "nesting too deep to compile";
    TooManySpans "N0502" "more than 16 spans";
    TooManyUniforms "N0503" "more than 32 scalar parameters";
    NumberTooLong "N0504" "a constant too long to be kept exactly";
    ScratchTooLarge "N0505" "a scratch array larger than any group may have";
    TooLong "N0591" "a kernel has too many instructions once its helpers are inlined";
    TooDeep "N0592" "a kernel nests too deeply once its helpers are inlined";
    ScratchLimit "N0593" "the scratch arrays of a kernel take too much memory";
    Fault "N0599" "a fault of Nupp itself";
}
