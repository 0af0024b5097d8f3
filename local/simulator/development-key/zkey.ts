import { modulo, p, r } from '../../../lib/proof/field.ts'
import type { R1cs, Term } from './r1cs.ts'

/** The affine points of a proving key, in the format of the curve's WebAssembly. The digit in a name is the group. */
export type ProvingPoints = {
  /** alpha1, beta1, beta2, gamma2, delta1, delta2 */
  header: Uint8Array
  /** A point for the constant, then a point for each public signal. */
  ic1: Uint8Array
  /** A point for each wire. */
  a1: Uint8Array
  b1: Uint8Array
  b2: Uint8Array
  /** A point for each private wire. */
  c1: Uint8Array
  /** A point for each coefficient of the quotient. */
  h1: Uint8Array
}

type Parts = {
  circuit: R1cs
  domainSize: number
  /** The terms of matrices a and b, which the prover multiplies by the witness. */
  terms: readonly Term[]
  points: ProvingPoints
}

/** Writes a Groth16 proving key in snarkjs' format (`.zkey`). */
export function zkeyFile(parts: Parts): Uint8Array {
  const { ic1, a1, b1, b2, c1, h1 } = parts.points
  const middleSections = [ic1, zkeyCoefficients(parts.terms), a1, b1, b2, c1, h1]
  const sections = [GROTH16, zkeyHeader(parts), ...middleSections, NO_CONTRIBUTIONS]
  const numberedSections = sections.flatMap((section, index) => [
    littleEndian32(index + 1),
    littleEndian(BigInt(section.length), 8),
    section,
  ])
  return Buffer.concat([
    Buffer.from('zkey'),
    littleEndian32(VERSION),
    littleEndian32(sections.length),
    ...numberedSections,
  ])
}

const VERSION = 1
const GROTH16 = littleEndian32(1)
/** The hash of the circuit and the number of participants, which only a ceremony needs. */
const NO_CONTRIBUTIONS = Buffer.alloc(64 + 4)

function zkeyHeader({ circuit, domainSize, points }: Parts): Uint8Array {
  return Buffer.concat([
    ...[littleEndian32(32), littleEndian(p, 32)],
    ...[littleEndian32(32), littleEndian(r, 32)],
    ...[
      littleEndian32(circuit.wires),
      littleEndian32(circuit.publicWires),
      littleEndian32(domainSize),
    ],
    points.header,
  ])
}

function zkeyCoefficients(terms: readonly Term[]): Uint8Array {
  const rows = terms.flatMap(({ matrix, constraint, wire, value }) => [
    littleEndian32(matrix === 'a' ? 0 : 1),
    littleEndian32(constraint),
    littleEndian32(wire),
    // In double Montgomery form (2^512), because the prover multiplies by a witness that is not in Montgomery form.
    littleEndian(modulo(value << 512n, r), 32),
  ])
  return Buffer.concat([littleEndian32(terms.length), ...rows])
}

function littleEndian32(n: number): Uint8Array {
  const bytes = Buffer.alloc(4)
  bytes.writeUInt32LE(n)
  return bytes
}

function littleEndian(n: bigint, size: number): Uint8Array {
  const digits = n.toString(16).padStart(2 * size, '0')
  return Buffer.from(digits, 'hex').reverse()
}
