//! The kernels of the photograph: a tone curve, a 3×3 sharpening filter, luminance, and a
//! premultiplied blend. Pixels come and go as packed bytes, red lowest.

use nupp::nupp;

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

    /// Relative luminance with the weights of ITU-R BT.709.
    @aot(target = "gpu")
    pub local function luminance(exclusive output: span.WriteSpan<float>, borrows source: span.Span<Rgb>): nil
        assert(#output == #source, "one output a pixel")
        for index = 1, #output do
            local pixel = source[index]
            output[index] = f32.fma(0.2126, pixel.r, f32.fma(0.7152, pixel.g, 0.0722 * pixel.b))
        end
    end

    /// Lays a warm veil, premultiplied by its alpha, over the picture where it is bright, and packs
    /// the bytes again.
    @aot(target = "gpu")
    pub local function blend(
        exclusive pixels: span.WriteSpan<uint32>,
        borrows source: span.Span<Rgb>,
        borrows light: span.Span<float>,
        strength: float
    ): nil
        assert(#pixels == #source and #light == #source, "one pixel an input")
        for index = 1, #pixels do
            local below = source[index]
            local alpha = strength * f32.sqrt(light[index])
            local keep = 1.0 - alpha
            local r = byte(f32.fma(below.r, keep, 1.0 * alpha))
            local g = byte(f32.fma(below.g, keep, 0.86 * alpha))
            local b = byte(f32.fma(below.b, keep, 0.62 * alpha))
            pixels[index] = r | g << 8 | b << 16 | 4278190080
        end
    end
}
