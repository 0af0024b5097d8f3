import { createPairingUnit, type PairingModule } from './pairing-unit.ts'

/**
 * Whether a multiply-add rounds once, which all products depend on. It does where the processor has the instruction
 * (x86-64 since 2013, every ARM of 64 bits) and V8 uses it.
 */
export function isMultiplyAddFused(module: PairingModule): boolean {
  const unit = createPairingUnit(module, 2)
  const [operands, results] = [unit.allocate(1), unit.allocate(1)]
  return FACTORS.every((a) => {
    // What is left of the product when its rounded value is taken away: 0 if it was rounded before.
    const rounded = a * a
    const left = (a - 1) ** 2
    unit.floats.set([a, a, a, a, -rounded, -rounded], operands / 8)
    unit.run.multiplyAddTwice(results, operands)
    const [sum1, sum2] = unit.floats.subarray(results / 8)
    unit.floats.set([rounded, rounded], operands / 8 + 4)
    unit.run.multiplyAddTwice(results, operands)
    const [, , difference1, difference2] = unit.floats.subarray(results / 8)
    return (
      [sum1, sum2].every((n) => n === left) && [difference1, difference2].every((n) => n === -left)
    )
  })
}

/** 1 + e, whose square is 1 + 2e + e²; a float has no room for e² beside 1. */
const FACTORS = [1 + 2 ** -30, 1 + 2 ** -40, 1 + 2 ** -52]
