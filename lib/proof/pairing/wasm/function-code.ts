import { type Code, readLocal, v128, writeLocal } from './instructions.ts'

/** A function under construction: code without branches. Its parameters are pointers, its locals are vectors. */
export type FunctionCode = {
  name: string
  /** The number of parameters. */
  parameters: number
  /** The number of locals. */
  locals: number
  bytes: number[]
  /**
   * The locals that hold constants. `floats` finds a float in both lanes; `constants` finds a pair of 64-bit values.
   */
  floats: Map<number, Code>
  constants: Map<bigint, Map<bigint, Code>>
}

/** Begins a function with its first parameter, the pointer to its result. */
export function beginFunction(name: string): FunctionCode {
  return { name, parameters: 1, locals: 0, bytes: [], floats: new Map(), constants: new Map() }
}

/**
 * Adds a parameter.
 *
 * @returns its index, for `readLocal`
 * @throws RangeError if the function already has locals, which are numbered after the parameters
 */
export function addParameter(code: FunctionCode): number {
  if (code.locals > 0)
    throw new RangeError(`${code.name} must take its arguments before it computes anything.`)
  return code.parameters++
}

export function appendCode({ bytes }: FunctionCode, statement: Code): void {
  statement(bytes)
}

/** Computes a value and stores it in a local. Returns the code that reads the local. */
export function holdValue(code: FunctionCode, value: Code): Code {
  const index = code.parameters + code.locals++
  appendCode(code, writeLocal(index, value))
  return readLocal(index)
}

/** Returns a constant of two 64-bit lanes. A function loads each constant once. */
export function holdConstant(code: FunctionCode, first: bigint, second = first): Code {
  const knownConstant = code.constants.get(first)?.get(second)
  if (knownConstant !== undefined) return knownConstant
  const constant = holdValue(code, v128.constant(first, second))
  const bySecond = code.constants.get(first) ?? new Map<bigint, Code>()
  code.constants.set(first, bySecond.set(second, constant))
  return constant
}

/** Returns a constant with the same float in both lanes. */
export function holdFloat(code: FunctionCode, value: number): Code {
  const constant = code.floats.get(value) ?? holdConstant(code, bitsOfFloat(value))
  code.floats.set(value, constant)
  return constant
}

/** Returns the 64 bits of a float, as an integer. */
export function bitsOfFloat(value: number): bigint {
  return new BigUint64Array(new Float64Array([value]).buffer)[0] ?? 0n
}
