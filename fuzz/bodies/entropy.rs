//! Choices made from a fuzzer's bytes: the same bytes always choose the same.

/// Bytes that run out: from then on every choice is the first one, so that every input ends.
pub struct Entropy<'a> {
    bytes: &'a [u8],
}

impl<'a> Entropy<'a> {
    pub fn new(bytes: &'a [u8]) -> Entropy<'a> {
        Entropy { bytes }
    }

    pub fn is_empty(&self) -> bool {
        self.bytes.is_empty()
    }

    pub fn byte(&mut self) -> u8 {
        match self.bytes.split_first() {
            Some((&first, rest)) => {
                self.bytes = rest;
                first
            }
            None => 0,
        }
    }

    /// A number below `bound`, which is at most 65,536 and not 0.
    pub fn below(&mut self, bound: usize) -> usize {
        if bound <= 256 {
            usize::from(self.byte()) % bound
        } else {
            (usize::from(self.byte()) << 8 | usize::from(self.byte())) % bound
        }
    }

    /// True once in `times`, and never when the bytes have run out.
    pub fn once_in(&mut self, times: usize) -> bool {
        !self.is_empty() && self.below(times) == times - 1
    }

    pub fn pick<'b, T>(&mut self, of: &'b [T]) -> &'b T {
        &of[self.below(of.len())]
    }

    pub fn number(&mut self) -> u64 {
        (0..8).fold(0, |number, _| number << 8 | u64::from(self.byte()))
    }

    /// Up to `length` of the bytes themselves.
    pub fn take(&mut self, length: usize) -> &'a [u8] {
        let (taken, rest) = self.bytes.split_at(length.min(self.bytes.len()));
        self.bytes = rest;
        taken
    }

    /// All that is left.
    pub fn rest(&mut self) -> &'a [u8] {
        std::mem::take(&mut self.bytes)
    }
}
