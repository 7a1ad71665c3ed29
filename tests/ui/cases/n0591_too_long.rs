//! N0591: a kernel has too many instructions once its helpers are inlined.

nupp::nupp! {
    local function f0(x: float): float return x + 1.0 end
    local function f1(x: float): float return f0(x * 2.0) * f0(x) end
    local function f2(x: float): float return f1(x * 2.0) * f1(x) end
    local function f3(x: float): float return f2(x * 2.0) * f2(x) end
    local function f4(x: float): float return f3(x * 2.0) * f3(x) end
    local function f5(x: float): float return f4(x * 2.0) * f4(x) end
    local function f6(x: float): float return f5(x * 2.0) * f5(x) end
    local function f7(x: float): float return f6(x * 2.0) * f6(x) end
    local function f8(x: float): float return f7(x * 2.0) * f7(x) end
    local function f9(x: float): float return f8(x * 2.0) * f8(x) end
    local function f10(x: float): float return f9(x * 2.0) * f9(x) end
    local function f11(x: float): float return f10(x * 2.0) * f10(x) end
    local function f12(x: float): float return f11(x * 2.0) * f11(x) end
    local function f13(x: float): float return f12(x * 2.0) * f12(x) end
    local function f14(x: float): float return f13(x * 2.0) * f13(x) end
    local function f15(x: float): float return f14(x * 2.0) * f14(x) end
    local function f16(x: float): float return f15(x * 2.0) * f15(x) end
    local function f17(x: float): float return f16(x * 2.0) * f16(x) end

    @aot(target = "gpu")
    local function grow(exclusive output: span.WriteSpan<float>): nil
        for index = 1, #output do
            output[index] = f17(output[index])
        end
    end
}

fn main() {}
