import { beginFunctions } from '../code/define-function.ts'
import { encodeModule } from '../wasm/wasm-module.ts'
import { defineCurvePoints } from './curve-points.ts'
import { defineFp12 } from './fp12.ts'
import { defineLines } from './lines.ts'
import { multiplyAddProbe } from './multiply-add-probe.ts'
import { defineTwistPoints } from './twist-points.ts'

/** Generates the module with all functions. Also returns the size of the memory that they use from address 0. */
export function generatePairingModule(): { bytes: Uint8Array; scratchBytes: number } {
  const set = beginFunctions()
  defineFp12(set)
  defineLines(set)
  defineTwistPoints(set)
  defineCurvePoints(set)
  set.functions.push(multiplyAddProbe())
  return { bytes: encodeModule(set.functions), scratchBytes: set.scratchBytes }
}
