//! One level of each reduction and scan, in the kernel language.
//!
//! A group takes a block of 256 elements. Elements past the end are the identity, so every block
//! runs the same tree; a block's result does not depend on how many blocks there are. The text is
//! the same for each element but for its type, its zero and its limits.

use super::{Fold, Kernel, Kernels};

/// A kernel of one of the modules below, over threads where there are some.
macro_rules! kernel {
    ($module:ident, $name:ident) => {
        Kernel {
            spec: &$module::$name::SPEC,
            #[cfg(feature = "rayon")]
            cpu: $module::$name::cpu_parallel,
            #[cfg(not(feature = "rayon"))]
            cpu: $module::$name,
        }
    };
}

/// A reduction with the tree `$tree`, padded with `$identity`.
macro_rules! fold {
    ($name:ident, $type:ident, $tree:ident, $($identity:tt)+) => {
        crate::nupp! {
            /// One result a block.
            @aot(target = "gpu")
            pub local function $name(
                exclusive blocks: span.WriteSpan<$type>,
                borrows input: span.Span<$type>
            ): nil
                gpu.workgroups(u32.divCeil(u32.wrap(#input), 256), 256, function(groupIndex, phases)
                    local values = phases:scratch($($identity)+, 256)
                    phases:run(function(localIndex)
                        local cursor = groupIndex * 256 + localIndex
                        local value: $type = $($identity)+
                        if cursor < #input then
                            value = input[cursor + 1]
                        end
                        values[localIndex] = value
                    end)
                    phases:$tree(values)
                    phases:run(function(localIndex)
                        if localIndex == 0 then
                            if groupIndex < #blocks then
                                blocks[groupIndex + 1] = values[0]
                            end
                        end
                    end)
                end)
            end
        }
    };
}

/// Block sums of products, each product rounded before it is summed.
macro_rules! dot {
    ($type:ident, $($zero:tt)+) => {
        crate::nupp! {
            /// One sum of products a block.
            @aot(target = "gpu")
            pub local function dot(
                exclusive blocks: span.WriteSpan<$type>,
                borrows left: span.Span<$type>,
                borrows right: span.Span<$type>
            ): nil
                assert(#left == #right, "a dot product takes two spans of one length")
                gpu.workgroups(u32.divCeil(u32.wrap(#left), 256), 256, function(groupIndex, phases)
                    local values = phases:scratch($($zero)+, 256)
                    phases:run(function(localIndex)
                        local cursor = groupIndex * 256 + localIndex
                        local value: $type = $($zero)+
                        if cursor < #left and cursor < #right then
                            value = left[cursor + 1] * right[cursor + 1]
                        end
                        values[localIndex] = value
                    end)
                    phases:reduceSum(values)
                    phases:run(function(localIndex)
                        if localIndex == 0 then
                            if groupIndex < #blocks then
                                blocks[groupIndex + 1] = values[0]
                            end
                        end
                    end)
                end)
            end
        }
    };
}

/// Both scans of blocks, and the addition of what comes before a block.
macro_rules! scans {
    ($type:ident, $($zero:tt)+) => {
        crate::nupp! {
            /// Each block's inclusive scan, and its total.
            @aot(target = "gpu")
            pub local function inclusive(
                exclusive output: span.WriteSpan<$type>,
                exclusive totals: span.WriteSpan<$type>,
                borrows input: span.Span<$type>
            ): nil
                assert(#output == #input, "a scan writes one element for each that it reads")
                gpu.workgroups(u32.divCeil(u32.wrap(#input), 256), 256, function(groupIndex, phases)
                    local values = phases:scratch($($zero)+, 256)
                    phases:run(function(localIndex)
                        local cursor = groupIndex * 256 + localIndex
                        local value: $type = $($zero)+
                        if cursor < #input then
                            value = input[cursor + 1]
                        end
                        values[localIndex] = value
                    end)
                    phases:inclusiveScan(values)
                    phases:run(function(localIndex)
                        local cursor = groupIndex * 256 + localIndex
                        if cursor < #output then
                            output[cursor + 1] = values[localIndex]
                        end
                        if localIndex == 255 then
                            if groupIndex < #totals then
                                totals[groupIndex + 1] = values[255]
                            end
                        end
                    end)
                end)
            end

            /// Each block's exclusive scan, and its total.
            @aot(target = "gpu")
            pub local function exclusive(
                exclusive output: span.WriteSpan<$type>,
                exclusive totals: span.WriteSpan<$type>,
                borrows input: span.Span<$type>
            ): nil
                assert(#output == #input, "a scan writes one element for each that it reads")
                gpu.workgroups(u32.divCeil(u32.wrap(#input), 256), 256, function(groupIndex, phases)
                    local values = phases:scratch($($zero)+, 256)
                    phases:run(function(localIndex)
                        local cursor = groupIndex * 256 + localIndex
                        local value: $type = $($zero)+
                        if cursor < #input then
                            value = input[cursor + 1]
                        end
                        values[localIndex] = value
                    end)
                    phases:inclusiveScan(values)
                    phases:run(function(localIndex)
                        local cursor = groupIndex * 256 + localIndex
                        local before: $type = $($zero)+
                        if localIndex > 0 then
                            before = values[localIndex - 1]
                        end
                        if cursor < #output then
                            output[cursor + 1] = before
                        end
                        if localIndex == 255 then
                            if groupIndex < #totals then
                                totals[groupIndex + 1] = values[255]
                            end
                        end
                    end)
                end)
            end

            /// `offset + local` for every block but the first.
            @aot(target = "gpu")
            pub local function offset(
                exclusive output: span.WriteSpan<$type>,
                borrows offsets: span.Span<$type>
            ): nil
                for index = 1, #output do
                    local block = u32.div(index - 1, 256)
                    if block > 0 then
                        local before = block - 1
                        if before < #offsets then
                            output[index] = offsets[before + 1] + output[index]
                        end
                    end
                end
            end
        }
    };
}

/// The kernels over one element.
macro_rules! kernels {
    // The last is the identities of a sum, a greatest and a least value.
    (
        $module:ident: $type:ident as $host:ty,
        ($($zero:tt)+), ($($low:tt)+), ($($high:tt)+),
        $identities:expr
    ) => {
        pub(crate) mod $module {
            fold!(sum, $type, reduceSum, $($zero)+);
            fold!(min, $type, reduceMin, $($high)+);
            fold!(max, $type, reduceMax, $($low)+);
            dot!($type, $($zero)+);
            scans!($type, $($zero)+);
        }

        impl Kernels for $host {
            fn sum() -> Fold<Self> {
                Fold { identity: $identities[0], kernel: kernel!($module, sum) }
            }

            fn min() -> Fold<Self> {
                Fold { identity: $identities[2], kernel: kernel!($module, min) }
            }

            fn max() -> Fold<Self> {
                Fold { identity: $identities[1], kernel: kernel!($module, max) }
            }

            fn dot() -> Kernel<super::Cpu2<Self>> {
                kernel!($module, dot)
            }

            fn inclusive() -> Kernel<super::CpuScan<Self>> {
                kernel!($module, inclusive)
            }

            fn exclusive() -> Kernel<super::CpuScan<Self>> {
                kernel!($module, exclusive)
            }

            fn offset() -> Kernel<super::Cpu<Self>> {
                kernel!($module, offset)
            }
        }
    };
}

kernels!(
    floats: float as f32, (0.0),
    (f32.fromBits(0xff80_0000)), (f32.fromBits(0x7f80_0000)),
    [0.0, f32::NEG_INFINITY, f32::INFINITY]
);
kernels!(
    signed: int32 as i32, (i32.wrap(0)),
    (i32.wrap(-2_147_483_648)), (i32.wrap(2_147_483_647)),
    [0, i32::MIN, i32::MAX]
);
kernels!(
    unsigned: uint32 as u32, (u32.wrap(0)),
    (u32.wrap(0)), (u32.wrap(4_294_967_295)),
    [0, u32::MIN, u32::MAX]
);
