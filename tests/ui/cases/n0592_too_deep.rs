//! N0592: a kernel nests too deeply once its helpers are inlined.

nupp::nupp! {
    local function d0(x: float): float return x + 1.0 end
    local function d1(x: float): float
        local y = x
        while y > 1.0 do while y > 1.25 do while y > 1.5 do while y > 1.75 do
            y = d0(y) - 1.0
        end end end end
        return y
    end
    local function d2(x: float): float
        local y = x
        while y > 2.0 do while y > 2.25 do while y > 2.5 do while y > 2.75 do
            y = d1(y) - 1.0
        end end end end
        return y
    end
    local function d3(x: float): float
        local y = x
        while y > 3.0 do while y > 3.25 do while y > 3.5 do while y > 3.75 do
            y = d2(y) - 1.0
        end end end end
        return y
    end
    local function d4(x: float): float
        local y = x
        while y > 4.0 do while y > 4.25 do while y > 4.5 do while y > 4.75 do
            y = d3(y) - 1.0
        end end end end
        return y
    end
    local function d5(x: float): float
        local y = x
        while y > 5.0 do while y > 5.25 do while y > 5.5 do while y > 5.75 do
            y = d4(y) - 1.0
        end end end end
        return y
    end
    local function d6(x: float): float
        local y = x
        while y > 6.0 do while y > 6.25 do while y > 6.5 do while y > 6.75 do
            y = d5(y) - 1.0
        end end end end
        return y
    end
    local function d7(x: float): float
        local y = x
        while y > 7.0 do while y > 7.25 do while y > 7.5 do while y > 7.75 do
            y = d6(y) - 1.0
        end end end end
        return y
    end
    local function d8(x: float): float
        local y = x
        while y > 8.0 do while y > 8.25 do while y > 8.5 do while y > 8.75 do
            y = d7(y) - 1.0
        end end end end
        return y
    end
    local function d9(x: float): float
        local y = x
        while y > 9.0 do while y > 9.25 do while y > 9.5 do while y > 9.75 do
            y = d8(y) - 1.0
        end end end end
        return y
    end
    local function d10(x: float): float
        local y = x
        while y > 10.0 do while y > 10.25 do while y > 10.5 do while y > 10.75 do
            y = d9(y) - 1.0
        end end end end
        return y
    end
    local function d11(x: float): float
        local y = x
        while y > 11.0 do while y > 11.25 do while y > 11.5 do while y > 11.75 do
            y = d10(y) - 1.0
        end end end end
        return y
    end
    local function d12(x: float): float
        local y = x
        while y > 12.0 do while y > 12.25 do while y > 12.5 do while y > 12.75 do
            y = d11(y) - 1.0
        end end end end
        return y
    end

    @aot(target = "gpu")
    local function nest(exclusive output: span.WriteSpan<float>): nil
        for index = 1, #output do
            output[index] = d12(output[index])
        end
    end
}

fn main() {}
