import { ELEMENT_BYTES } from '../field/limbs.ts'
import { REDUCED, requireAtMost, type Size } from '../field/size.ts'
import {
  addParameter,
  appendCode,
  beginFunction,
  type FunctionCode,
} from '../wasm/function-code.ts'
import { addPointers, type Code, callFunction, i32, readLocal, v128 } from '../wasm/instructions.ts'
import {
  createElementArithmetic,
  inLocals,
  type Operand,
  type Place,
} from './element-arithmetic.ts'
import { multiplicationKernels, requireExactProducts } from './kernels.ts'
import type { Element } from './reduction.ts'

/** A product of two operands. */
export type Product = readonly [Operand, Operand]

/** The operations for the body of a function. */
export type Arithmetic = ReturnType<typeof createElementArithmetic> & {
  /**
   * Takes the next argument, a pointer to consecutive elements. Returns the function that gets an element by its index.
   */
  argument(): (index: number) => Place
  /** Stores an element in memory, so that it can be a factor more than once. */
  keep(element: Operand): Place
  /** Adds one to three products in Fp2. */
  products(...terms: readonly Product[]): Place
  /** Adds one or two products in Fp, in each lane. */
  laneProducts(...terms: readonly Product[]): Place
  square(a: Operand): Place
}

/**
 * The functions of a module, the kernels first. All functions can use the same memory from address 0, because they call
 * only kernels, and kernels use no such memory.
 */
export type FunctionSet = { functions: FunctionCode[]; scratchBytes: number }

export function beginFunctions(): FunctionSet {
  return { functions: multiplicationKernels(), scratchBytes: 0 }
}

/**
 * Defines a function of WebAssembly. Its first parameter points to the results, which are consecutive elements; the
 * other parameters point to arguments. Results may overwrite arguments, because results are written last. Every
 * function relies on reduced arguments, so the size of each result is checked here.
 *
 * @param body computes the results; must take all arguments first
 */
export function defineFunction(
  set: FunctionSet,
  name: string,
  body: (f: Arithmetic) => readonly Operand[],
): void {
  const code = beginFunction(name)
  const results = body(arithmeticWithCalls(set, code)).map((result) =>
    'isArgument' in result && result.isArgument ? inLocals(code, result) : result,
  )
  results.forEach((result, i) => {
    requireReduced(result.size, `result ${i} of ${name}`)
    storeElement(code, inLocals(code, result), readLocal(0), ELEMENT_BYTES * i)
  })
  set.functions.push(code)
}

function arithmeticWithCalls(set: FunctionSet, code: FunctionCode): Arithmetic {
  let nextOffset = 0
  const newPlace = (size: Size): Place => {
    const place = { pointer: i32(0), offset: nextOffset, size, isArgument: false }
    nextOffset += ELEMENT_BYTES
    set.scratchBytes = Math.max(set.scratchBytes, nextOffset)
    return place
  }
  const keep = (operand: Operand): Place => {
    if (!('limbs' in operand)) return operand
    const place = newPlace(operand.size)
    storeElement(code, operand, place.pointer, place.offset)
    return place
  }
  const call = (name: string, operands: readonly Operand[]): Place => {
    const pointers = operands.map((operand) => pointerTo(keep(operand)))
    const result = newPlace(REDUCED)
    appendCode(code, callFunction(indexOf(set, name), [pointerTo(result), ...pointers]))
    return result
  }
  const sum = (kernel: string, perLane: bigint, terms: readonly Product[]): Place => {
    requireExactProducts(
      terms.map(([a, b]) => [a.size, b.size]),
      perLane,
    )
    return call(`${kernel}${terms.length}`, terms.flat())
  }
  return {
    ...createElementArithmetic(code),
    argument() {
      const pointer = readLocal(addParameter(code))
      return (index) => ({
        pointer,
        offset: ELEMENT_BYTES * index,
        size: REDUCED,
        isArgument: true,
      })
    },
    keep,
    products: (...terms) => sum('fp2Products', 2n, terms),
    laneProducts: (...terms) => sum('laneProducts', 1n, terms),
    square(a) {
      requireReduced(a.size, 'a square')
      return call('fp2Square', [a])
    },
  }
}

function indexOf({ functions }: FunctionSet, name: string): number {
  const index = functions.findIndex((code) => code.name === name)
  if (index < 0) throw new RangeError(`There is no function ${name}.`)
  return index
}

function pointerTo({ pointer, offset }: Place): Code {
  return offset === 0 ? pointer : addPointers(pointer, i32(offset))
}

function storeElement(code: FunctionCode, { limbs }: Element, pointer: Code, offset: number): void {
  limbs.forEach((limb, i) => {
    appendCode(code, v128.store(pointer, offset + 16 * i, limb))
  })
}

function requireReduced({ limb, value }: Size, name: string): void {
  requireAtMost(limb, REDUCED.limb, name)
  requireAtMost(value, REDUCED.value, name)
}
