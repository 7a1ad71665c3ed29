//! The graph of one question: nodes with ranges, and edges `a - b <= w`; node 0 is the number 0.
//!
//! Edges lie with their first node, in the order in which they came, so that a question has one
//! course whatever the process.

/// No two 32-bit integers are further apart; a wider bound says nothing.
const FAR: i64 = 1 << 40;

/// Nodes, their ranges and their differences.
#[derive(Default)]
pub(crate) struct Graph {
    /// The least and the greatest number that a node may be.
    pub range: Vec<(i64, i64)>,
    /// For each node `a`, every `(b, w)` with `a - b <= w`.
    edges: Vec<Vec<(usize, i64)>>,
    /// Set by whatever says something new.
    pub changed: bool,
    /// Whether what was said contradicts itself.
    pub absurd: bool,
}

impl Graph {
    /// A new node.
    pub fn add(&mut self, range: (i64, i64)) {
        self.range.push(range);
        self.edges.push(Vec::new());
    }

    /// `a - b <= w`.
    pub fn edge(&mut self, a: usize, b: usize, w: i64) {
        if a == b {
            self.absurd |= w < 0;
            return;
        }
        if w > FAR {
            return;
        }
        let w = w.max(-FAR);
        if b == 0 {
            return self.at_most(a, w);
        }
        if a == 0 {
            return self.at_least(b, -w);
        }
        match self.edges[a].iter_mut().find(|edge| edge.0 == b) {
            Some(edge) if edge.1 <= w => return,
            Some(edge) => edge.1 = w,
            None => self.edges[a].push((b, w)),
        }
        self.changed = true;
    }

    /// Both are one number.
    pub fn equal(&mut self, a: usize, b: usize) {
        self.edge(a, b, 0);
        self.edge(b, a, 0);
    }

    pub fn at_most(&mut self, a: usize, hi: i64) {
        if hi < self.range[a].1 {
            self.range[a].1 = hi;
            self.changed = true;
            self.absurd |= self.range[a].0 > hi;
        }
    }

    pub fn at_least(&mut self, a: usize, lo: i64) {
        if lo > self.range[a].0 {
            self.range[a].0 = lo;
            self.changed = true;
            self.absurd |= lo > self.range[a].1;
        }
    }

    pub fn within(&mut self, a: usize, lo: i64, hi: i64) {
        self.at_least(a, lo);
        self.at_most(a, hi);
    }

    /// Carries each range over each edge.
    pub fn tighten(&mut self) {
        for a in 0..self.edges.len() {
            for at in 0..self.edges[a].len() {
                let (b, w) = self.edges[a][at];
                let (hi, lo) = (self.range[b].1 + w, self.range[a].0 - w);
                self.at_most(a, hi);
                self.at_least(b, lo);
            }
        }
    }

    /// The least `w` known with `a - b <= w`.
    pub fn distance(&self, a: usize, b: usize) -> Option<i64> {
        if a == b {
            return Some(0);
        }
        let mut best = vec![None; self.range.len()];
        best[b] = Some(0);
        self.relax(&mut best);
        best[a]
    }

    /// Whether some sum around a cycle is below 0.
    pub fn has_negative_cycle(&self) -> bool {
        self.relax(&mut vec![Some(0); self.range.len()])
    }

    /// Makes each `best[x]`, a bound of `x` minus some start, the least that edges and ranges give.
    /// Returns whether it would go on forever.
    fn relax(&self, best: &mut [Option<i64>]) -> bool {
        for _ in 0..=best.len() {
            let mut moved = false;
            let mut lower = |best: &mut [Option<i64>], a: usize, b: usize, w: i64| {
                if let Some(d) = best[b]
                    && best[a].is_none_or(|old| d + w < old)
                {
                    best[a] = Some(d + w);
                    moved = true;
                }
            };
            for (a, edges) in self.edges.iter().enumerate() {
                for &(b, w) in edges {
                    lower(best, a, b, w);
                }
            }
            for (node, &(lo, hi)) in self.range.iter().enumerate().skip(1) {
                lower(best, node, 0, hi);
                lower(best, 0, node, -lo);
            }
            if !moved {
                return false;
            }
        }
        true
    }
}
