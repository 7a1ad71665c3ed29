//! Types that live in device buffers.
//!
//! Storage is made of 32-bit words; an element is a whole number of them, in the order of its
//! fields. The three scalars are here, the macro implements the trait for its own structs, whose
//! layout it asserts. Names are those of the kernel language, so that errors speak it.

/// A type whose values a device buffer can hold.
pub trait Element: bytemuck::Pod + Send + Sync {
    /// 32-bit words of one value; `size_of::<Self>()` is four times as much.
    const WORDS: u32;
    /// The type's name in the kernel language.
    const NAME: &'static str;
}

impl Element for f32 {
    const WORDS: u32 = 1;
    const NAME: &'static str = "float";
}

impl Element for i32 {
    const WORDS: u32 = 1;
    const NAME: &'static str = "int32";
}

impl Element for u32 {
    const WORDS: u32 = 1;
    const NAME: &'static str = "uint32";
}
