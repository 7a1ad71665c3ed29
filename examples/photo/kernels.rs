//! The kernels of the photograph: a tone curve, a 3×3 sharpening filter, luminance, automatic levels, a
//! Gaussian blur in two directions, and a premultiplied blend. Pixels come and go as packed bytes, red
//! lowest.
//!
//! The blur works in tiles of 16×16 pixels, a group a tile, and what it leaves lies tile by tile: `tiles`
//! says how many there are, `place` where a pixel is among them.

use nupp::nupp;

/// Pixels along an edge of a tile.
const EDGE: u32 = 16;

/// The weights of the blur: eight on each side of the middle one.
pub const TAPS: usize = 17;

/// How many tiles cover a picture.
pub fn tiles(width: u32, height: u32) -> usize {
    width.div_ceil(EDGE) as usize * height.div_ceil(EDGE) as usize
}

nupp! {
    /// Linear light, one float a channel.
    pub local struct Rgb
        r: float
        g: float
        b: float
    end

    local function channel(pixel: uint32, shift: uint32): float
        return f32.fromU32((pixel >> shift) & 255) / 255.0
    end

    local function clamp(x: float): float
        return f32.min(f32.max(x, 0.0), 1.0)
    end

    local function byte(x: float): uint32
        return u32.saturate(f32.round(clamp(x) * 255.0))
    end

    // A cubic that lifts the shadows and rolls the highlights off: f(0) = 0, f(1) = 1.
    local function curve(x: float, lift: float): float
        local y = 1.0 - x
        return clamp(f32.fma(x * y, lift * y - 0.15 * x, x))
    end

    // Relative luminance with the weights of ITU-R BT.709.
    local function light(pixel: Rgb): float
        return f32.fma(0.2126, pixel.r, f32.fma(0.7152, pixel.g, 0.0722 * pixel.b))
    end

    // Where a pixel is among tiles of 16 by 16.
    local function place(x: uint32, y: uint32, across: uint32): uint32
        local tile = u32.div(y, 16) * across + u32.div(x, 16)
        return tile * 256 + u32.mod(y, 16) * 16 + u32.mod(x, 16)
    end

    // The weighted mean of 17 pixels, `step` slots from each other.
    local function mean(
        near: gpu.Scratch<Rgb>,
        bell: gpu.Scratch<float>,
        first: uint32,
        step: uint32
    ): Rgb
        local r: float = 0.0
        local g: float = 0.0
        local b: float = 0.0
        local total: float = 0.0
        for tap = 0, 16 do
            local weight = bell[tap]
            local pixel = near[first + tap * step]
            r = r + weight * pixel.r
            g = g + weight * pixel.g
            b = b + weight * pixel.b
            total = total + weight
        end
        return Rgb(r / total, g / total, b / total)
    end

    /// Unpacks each pixel and bends its tones.
    @aot(target = "gpu")
    pub local function tone(
        exclusive output: span.WriteSpan<Rgb>,
        borrows pixels: span.Span<uint32>,
        lift: float
    ): nil
        assert(#output == #pixels, "one output a pixel")
        for index = 1, #output do
            local pixel = pixels[index]
            output[index] = Rgb(
                curve(channel(pixel, 0), lift),
                curve(channel(pixel, 8), lift),
                curve(channel(pixel, 16), lift)
            )
        end
    end

    /// Adds to each pixel `amount` times its difference from the mean of its 3×3 neighbours; at an
    /// edge the nearest pixel stands for what is missing.
    @aot(target = "gpu")
    pub local function sharpen(
        exclusive output: span.WriteSpan<Rgb>,
        borrows source: span.Span<Rgb>,
        width: uint32,
        height: uint32,
        amount: float
    ): nil
        assert(#output == #source, "one output a pixel")
        for index = 1, #output do
            local x = u32.mod(index - 1, width)
            local y = u32.div(index - 1, width)
            local r: float = 0.0
            local g: float = 0.0
            local b: float = 0.0
            for dy = 0, 2 do
                for dx = 0, 2 do
                    local column = u32.min(u32.max(x + dx, 1) - 1, width - 1)
                    local row = u32.min(u32.max(y + dy, 1) - 1, height - 1)
                    local c = row * width + column
                    if c < #source then
                        local near = source[c + 1]
                        r = r + near.r
                        g = g + near.g
                        b = b + near.b
                    end
                end
            end
            local center = source[index]
            output[index] = Rgb(
                clamp(f32.fma(amount, center.r - r / 9.0, center.r)),
                clamp(f32.fma(amount, center.g - g / 9.0, center.g)),
                clamp(f32.fma(amount, center.b - b / 9.0, center.b))
            )
        end
    end

    /// Relative luminance.
    @aot(target = "gpu")
    pub local function luminance(exclusive output: span.WriteSpan<float>, borrows source: span.Span<Rgb>): nil
        assert(#output == #source, "one output a pixel")
        for index = 1, #output do
            output[index] = light(source[index])
        end
    end

    // Draws a channel out to the whole range, then bends it so that the mean moves to the middle:
    // between -1 and 1, `bend` keeps the order of the tones.
    local function level(x: float, low: float, scale: float, bend: float): float
        local y = clamp((x - low) * scale)
        return clamp(f32.fma(bend * y, 1.0 - y, y))
    end

    /// Levels the picture by the least, the greatest and the sum of its luminances.
    @aot(target = "gpu")
    pub local function levels(
        exclusive output: span.WriteSpan<Rgb>,
        borrows source: span.Span<Rgb>,
        borrows least: span.Span<float>,
        borrows greatest: span.Span<float>,
        borrows sum: span.Span<float>
    ): nil
        assert(#output == #source, "one output a pixel")
        for index = 1, #output do
            local only: uint32 = 0
            local low: float = 0.0
            local high: float = 1.0
            local middle: float = 0.5
            if only < #least and only < #greatest and only < #sum then
                low = least[only + 1]
                high = greatest[only + 1]
                middle = sum[only + 1] / f32.fromU32(#source)
            end
            local scale: float = 1.0
            if low < high then scale = 1.0 / (high - low) end
            local bend = 1.0 - 2.0 * clamp((middle - low) * scale)
            local pixel = source[index]
            output[index] = Rgb(
                level(pixel.r, low, scale, bend),
                level(pixel.g, low, scale, bend),
                level(pixel.b, low, scale, bend)
            )
        end
    end

    /// The weights of a bell whose middle is the middle element, not yet divided by their sum.
    @aot(target = "gpu")
    pub local function weigh(exclusive weights: span.WriteSpan<float>, sharpness: float): nil
        for index = 1, #weights do
            local distance = f32.fromU32(index) - 0.5 * f32.fromU32(#weights + 1)
            weights[index] = f32.exp(-(distance * distance * sharpness))
        end
    end

    /// The first half of the blur: each pixel becomes the mean of its row's, eight to each side.
    /// A group fetches its tile with eight columns more on both sides; past an edge the nearest pixel
    /// stands for what is missing.
    @aot(target = "gpu")
    pub local function blur_rows(
        exclusive output: span.WriteSpan<Rgb>,
        borrows source: span.Span<Rgb>,
        borrows weights: span.Span<float>,
        width: uint32,
        height: uint32
    ): nil
        gpu.workgroups(u32.div(u32.wrap(#output), 256), 256, function(groupIndex, phases)
            local near = phases:scratch(Rgb(0.0, 0.0, 0.0), 512)
            local bell = phases:scratch(0.0, 256)
            local across = u32.divCeil(width, 16)
            local left = u32.mod(groupIndex, across) * 16
            local top = u32.div(groupIndex, across) * 16
            phases:run(function(localIndex)
                if localIndex < #weights then
                    bell[localIndex] = weights[localIndex + 1]
                end
                for k = 0, 1 do
                    local slot = localIndex + k * 256
                    local x = u32.min(u32.max(left + u32.mod(slot, 32), 8) - 8, width - 1)
                    local y = u32.min(top + u32.div(slot, 32), height - 1)
                    local cursor = y * width + x
                    if cursor < #source then
                        near[localIndex + k * 256] = source[cursor + 1]
                    end
                end
            end)
            phases:run(function(localIndex)
                local first = u32.div(localIndex, 16) * 32 + u32.mod(localIndex, 16)
                output[groupIndex * 256 + localIndex + 1] = mean(near, bell, first, 1)
            end)
        end)
    end

    /// The second half, of columns: from tiles to tiles.
    @aot(target = "gpu")
    pub local function blur_columns(
        exclusive output: span.WriteSpan<Rgb>,
        borrows rows: span.Span<Rgb>,
        borrows weights: span.Span<float>,
        width: uint32,
        height: uint32
    ): nil
        gpu.workgroups(u32.div(u32.wrap(#output), 256), 256, function(groupIndex, phases)
            local near = phases:scratch(Rgb(0.0, 0.0, 0.0), 512)
            local bell = phases:scratch(0.0, 256)
            local across = u32.divCeil(width, 16)
            local left = u32.mod(groupIndex, across) * 16
            local top = u32.div(groupIndex, across) * 16
            phases:run(function(localIndex)
                if localIndex < #weights then
                    bell[localIndex] = weights[localIndex + 1]
                end
                for k = 0, 1 do
                    local slot = localIndex + k * 256
                    local x = left + u32.mod(slot, 16)
                    local y = u32.min(u32.max(top + u32.div(slot, 16), 8) - 8, height - 1)
                    local cursor = place(x, y, across)
                    if cursor < #rows then
                        near[localIndex + k * 256] = rows[cursor + 1]
                    end
                end
            end)
            phases:run(function(localIndex)
                output[groupIndex * 256 + localIndex + 1] = mean(near, bell, localIndex, 16)
            end)
        end)
    end

    /// Lays a warm veil, premultiplied by its alpha, over the picture where its blurred form is bright,
    /// and packs the bytes again.
    @aot(target = "gpu")
    pub local function blend(
        exclusive pixels: span.WriteSpan<uint32>,
        borrows source: span.Span<Rgb>,
        borrows glow: span.Span<Rgb>,
        width: uint32,
        strength: float
    ): nil
        assert(#pixels == #source, "one pixel an input")
        for index = 1, #pixels do
            local across = u32.divCeil(width, 16)
            local cursor = place(u32.mod(index - 1, width), u32.div(index - 1, width), across)
            local alpha: float = 0.0
            if cursor < #glow then
                alpha = strength * f32.sqrt(light(glow[cursor + 1]))
            end
            local below = source[index]
            local keep = 1.0 - alpha
            local r = byte(f32.fma(below.r, keep, 1.0 * alpha))
            local g = byte(f32.fma(below.g, keep, 0.86 * alpha))
            local b = byte(f32.fma(below.b, keep, 0.62 * alpha))
            pixels[index] = r | g << 8 | b << 16 | 4278190080
        end
    end
}
