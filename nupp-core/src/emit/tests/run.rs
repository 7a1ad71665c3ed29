//! Runs one lane of a SPIR-V module: the instructions that the printer, and naga, make of Device IR.
//!
//! It follows the words alone and panics on whatever it does not know, so that a wrong branch, a
//! lost store or a misread constant gives a wrong result without any driver at hand.

use std::collections::HashMap;

/// What an id holds.
#[derive(Clone, Debug)]
enum Held {
    /// A scalar (a truth value is 0 or 1) or a vector.
    Words(Vec<u32>),
    /// A pointer: a variable, a word in it, and the type it points to.
    Pointer(u32, usize, u32),
}

/// A type, by what matters for addresses.
#[derive(Clone, Debug)]
enum Type {
    Scalar,
    Row { element: u32, len: usize },
    Struct { members: Vec<u32> },
    Pointer { to: u32 },
    Other,
}

/// One instruction.
#[derive(Clone, Debug)]
pub struct Inst {
    pub opcode: u32,
    pub operands: Vec<u32>,
}

struct Function {
    params: Vec<u32>,
    code: Vec<Inst>,
    labels: HashMap<u32, usize>,
}

/// A module that can be run.
pub struct Machine {
    types: HashMap<u32, Type>,
    constants: HashMap<u32, Held>,
    globals: Vec<(u32, u32)>,
    bindings: HashMap<u32, u32>,
    builtins: HashMap<u32, u32>,
    functions: HashMap<u32, Function>,
    entry: u32,
    glsl: u32,
    memory: HashMap<u32, Vec<u32>>,
    steps: u64,
}

/// The instructions of a module.
pub fn instructions(words: &[u32]) -> Vec<Inst> {
    let mut rest = &words[5..];
    let mut list = Vec::new();
    while let Some(&head) = rest.first() {
        let len = (head >> 16) as usize;
        list.push(Inst {
            opcode: head & 0xffff,
            operands: rest[1..len].to_vec(),
        });
        rest = &rest[len..];
    }
    list
}

impl Machine {
    /// Reads a module.
    pub fn new(words: &[u32]) -> Machine {
        let mut machine = Machine {
            types: HashMap::new(),
            constants: HashMap::new(),
            globals: Vec::new(),
            bindings: HashMap::new(),
            builtins: HashMap::new(),
            functions: HashMap::new(),
            entry: 0,
            glsl: 0,
            memory: HashMap::new(),
            steps: 0,
        };
        let mut current: Option<(u32, Function)> = None;
        for inst in instructions(words) {
            let o = &inst.operands;
            match (inst.opcode, &mut current) {
                (54, _) => {
                    let function = Function {
                        params: Vec::new(),
                        code: Vec::new(),
                        labels: HashMap::new(),
                    };
                    current = Some((o[1], function));
                }
                (55, Some((_, function))) => function.params.push(o[1]),
                (56, _) => machine.functions.extend(current.take()),
                (248, Some((_, function))) => {
                    function.labels.insert(o[0], function.code.len());
                }
                (_, Some((_, function))) => function.code.push(inst),
                (_, None) => machine.declare(&inst),
            }
        }
        machine
    }

    fn declare(&mut self, inst: &Inst) {
        let o = &inst.operands;
        match inst.opcode {
            11 => self.glsl = o[0],
            15 => self.entry = o[1],
            71 if o[1] == 33 => drop(self.bindings.insert(o[2], o[0])),
            71 if o[1] == 11 => drop(self.builtins.insert(o[2], o[0])),
            20..=22 => drop(self.types.insert(o[0], Type::Scalar)),
            23 => {
                let (element, len) = (o[1], o[2] as usize);
                self.types.insert(o[0], Type::Row { element, len });
            }
            28 => {
                let (element, len) = (o[1], self.word(&HashMap::new(), o[2]) as usize);
                self.types.insert(o[0], Type::Row { element, len });
            }
            29 => drop(self.types.insert(
                o[0],
                Type::Row {
                    element: o[1],
                    len: 0,
                },
            )),
            30 => {
                let members = o[1..].to_vec();
                self.types.insert(o[0], Type::Struct { members });
            }
            32 => drop(self.types.insert(o[0], Type::Pointer { to: o[2] })),
            19 | 33 => drop(self.types.insert(o[0], Type::Other)),
            41 => drop(self.constants.insert(o[1], Held::Words(vec![1]))),
            42 => drop(self.constants.insert(o[1], Held::Words(vec![0]))),
            43 => drop(self.constants.insert(o[1], Held::Words(vec![o[2]]))),
            44 => {
                let words = o[2..]
                    .iter()
                    .flat_map(|&id| self.words(&HashMap::new(), id));
                let words = words.collect();
                self.constants.insert(o[1], Held::Words(words));
            }
            46 => {
                let words = vec![0; self.size(o[0])];
                self.constants.insert(o[1], Held::Words(words));
            }
            59 => self.globals.push((o[0], o[1])),
            3 | 5 | 6 | 10 | 14 | 16 | 17 | 71 | 72 => {}
            other => panic!("unknown declaration {other}"),
        }
    }

    fn size(&self, ty: u32) -> usize {
        match &self.types[&ty] {
            Type::Scalar => 1,
            Type::Row { element, len } => self.size(*element) * len,
            Type::Struct { members } => members.iter().map(|&member| self.size(member)).sum(),
            Type::Pointer { .. } | Type::Other => panic!("no size"),
        }
    }

    fn pointee(&self, ty: u32) -> u32 {
        match self.types[&ty] {
            Type::Pointer { to } => to,
            _ => panic!("no pointer"),
        }
    }

    /// Runs lane 0 of group 0 on the words of the bound buffers, the uniform block last.
    pub fn run(&mut self, buffers: &mut [Vec<u32>]) {
        self.memory.clear();
        self.steps = 0;
        for (ty, id) in self.globals.clone() {
            let size = self.size(self.pointee(ty));
            self.memory.insert(id, vec![0; size]);
            self.constants
                .insert(id, Held::Pointer(id, 0, self.pointee(ty)));
        }
        for (binding, content) in (0..).zip(buffers.iter_mut()) {
            let id = self.bindings[&binding];
            self.memory.insert(id, std::mem::take(content));
        }
        self.call(self.entry, Vec::new());
        for (binding, content) in (0..).zip(buffers.iter_mut()) {
            let id = self.bindings[&binding];
            *content = self.memory.remove(&id).expect("bound");
        }
    }

    fn held(&self, frame: &HashMap<u32, Held>, id: u32) -> Held {
        let held = frame.get(&id).or_else(|| self.constants.get(&id));
        held.unwrap_or_else(|| panic!("%{id} is used before it is defined"))
            .clone()
    }

    fn words(&self, frame: &HashMap<u32, Held>, id: u32) -> Vec<u32> {
        match self.held(frame, id) {
            Held::Words(words) => words,
            Held::Pointer(..) => panic!("%{id} is a pointer"),
        }
    }

    fn word(&self, frame: &HashMap<u32, Held>, id: u32) -> u32 {
        self.words(frame, id)[0]
    }

    fn call(&mut self, id: u32, args: Vec<Held>) -> Option<Held> {
        let params = self.functions[&id].params.clone();
        let mut frame: HashMap<u32, Held> = params.into_iter().zip(args).collect();
        let mut at = 0;
        loop {
            self.steps += 1;
            assert!(self.steps < 1_000_000, "the module does not end");
            let inst = self.functions[&id].code[at].clone();
            let o = &inst.operands;
            at += 1;
            match inst.opcode {
                246 | 247 => {}
                249 => at = self.functions[&id].labels[&o[0]],
                250 => {
                    let side = if self.word(&frame, o[0]) != 0 { 1 } else { 2 };
                    at = self.functions[&id].labels[&o[side]];
                }
                253 => return None,
                254 => return Some(self.held(&frame, o[0])),
                _ => self.step(&mut frame, &inst),
            }
        }
    }

    fn step(&mut self, frame: &mut HashMap<u32, Held>, inst: &Inst) {
        let o = &inst.operands;
        let held = match inst.opcode {
            62 => return self.store(frame, o),
            224 => return,
            57 => {
                let args = o[3..].iter().map(|&arg| self.held(frame, arg)).collect();
                match self.call(o[2], args) {
                    Some(held) => held,
                    None => return,
                }
            }
            59 => {
                let to = self.pointee(o[0]);
                // Anything but 0, so that a variable read before it is written is seen.
                let initial = match o.get(3) {
                    Some(&id) => self.words(frame, id),
                    None => vec![0xdead_beef; self.size(to)],
                };
                self.memory.insert(o[1], initial);
                Held::Pointer(o[1], 0, to)
            }
            61 => {
                let Held::Pointer(variable, offset, to) = self.held(frame, o[2]) else {
                    panic!("a load of no pointer")
                };
                let size = self.size(to);
                Held::Words(self.memory[&variable][offset..offset + size].to_vec())
            }
            65 => self.chain(frame, o),
            239 => {
                let value = self.word(frame, o[5]);
                let Held::Pointer(variable, offset, _) = self.held(frame, o[2]) else {
                    panic!("an atomic step on no pointer")
                };
                let memory = self.memory.get_mut(&variable).expect("a variable");
                let before = memory[offset];
                memory[offset] = before.max(value);
                Held::Words(vec![before])
            }
            80 => {
                let parts = o[2..].iter().flat_map(|&id| self.words(frame, id));
                Held::Words(parts.collect())
            }
            81 => Held::Words(vec![self.words(frame, o[2])[o[3] as usize]]),
            12 => {
                assert_eq!(o[2], self.glsl);
                let args: Vec<u32> = o[4..].iter().map(|&id| self.word(frame, id)).collect();
                Held::Words(vec![extended(o[3], &args)])
            }
            opcode => {
                let args: Vec<u32> = o[2..].iter().map(|&id| self.word(frame, id)).collect();
                Held::Words(vec![core(opcode, &args)])
            }
        };
        frame.insert(o[1], held);
    }

    fn store(&mut self, frame: &HashMap<u32, Held>, o: &[u32]) {
        let Held::Pointer(variable, offset, _) = self.held(frame, o[0]) else {
            panic!("a store to no pointer")
        };
        let words = self.words(frame, o[1]);
        let memory = self.memory.get_mut(&variable).expect("a variable");
        memory[offset..offset + words.len()].copy_from_slice(&words);
    }

    fn chain(&self, frame: &HashMap<u32, Held>, o: &[u32]) -> Held {
        let Held::Pointer(variable, mut offset, mut to) = self.held(frame, o[2]) else {
            panic!("a chain on no pointer")
        };
        for &index in &o[3..] {
            let index = self.word(frame, index) as usize;
            match &self.types[&to] {
                Type::Row { element, .. } => {
                    offset += index * self.size(*element);
                    to = *element;
                }
                Type::Struct { members } => {
                    assert_eq!(index, 0, "blocks have one member");
                    to = members[0];
                }
                other => panic!("a chain into {other:?}"),
            }
        }
        Held::Pointer(variable, offset, to)
    }
}

fn f(bits: u32) -> f32 {
    f32::from_bits(bits)
}

fn extended(instruction: u32, a: &[u32]) -> u32 {
    match instruction {
        31 => f(a[0]).sqrt().to_bits(),
        38 => a[0].min(a[1]),
        39 => (a[0] as i32).min(a[1] as i32) as u32,
        41 => a[0].max(a[1]),
        42 => (a[0] as i32).max(a[1] as i32) as u32,
        50 => f(a[0]).mul_add(f(a[1]), f(a[2])).to_bits(),
        73 if a[0] == 0 => u32::MAX,
        73 => a[0].trailing_zeros(),
        75 if a[0] == 0 => u32::MAX,
        75 => 31 - a[0].leading_zeros(),
        other => panic!("unknown extended instruction {other}"),
    }
}

fn core(opcode: u32, a: &[u32]) -> u32 {
    let signed = |i: usize| a[i] as i32;
    let count = |i: usize| {
        assert!(a[i] < 32, "an undefined shift by {}", a[i]);
        a[i]
    };
    match opcode {
        111 => (signed(0) as f32).to_bits(),
        112 => (a[0] as f32).to_bits(),
        83 | 124 => a[0],
        126 => a[0].wrapping_neg(),
        128 => a[0].wrapping_add(a[1]),
        129 => (f(a[0]) + f(a[1])).to_bits(),
        130 => a[0].wrapping_sub(a[1]),
        131 => (f(a[0]) - f(a[1])).to_bits(),
        132 => a[0].wrapping_mul(a[1]),
        133 => (f(a[0]) * f(a[1])).to_bits(),
        134 => a[0].checked_div(a[1]).expect("a defined division"),
        135 => signed(0)
            .checked_div(signed(1))
            .expect("a defined division") as u32,
        136 => (f(a[0]) / f(a[1])).to_bits(),
        137 => a[0].checked_rem(a[1]).expect("a defined remainder"),
        165 => u32::from(a[0] != a[1]),
        166 => a[0] | a[1],
        167 => a[0] & a[1],
        168 => u32::from(a[0] == 0),
        169 => a[if a[0] != 0 { 1 } else { 2 }],
        164 | 170 => u32::from(a[0] == a[1]),
        171 => u32::from(a[0] != a[1]),
        176 => u32::from(a[0] < a[1]),
        177 => u32::from(signed(0) < signed(1)),
        178 => u32::from(a[0] <= a[1]),
        179 => u32::from(signed(0) <= signed(1)),
        180 => u32::from(f(a[0]) == f(a[1])),
        184 => u32::from(f(a[0]) < f(a[1])),
        188 => u32::from(f(a[0]) <= f(a[1])),
        194 => a[0] >> count(1),
        195 => (signed(0) >> count(1)) as u32,
        196 => a[0] << count(1),
        197 => a[0] | a[1],
        198 => a[0] ^ a[1],
        199 => a[0] & a[1],
        200 => !a[0],
        205 => a[0].count_ones(),
        other => panic!("unknown instruction {other}"),
    }
}
