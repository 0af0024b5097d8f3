import type { FunctionCode } from './function-code.ts'
import { type Code, unsigned } from './instructions.ts'

/**
 * Encodes a module that exports these functions by name. The functions have no results; the module imports its memory as
 * `pairing.memory`.
 *
 * @see https://webassembly.github.io/spec/core/binary/modules.html
 */
export function encodeModule(functions: readonly FunctionCode[]): Uint8Array {
  const counts = [...new Set(functions.map(({ parameters }) => parameters))]
  const types = counts.map((count) => Uint8Array.of(FUNCTION, count, ...Array(count).fill(I32), 0))
  const typeOf = ({ parameters }: FunctionCode) => Uint8Array.of(counts.indexOf(parameters))
  const memory = [encodeName('pairing'), encodeName('memory'), Uint8Array.of(MEMORY, 0, 1)]
  return Buffer.concat([
    HEADER,
    section(1, encodeList(types)),
    section(2, encodeList([Buffer.concat(memory)])),
    section(3, encodeList(functions.map(typeOf))),
    section(7, encodeList(functions.map(exportEntry))),
    section(10, encodeList(functions.map(functionBody))),
  ])
}

/** "\0asm", and version 1. */
const HEADER = Uint8Array.of(0x00, 0x61, 0x73, 0x6d, 1, 0, 0, 0)
const [FUNCTION, I32, VECTOR, MEMORY, END] = [0x60, 0x7f, 0x7b, 2, 0x0b]

function section(id: number, content: Uint8Array): Uint8Array {
  return Buffer.concat([Uint8Array.of(id), encoded(unsigned(content.length)), content])
}

function encodeList(items: readonly Uint8Array[]): Uint8Array {
  return Buffer.concat([encoded(unsigned(items.length)), ...items])
}

function encodeName(text: string): Uint8Array {
  return Buffer.concat([encoded(unsigned(text.length)), Buffer.from(text)])
}

function exportEntry({ name }: FunctionCode, index: number): Uint8Array {
  return Buffer.concat([encodeName(name), Uint8Array.of(0), encoded(unsigned(index))])
}

/** Encodes the locals of a function, all vectors, and its code. */
function functionBody({ locals, bytes }: FunctionCode): Uint8Array {
  const declaration = Buffer.concat([encoded(unsigned(locals)), Uint8Array.of(VECTOR)])
  const body = [encodeList([declaration]), Uint8Array.from(bytes), Uint8Array.of(END)]
  const size = body.reduce((sum, { length }) => sum + length, 0)
  return Buffer.concat([encoded(unsigned(size)), ...body])
}

function encoded(code: Code): Uint8Array {
  const bytes: number[] = []
  code(bytes)
  return Uint8Array.from(bytes)
}
