/** A circuit as a rank-1 constraint system: rows of (a · wires) × (b · wires) = c · wires. */
export type R1cs = {
  /** The number of wires: the constant 1, then the public wires, then the private wires. */
  wires: number
  /** The number of public wires, without the constant. */
  publicWires: number
  constraints: number
  /** The non-zero entries of the three matrices. */
  terms: readonly Term[]
}

export type Term = { matrix: Matrix; constraint: number; wire: number; value: bigint }

const MATRICES = ['a', 'b', 'c'] as const
export type Matrix = (typeof MATRICES)[number]

const HEADER = 1
const CONSTRAINTS = 2

/** Reads an `.r1cs` file of the circom compiler. */
export function readR1cs(file: Uint8Array): R1cs {
  const sections = findSections(file)
  const header = sections.get(HEADER)
  const body = sections.get(CONSTRAINTS)
  if (!header || !body)
    throw new Error('The r1cs file has no header section or no constraints section.')
  const modulusBytes = header.u32()
  header.skip(modulusBytes)
  const [wires, outputs, publicInputs] = [header.u32(), header.u32(), header.u32()]
  const privateInputs = header.u32()
  const labels = header.u64()
  if (privateInputs > wires || labels < wires)
    throw new Error(
      `The r1cs file is damaged: ${privateInputs} private inputs, ${wires} wires, ${labels} labels.`,
    )
  const constraints = header.u32()
  const terms = Array.from(readTerms(body, constraints))
  return { wires, publicWires: outputs + publicInputs, constraints, terms }
}

function findSections(file: Uint8Array) {
  const sections = new Map<number, Reader>()
  const reader = readerOf(file, MAGIC_AND_VERSION)
  for (let remaining = reader.u32(); remaining > 0; remaining--) {
    const type = reader.u32()
    const size = reader.u64()
    sections.set(type, readerOf(file, reader.position()))
    reader.skip(size)
  }
  return sections
}

const MAGIC_AND_VERSION = 8

function* readTerms(body: Reader, constraints: number): Generator<Term> {
  for (let constraint = 0; constraint < constraints; constraint++)
    for (const matrix of MATRICES)
      for (let remaining = body.u32(); remaining > 0; remaining--)
        yield { matrix, constraint, wire: body.u32(), value: body.field() }
}

type Reader = ReturnType<typeof readerOf>

/** Creates a reader of consecutive little-endian numbers. */
function readerOf(file: Uint8Array, start: number) {
  const view = new DataView(file.buffer, file.byteOffset, file.byteLength)
  let at = start

  function skip(bytes: number) {
    at += bytes
  }

  function u32(): number {
    skip(4)
    return view.getUint32(at - 4, true)
  }

  function limb(): bigint {
    skip(8)
    return view.getBigUint64(at - 8, true)
  }

  function field(): bigint {
    return limb() | (limb() << 64n) | (limb() << 128n) | (limb() << 192n)
  }

  return { skip, u32, u64: () => Number(limb()), field, position: () => at }
}
