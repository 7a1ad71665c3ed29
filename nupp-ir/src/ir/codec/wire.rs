//! Bytes out and bytes in: integers, lists, texts, and the macros that give a type its encoding by
//! naming its parts once for both directions.
//!
//! Every encoded thing takes at least one byte, so a list that claims more items than there are
//! bytes left is refused before anything is allocated for it.

/// Bytes that are no encoding.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct DecodeError {
    /// How many bytes were read before it.
    pub position: usize,
    /// What is wrong there.
    pub reason: &'static str,
}

impl std::fmt::Display for DecodeError {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let Self { position, reason } = self;
        write!(f, "byte {position}: {reason}")
    }
}

impl std::error::Error for DecodeError {}

/// Collects bytes.
#[derive(Default)]
pub struct Writer {
    /// What was written so far.
    pub bytes: Vec<u8>,
}

impl Writer {
    /// LEB128: seven bits a byte, low ones first.
    pub fn unsigned(&mut self, mut value: u64) {
        while value >= 0x80 {
            self.bytes.push((value & 0x7f) as u8 | 0x80);
            value >>= 7;
        }
        self.bytes.push(value as u8);
    }
}

/// Gives bytes one by one and counts how deeply it has nested.
pub struct Reader<'a> {
    bytes: &'a [u8],
    position: usize,
    levels_left: usize,
}

impl<'a> Reader<'a> {
    /// Reads these bytes to this depth.
    pub fn new(bytes: &'a [u8], levels: usize) -> Self {
        Reader {
            bytes,
            position: 0,
            levels_left: levels,
        }
    }

    /// An error at this place.
    pub fn error(&self, reason: &'static str) -> DecodeError {
        DecodeError {
            position: self.position,
            reason,
        }
    }

    /// How many bytes are left.
    pub fn remaining(&self) -> usize {
        self.bytes.len() - self.position
    }

    /// The next byte.
    pub fn byte(&mut self) -> Result<u8, DecodeError> {
        let byte = self.bytes.get(self.position).copied();
        let byte = byte.ok_or_else(|| self.error("the bytes end too early"))?;
        self.position += 1;
        Ok(byte)
    }

    /// An integer in its shortest form.
    fn unsigned(&mut self) -> Result<u64, DecodeError> {
        let mut value = 0u64;
        for shift in (0..64).step_by(7) {
            let byte = self.byte()?;
            let part = u64::from(byte & 0x7f);
            if part << shift >> shift != part {
                return Err(self.error("an integer too large"));
            }
            value |= part << shift;
            if byte < 0x80 {
                if byte == 0 && shift > 0 {
                    return Err(self.error("an integer longer than it needs to be"));
                }
                return Ok(value);
            }
        }
        Err(self.error("an integer too large"))
    }

    /// The length of a list, which cannot exceed the bytes left.
    fn length(&mut self) -> Result<usize, DecodeError> {
        let length = self.unsigned()?;
        match usize::try_from(length) {
            Ok(length) if length <= self.remaining() => Ok(length),
            _ => Err(self.error("a list longer than the bytes left")),
        }
    }

    /// Reads something that may hold its own kind.
    pub fn nested<T>(
        &mut self,
        read: impl FnOnce(&mut Self) -> Result<T, DecodeError>,
    ) -> Result<T, DecodeError> {
        let Some(levels) = self.levels_left.checked_sub(1) else {
            return Err(self.error("nested too deeply"));
        };
        self.levels_left = levels;
        let value = read(self)?;
        self.levels_left += 1;
        Ok(value)
    }
}

/// What can be written and read back.
pub trait Wire: Sized {
    /// Appends its bytes.
    fn put(&self, out: &mut Writer);
    /// Reads it.
    fn get(from: &mut Reader<'_>) -> Result<Self, DecodeError>;
}

impl Wire for u32 {
    fn put(&self, out: &mut Writer) {
        out.unsigned(u64::from(*self));
    }
    fn get(from: &mut Reader<'_>) -> Result<Self, DecodeError> {
        let value = from.unsigned()?;
        u32::try_from(value).map_err(|_| from.error("an integer too large"))
    }
}

impl Wire for i64 {
    fn put(&self, out: &mut Writer) {
        out.unsigned(((*self as u64) << 1) ^ ((*self >> 63) as u64));
    }
    fn get(from: &mut Reader<'_>) -> Result<Self, DecodeError> {
        let value = from.unsigned()?;
        Ok((value >> 1) as i64 ^ -((value & 1) as i64))
    }
}

impl Wire for bool {
    fn put(&self, out: &mut Writer) {
        out.bytes.push(u8::from(*self));
    }
    fn get(from: &mut Reader<'_>) -> Result<Self, DecodeError> {
        match from.byte()? {
            0 => Ok(false),
            1 => Ok(true),
            _ => Err(from.error("neither false nor true")),
        }
    }
}

impl Wire for String {
    fn put(&self, out: &mut Writer) {
        out.unsigned(self.len() as u64);
        out.bytes.extend(self.as_bytes());
    }
    fn get(from: &mut Reader<'_>) -> Result<Self, DecodeError> {
        let length = from.length()?;
        let text = &from.bytes[from.position..from.position + length];
        let text = std::str::from_utf8(text).map_err(|_| from.error("a text that is not UTF-8"))?;
        from.position += length;
        Ok(text.to_owned())
    }
}

impl<T: Wire> Wire for Vec<T> {
    fn put(&self, out: &mut Writer) {
        out.unsigned(self.len() as u64);
        self.iter().for_each(|item| item.put(out));
    }
    fn get(from: &mut Reader<'_>) -> Result<Self, DecodeError> {
        let length = from.length()?;
        // No reservation: an item may be a hundred times larger than its shortest encoding.
        (0..length).map(|_| T::get(from)).collect::<Result<_, _>>()
    }
}

impl<T: Wire> Wire for Option<T> {
    fn put(&self, out: &mut Writer) {
        self.is_some().put(out);
        if let Some(value) = self {
            value.put(out);
        }
    }
    fn get(from: &mut Reader<'_>) -> Result<Self, DecodeError> {
        Ok(if bool::get(from)? {
            Some(T::get(from)?)
        } else {
            None
        })
    }
}

impl<T: Wire> Wire for Box<T> {
    fn put(&self, out: &mut Writer) {
        (**self).put(out);
    }
    fn get(from: &mut Reader<'_>) -> Result<Self, DecodeError> {
        Ok(Box::new(T::get(from)?))
    }
}

impl<A: Wire, B: Wire> Wire for (A, B) {
    fn put(&self, out: &mut Writer) {
        self.0.put(out);
        self.1.put(out);
    }
    fn get(from: &mut Reader<'_>) -> Result<Self, DecodeError> {
        Ok((A::get(from)?, B::get(from)?))
    }
}

impl<T: Wire> Wire for [T; 2] {
    fn put(&self, out: &mut Writer) {
        self.iter().for_each(|item| item.put(out));
    }
    fn get(from: &mut Reader<'_>) -> Result<Self, DecodeError> {
        Ok([T::get(from)?, T::get(from)?])
    }
}

/// Entities are their numbers.
macro_rules! wire_index {
    ($($ty:ident),*) => { $(
        impl Wire for $ty {
            fn put(&self, out: &mut Writer) { self.0.put(out) }
            fn get(from: &mut Reader<'_>) -> Result<Self, DecodeError> { Ok($ty(Wire::get(from)?)) }
        }
    )* };
}

/// Structs are their fields in the order named.
macro_rules! wire_struct {
    ($ty:ty { $($field:ident),* }) => {
        impl Wire for $ty {
            fn put(&self, out: &mut Writer) { $( self.$field.put(out); )* }
            fn get(from: &mut Reader<'_>) -> Result<Self, DecodeError> {
                $( let $field = Wire::get(from)?; )*
                Ok(Self { $($field),* })
            }
        }
    };
}

/// Choices are a tag byte and the parts of the variant; `nested` ones count as a level.
macro_rules! wire_enum {
    ($ty:ident $(<$arg:ident>)? nested { $($variants:tt)* }) => {
        wire_enum!(@impl $ty ($(<$arg>)?) nested { $($variants)* });
    };
    ($ty:ident $(<$arg:ident>)? { $($variants:tt)* }) => {
        wire_enum!(@impl $ty ($(<$arg>)?) flat { $($variants)* });
    };
    (@impl $ty:ident ($($arg:tt)*) $depth:ident { $(
        $tag:literal $variant:ident $( ( $($item:ident),* ) )? $( { $($field:ident),* } )?
    ),* }) => {
        impl Wire for $ty $($arg)* {
            fn put(&self, out: &mut Writer) {
                match self { $(
                    $ty::$variant $( ( $($item),* ) )? $( { $($field),* } )? => {
                        out.bytes.push($tag);
                        $( $( $item.put(out); )* )?
                        $( $( $field.put(out); )* )?
                    }
                )* }
            }
            fn get(from: &mut Reader<'_>) -> Result<Self, DecodeError> {
                wire_enum!(@depth $depth from {
                    match from.byte()? {
                        $( $tag => {
                            $( $( let $item = Wire::get(from)?; )* )?
                            $( $( let $field = Wire::get(from)?; )* )?
                            Ok($ty::$variant $( ( $($item),* ) )? $( { $($field),* } )?)
                        } )*
                        _ => Err(from.error(concat!("no such ", stringify!($ty)))),
                    }
                })
            }
        }
    };
    (@depth flat $from:ident $body:block) => { $body };
    (@depth nested $from:ident $body:block) => { $from.nested(|$from| $body) };
}

pub(super) use {wire_enum, wire_index, wire_struct};
