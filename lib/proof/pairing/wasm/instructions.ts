/**
 * Writes the bytes of WebAssembly code that pushes a value onto the stack.
 *
 * @see https://webassembly.github.io/spec/core/binary/instructions.html (with the relaxed vector instructions)
 */
export type Code = (bytes: number[]) => void

/** The first byte of every vector instruction. */
const VECTOR_PREFIX = 0xfd

/** Arithmetic on two 64-bit floats. */
export const f64x2 = {
  add: binary(0xf0),
  subtract: binary(0xf1),
  multiply: binary(0xf2),
  negate: unary(0xed),
  /** a·b + c, rounded once (the fused multiply-add of IEEE 754) if the processor and V8 support it. */
  multiplyAdd: ternary(0x107),
  /** c − a·b, rounded once under the same condition. */
  multiplySubtract: ternary(0x108),
}

/** Arithmetic on two 64-bit integers, modulo 2^64. */
export const i64x2 = {
  add: binary(0xce),
  subtract: binary(0xd1),
  /** Unsigned shift: fills with zeros from the left. */
  shiftRight: (a: Code, bits: number): Code => joined(a, i32(bits), vector(0xcd)),
}

/** Operations on two 64-bit lanes of any type. */
export const v128 = {
  and: binary(0x4e),
  or: binary(0x50),
  xor: binary(0x51),
  constant: (first: bigint, second: bigint): Code =>
    joined(vector(0x0c), eightBytes(first), eightBytes(second)),
  load: (pointer: Code, offset: number): Code => joined(pointer, vector(0x00), at(offset)),
  /** Loads 64 bits of memory into both lanes. */
  loadBoth: (pointer: Code, offset: number): Code => joined(pointer, vector(0x0a), at(offset)),
  /** A statement: pushes nothing onto the stack. */
  store: (pointer: Code, offset: number, value: Code): Code =>
    joined(pointer, value, vector(0x0b), at(offset)),
  /** The lanes (a₁, a₀). */
  exchange: (a: Code): Code => lanes(a, a, [1, 0]),
  /** These three return the lanes (a₀, b₀), (a₁, b₁) and (a₀, b₁). */
  firstLanes: (a: Code, b: Code): Code => lanes(a, b, [0, 2]),
  secondLanes: (a: Code, b: Code): Code => lanes(a, b, [1, 3]),
  firstAndSecond: (a: Code, b: Code): Code => lanes(a, b, [0, 3]),
}

/** Pushes a 32-bit integer. */
export function i32(n: number): Code {
  return joined(opcode(0x41), (bytes) => writeSigned(bytes, n))
}

export function addPointers(a: Code, b: Code): Code {
  return joined(a, b, opcode(0x6a))
}

export function readLocal(index: number): Code {
  const number = unsigned(index)
  return (bytes) => {
    bytes.push(0x20)
    number(bytes)
  }
}

/** A statement: pushes nothing onto the stack. */
export function writeLocal(index: number, value: Code): Code {
  return joined(value, opcode(0x21), unsigned(index))
}

export function callFunction(index: number, operands: readonly Code[]): Code {
  return joined(...operands, opcode(0x10), unsigned(index))
}

/** Writes a number in unsigned LEB128. */
export function unsigned(n: number): Code {
  return (bytes) => {
    let remainder = n
    for (; remainder > 0x7f; remainder >>>= 7) bytes.push((remainder & 0x7f) | 0x80)
    bytes.push(remainder)
  }
}

function writeSigned(bytes: number[], n: number): void {
  let remainder = n
  for (; remainder < -0x40 || remainder > 0x3f; remainder >>= 7)
    bytes.push((remainder & 0x7f) | 0x80)
  bytes.push(remainder & 0x7f)
}

/** Concatenates parts of code. */
function joined(...parts: readonly Code[]): Code {
  return (bytes) => {
    for (const part of parts) part(bytes)
  }
}

function opcode(byte: number): Code {
  return (bytes) => {
    bytes.push(byte)
  }
}

/** Writes a vector instruction. The instructions in this file have codes of at most two bytes. */
function vector(code: number): Code {
  const encoded: number[] = []
  unsigned(code)(encoded)
  const [first = 0, second] = encoded
  if (second === undefined) return (bytes) => void bytes.push(VECTOR_PREFIX, first)
  return (bytes) => void bytes.push(VECTOR_PREFIX, first, second)
}

function unary(code: number): (a: Code) => Code {
  const instruction = vector(code)
  return (a) => (bytes) => {
    a(bytes)
    instruction(bytes)
  }
}

function binary(code: number): (a: Code, b: Code) => Code {
  const instruction = vector(code)
  return (a, b) => (bytes) => {
    a(bytes)
    b(bytes)
    instruction(bytes)
  }
}

function ternary(code: number): (a: Code, b: Code, c: Code) => Code {
  const instruction = vector(code)
  return (a, b, c) => (bytes) => {
    a(bytes)
    b(bytes)
    c(bytes)
    instruction(bytes)
  }
}

/** Writes a memory argument: the alignment (8 bytes) and the offset from the pointer. */
function at(offset: number): Code {
  return joined(opcode(3), unsigned(offset))
}

function eightBytes(n: bigint): Code {
  return (bytes) => {
    for (let shift = 0n; shift < 64n; shift += 8n) bytes.push(Number((n >> shift) & 0xffn))
  }
}

/** Selects two of the four lanes a₀, a₁, b₀, b₁. */
function lanes(a: Code, b: Code, [first, second]: readonly [number, number]): Code {
  return joined(a, b, vector(0x0d), (bytes) => {
    for (const lane of [first, second]) for (let i = 0; i < 8; i++) bytes.push(8 * lane + i)
  })
}
