//! Types that live in device buffers.
//!
//! Storage is made of 32-bit words. What a kernel's span holds is a whole number of them: the three
//! scalars, which are here, and the macro's own structs, whose layout it asserts. Narrow elements are
//! packed, several in a word, lowest bytes first; a kernel reads them through [`crate::Buffer::words`].
//! Names are those of the kernel language, so that errors speak it.

/// A type whose values a device buffer can hold.
pub trait Element: bytemuck::Pod + Send + Sync {
    /// The type's name in the kernel language.
    const NAME: &'static str;
}

macro_rules! elements {
    ($($element:ty: $name:literal),* $(,)?) => {
        $(impl Element for $element {
            const NAME: &'static str = $name;
        })*
    };
}

elements! {
    f32: "float",
    i32: "int32",
    u32: "uint32",
    i8: "int8",
    u8: "uint8",
    i16: "int16",
    u16: "uint16",
}

#[cfg(feature = "half")]
elements! {
    half::f16: "float16",
    half::bf16: "bfloat16",
}
