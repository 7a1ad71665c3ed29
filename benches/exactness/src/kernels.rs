//! The kernels, and shaders that do the same as one would write them without a thought for bits.

use nupp::nupp;

nupp! {
    @aot(target = "gpu")
    pub local function axpy(
        exclusive output: span.WriteSpan<float>,
        borrows x: span.Span<float>,
        borrows y: span.Span<float>,
        a: float
    ): nil
        assert(#x == #output and #y == #output)
        for index = 1, #output do
            output[index] = a * x[index] + y[index]
        end
    end

    @aot(target = "gpu")
    pub local function exponential(
        exclusive output: span.WriteSpan<float>,
        borrows x: span.Span<float>
    ): nil
        assert(#x == #output)
        for index = 1, #output do
            output[index] = f32.exp(x[index])
        end
    end

    -- A row of 1,024 a group, four elements a lane.
    @aot(target = "gpu")
    pub local function softmax(
        exclusive output: span.WriteSpan<float>,
        borrows x: span.Span<float>
    ): nil
        local groups = u32.div(u32.wrap(#output), 1024)
        gpu.workgroups(groups, 256, function(groupIndex, phases)
            local values = phases:scratch(0.0, 1024)
            local most = phases:scratch(0.0, 256)
            local sums = phases:scratch(0.0, 256)
            phases:run(function(localIndex)
                local greatest = f32.fromBits(0xff800000)
                for k = 0, 3 do
                    local at = groupIndex * 1024 + localIndex + k * 256
                    local value: float = 0.0
                    if at < #x then value = x[at + 1] end
                    values[localIndex + k * 256] = value
                    greatest = f32.max(greatest, value)
                end
                most[localIndex] = greatest
            end)
            phases:reduceMax(most)
            phases:run(function(localIndex)
                local greatest = most[0]
                local sum: float = 0.0
                for k = 0, 3 do
                    local power = f32.exp(values[localIndex + k * 256] - greatest)
                    values[localIndex + k * 256] = power
                    sum = sum + power
                end
                sums[localIndex] = sum
            end)
            phases:reduceSum(sums)
            phases:run(function(localIndex)
                local sum = sums[0]
                for k = 0, 3 do
                    output[groupIndex * 1024 + localIndex + k * 256 + 1] = values[localIndex + k * 256] / sum
                end
            end)
        end)
    end

    -- A tile of 128 by 128 a group, 64 results a lane, as in the example gemm.
    @aot(target = "gpu")
    pub local function product(
        exclusive c: span.WriteSpan<float>,
        borrows a: span.Span<float>,
        borrows b: span.Span<float>,
        inner: uint32,
        columns: uint32
    ): nil
        local groups = u32.div(u32.wrap(#c), 16384)
        gpu.workgroups(groups, 256, function(groupIndex, phases)
            local left = phases:scratch(0.0, 1024)
            local right = phases:scratch(0.0, 1024)
            local sums = phases:scratch(0.0, 16384)
            local across = u32.div(columns, 128)
            local top = u32.div(groupIndex, across) * 128
            local first = u32.mod(groupIndex, across) * 128
            local tiles = u32.div(inner, 8)
            for tile = 0, tiles - 1 do
                phases:run(function(localIndex)
                    for t = 0, 3 do
                        local slot = localIndex + t * 256
                        local i = (top + u32.div(slot, 8)) * inner + tile * 8 + u32.mod(slot, 8)
                        local p: float = 0.0
                        if i < #a then p = a[i + 1] end
                        left[localIndex + t * 256] = p
                        local j = (tile * 8 + u32.div(slot, 128)) * columns + first + u32.mod(slot, 128)
                        local q: float = 0.0
                        if j < #b then q = b[j + 1] end
                        right[localIndex + t * 256] = q
                    end
                end)
                phases:run(function(localIndex)
                    local y = u32.div(localIndex, 16)
                    local x = u32.mod(localIndex, 16)
                    for k = 0, 7 do
                        for t = 0, 63 do
                            sums[localIndex + t * 256] = f32.fma(
                                left[(y + u32.div(t, 8) * 16) * 8 + k],
                                right[k * 128 + x + u32.mod(t, 8) * 16],
                                sums[localIndex + t * 256]
                            )
                        end
                    end
                end)
            end
            phases:run(function(localIndex)
                for t = 0, 63 do
                    c[groupIndex * 16384 + localIndex + t * 256 + 1] = sums[localIndex + t * 256]
                end
            end)
        end)
    end

    -- The pull of all bodies on each.
    @aot(target = "gpu")
    pub local function pull(
        exclusive output: span.WriteSpan<float>,
        borrows x: span.Span<float>,
        borrows y: span.Span<float>,
        borrows mass: span.Span<float>
    ): nil
        assert(#x == #output and #y == #output and #mass == #output)
        for index = 1, #output do
            local px, py = x[index], y[index]
            local ax: float = 0.0
            local ay: float = 0.0
            local cursor: uint32 = 0
            while cursor < #output do
                local dx = x[cursor + 1] - px
                local dy = y[cursor + 1] - py
                local square = dx * dx + dy * dy + 0.01
                local strength = mass[cursor + 1] / (square * f32.sqrt(square))
                ax = ax + dx * strength
                ay = ay + dy * strength
                cursor = cursor + 1
            end
            output[index] = ax + ay
        end
    end
}

/// Bindings in the kernel's order, uniforms after them.
pub const AXPY: &str = "
@group(0) @binding(0) var<storage, read_write> output: array<f32>;
@group(0) @binding(1) var<storage, read> x: array<f32>;
@group(0) @binding(2) var<storage, read> y: array<f32>;
@group(0) @binding(3) var<uniform> a: f32;
@compute @workgroup_size(256)
fn main(@builtin(global_invocation_id) id: vec3u, @builtin(num_workgroups) n: vec3u) {
    let i = id.y * n.x * 256u + id.x;
    if i < arrayLength(&output) { output[i] = a * x[i] + y[i]; }
}";

pub const EXPONENTIAL: &str = "
@group(0) @binding(0) var<storage, read_write> output: array<f32>;
@group(0) @binding(1) var<storage, read> x: array<f32>;
@compute @workgroup_size(256)
fn main(@builtin(global_invocation_id) id: vec3u, @builtin(num_workgroups) n: vec3u) {
    let i = id.y * n.x * 256u + id.x;
    if i < arrayLength(&output) { output[i] = exp(x[i]); }
}";

pub const SOFTMAX: &str = "
@group(0) @binding(0) var<storage, read_write> output: array<f32>;
@group(0) @binding(1) var<storage, read> x: array<f32>;
var<workgroup> most: array<f32, 256>;
var<workgroup> sums: array<f32, 256>;
@compute @workgroup_size(256)
fn main(@builtin(workgroup_id) group: vec3u, @builtin(local_invocation_index) l: u32,
        @builtin(num_workgroups) n: vec3u) {
    let first = (group.y * n.x + group.x) * 1024u + l;
    var v = array<f32, 4>(x[first], x[first + 256u], x[first + 512u], x[first + 768u]);
    most[l] = max(max(v[0], v[1]), max(v[2], v[3]));
    for (var s = 128u; s > 0u; s >>= 1u) {
        workgroupBarrier();
        if l < s { most[l] = max(most[l], most[l + s]); }
    }
    workgroupBarrier();
    let greatest = most[0];
    for (var k = 0u; k < 4u; k++) { v[k] = exp(v[k] - greatest); }
    sums[l] = v[0] + v[1] + v[2] + v[3];
    for (var s = 128u; s > 0u; s >>= 1u) {
        workgroupBarrier();
        if l < s { sums[l] = sums[l] + sums[l + s]; }
    }
    workgroupBarrier();
    let sum = sums[0];
    for (var k = 0u; k < 4u; k++) { output[first + k * 256u] = v[k] / sum; }
}";

pub const PRODUCT: &str = "
@group(0) @binding(0) var<storage, read_write> c: array<f32>;
@group(0) @binding(1) var<storage, read> a: array<f32>;
@group(0) @binding(2) var<storage, read> b: array<f32>;
struct Sizes { inner: u32, columns: u32 }
@group(0) @binding(3) var<uniform> sizes: Sizes;
var<workgroup> left: array<f32, 1024>;
var<workgroup> right: array<f32, 1024>;
@compute @workgroup_size(256)
fn main(@builtin(workgroup_id) id: vec3u, @builtin(local_invocation_index) l: u32,
        @builtin(num_workgroups) n: vec3u) {
    let group = id.y * n.x + id.x;
    let across = sizes.columns / 128u;
    let top = group / across * 128u;
    let first = group % across * 128u;
    let y = l / 16u;
    let x = l % 16u;
    var sums = array<f32, 64>();
    for (var tile = 0u; tile < sizes.inner / 8u; tile++) {
        workgroupBarrier();
        for (var t = 0u; t < 4u; t++) {
            let slot = l + t * 256u;
            left[slot] = a[(top + slot / 8u) * sizes.inner + tile * 8u + slot % 8u];
            right[slot] = b[(tile * 8u + slot / 128u) * sizes.columns + first + slot % 128u];
        }
        workgroupBarrier();
        for (var k = 0u; k < 8u; k++) {
            var row: array<f32, 8>;
            var column: array<f32, 8>;
            for (var t = 0u; t < 8u; t++) {
                row[t] = left[(y + t * 16u) * 8u + k];
                column[t] = right[k * 128u + x + t * 16u];
            }
            for (var t = 0u; t < 64u; t++) {
                sums[t] = fma(row[t / 8u], column[t % 8u], sums[t]);
            }
        }
    }
    for (var t = 0u; t < 64u; t++) { c[group * 16384u + l + t * 256u] = sums[t]; }
}";

pub const PULL: &str = "
@group(0) @binding(0) var<storage, read_write> output: array<f32>;
@group(0) @binding(1) var<storage, read> x: array<f32>;
@group(0) @binding(2) var<storage, read> y: array<f32>;
@group(0) @binding(3) var<storage, read> mass: array<f32>;
@compute @workgroup_size(256)
fn main(@builtin(global_invocation_id) id: vec3u, @builtin(num_workgroups) n: vec3u) {
    let i = id.y * n.x * 256u + id.x;
    let count = arrayLength(&output);
    if i >= count { return; }
    let p = vec2f(x[i], y[i]);
    var sum = vec2f();
    for (var j = 0u; j < count; j++) {
        let d = vec2f(x[j], y[j]) - p;
        let square = d.x * d.x + d.y * d.y + 0.01;
        sum += d * (mass[j] / (square * sqrt(square)));
    }
    output[i] = sum.x + sum.y;
}";
