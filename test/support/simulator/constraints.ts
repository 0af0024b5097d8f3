import { modulo, r } from '../../../lib/proof/field.ts'
import type { Matrix, R1cs } from '../../../local/simulator/development-key/r1cs.ts'

type Sides = Record<Matrix, bigint>

/** Reports whether a witness satisfies every constraint: a × b = c. */
export function isSatisfied(circuit: R1cs, witness: readonly bigint[]): boolean {
  return rows(circuit, witness).every(holds)
}

/** Returns the wires that violate no constraint when their value is increased by 1. Omits wire 0, the constant 1. */
export function freeWires(circuit: R1cs, witness: readonly bigint[]): number[] {
  const sums = rows(circuit, witness)
  const changes = rowsWhenIncremented(circuit, sums)
  return changes.flatMap((changed, wire) =>
    wire > 0 && [...changed.values()].every(holds) ? [wire] : [],
  )
}

function holds({ a, b, c }: Sides): boolean {
  return modulo(a * b - c, r) === 0n
}

function rows({ constraints, terms }: R1cs, witness: readonly bigint[]): Sides[] {
  const sums = Array.from({ length: constraints }, (): Sides => ({ a: 0n, b: 0n, c: 0n }))
  for (const { matrix, constraint, wire, value } of terms) {
    const sides = sums[constraint]
    if (sides) sides[matrix] += value * (witness[wire] ?? 0n)
  }
  return sums
}

/** Returns, for each wire, its constraints after the wire's value has been increased by 1. */
function rowsWhenIncremented({ wires, terms }: R1cs, sums: readonly Sides[]) {
  const changes = Array.from({ length: wires }, () => new Map<number, Sides>())
  for (const { matrix, constraint, wire, value } of terms) {
    const sum = sums[constraint]
    const sides = changes[wire]?.get(constraint) ?? (sum && { ...sum })
    if (!sides) continue
    sides[matrix] += value
    changes[wire]?.set(constraint, sides)
  }
  return changes
}
