//! Two buffers of structs of the same shape in each other's place are two type errors of Rust.

nupp::nupp! {
    pub local struct Left
        a: float
        b: float
    end

    pub local struct Right
        a: float
        b: float
    end

    @aot(target = "gpu")
    pub local function add(
        exclusive output: span.WriteSpan<float>,
        borrows left: span.Span<Left>,
        borrows right: span.Span<Right>
    ): nil
        assert(#output == #left and #output == #right)
        for index = 1, #output do
            output[index] = left[index].a + right[index].b
        end
    end
}

fn main() {
    let mut output = [0.0; 1];
    let left = [Left { a: 1.0, b: 2.0 }];
    let right = [Right { a: 3.0, b: 4.0 }];
    add(&mut output, &right, &left).unwrap();
}
