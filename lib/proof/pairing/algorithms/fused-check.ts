import { createPairingUnit, type PairingModule } from './pairing-unit.ts'

/**
 * True if a multiply-add rounds only once. Only then are all products exact. This requires a processor with the
 * instruction (x86-64 since 2013, every 64-bit ARM), and a V8 that uses the instruction.
 */
export function isMultiplyAddFused(module: PairingModule): boolean {
  const unit = createPairingUnit(module, 2)
  const [operands, results] = [unit.allocate(1), unit.allocate(1)]
  return FACTORS.every((a) => {
    // The product minus its rounded value. A multiply-add that rounds twice gives 0 instead.
    const rounded = a * a
    const remainder = (a - 1) ** 2
    unit.floats.set([a, a, a, a, -rounded, -rounded], operands / 8)
    unit.run.multiplyAddTwice(results, operands)
    const [sum1, sum2] = unit.floats.subarray(results / 8)
    unit.floats.set([rounded, rounded], operands / 8 + 4)
    unit.run.multiplyAddTwice(results, operands)
    const [, , difference1, difference2] = unit.floats.subarray(results / 8)
    return (
      [sum1, sum2].every((n) => n === remainder) &&
      [difference1, difference2].every((n) => n === -remainder)
    )
  })
}

/** Numbers 1 + e. The square is 1 + 2e + e², but a float near 1 has no bits for e². */
const FACTORS = [1 + 2 ** -30, 1 + 2 ** -40, 1 + 2 ** -52]
