import {
  addParameter,
  appendCode,
  beginFunction,
  type FunctionCode,
} from '../wasm/function-code.ts'
import { f64x2, readLocal, v128 } from '../wasm/instructions.ts'

/**
 * Builds the function that computes a·b + c and c − a·b of pairs of floats. In WebAssembly, the machine decides whether the
 * product is rounded before the addition; see `isMultiplyAddFused`.
 */
export function multiplyAddProbe(): FunctionCode {
  const code = beginFunction('multiplyAddTwice')
  const pointer = readLocal(addParameter(code))
  const [a, b, c] = [v128.load(pointer, 0), v128.load(pointer, 16), v128.load(pointer, 32)]
  appendCode(code, v128.store(readLocal(0), 0, f64x2.multiplyAdd(a, b, c)))
  appendCode(code, v128.store(readLocal(0), 16, f64x2.multiplySubtract(a, b, c)))
  return code
}
