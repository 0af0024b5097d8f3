import { type Code, readLocal, v128, writeLocal } from './instructions.ts'

/** A function under construction: straight-line code, whose parameters are pointers and whose locals are vectors. */
export type FunctionCode = {
  name: string
  parameters: number
  /** How many locals it has. */
  locals: number
  bytes: number[]
  /** The constants that are in locals: the same in both lanes by value, others by both values. */
  floats: Map<number, Code>
  constants: Map<bigint, Map<bigint, Code>>
}

/** A function whose only parameter is, for the time being, the pointer to its result. */
export function beginFunction(name: string): FunctionCode {
  return { name, parameters: 1, locals: 0, bytes: [], floats: new Map(), constants: new Map() }
}

/**
 * Adds a parameter.
 *
 * @returns its index, for `readLocal`
 * @throws RangeError if there are locals already, as they are numbered after the parameters
 */
export function addParameter(code: FunctionCode): number {
  if (code.locals > 0) throw new RangeError(`${code.name} takes an argument too late.`)
  return code.parameters++
}

/** Appends a statement. */
export function appendCode({ bytes }: FunctionCode, statement: Code): void {
  statement(bytes)
}

/** Computes a value now; what is returned reads it, as often as needed. */
export function holdValue(code: FunctionCode, value: Code): Code {
  const index = code.parameters + code.locals++
  appendCode(code, writeLocal(index, value))
  return readLocal(index)
}

/** A pair of 64 bits, which is loaded once for each function. */
export function holdConstant(code: FunctionCode, first: bigint, second = first): Code {
  const held = code.constants.get(first)?.get(second)
  if (held !== undefined) return held
  const constant = holdValue(code, v128.constant(first, second))
  const same = code.constants.get(first) ?? new Map<bigint, Code>()
  code.constants.set(first, same.set(second, constant))
  return constant
}

/** The same float in both lanes. */
export function holdFloat(code: FunctionCode, value: number): Code {
  const constant = code.floats.get(value) ?? holdConstant(code, bitsOfFloat(value))
  code.floats.set(value, constant)
  return constant
}

/** The 64 bits of a float, as an integer. */
export function bitsOfFloat(value: number): bigint {
  return new BigUint64Array(new Float64Array([value]).buffer)[0] ?? 0n
}
