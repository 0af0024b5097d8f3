/**
 * Code that leaves one value on the stack of WebAssembly's machine, as a function which writes its bytes.
 *
 * @see https://webassembly.github.io/spec/core/binary/instructions.html (with the relaxed vector instructions)
 */
export type Code = (bytes: number[]) => void

/** The first byte of every vector instruction. */
const VECTOR_PREFIX = 0xfd

/** Arithmetic on two floats of 64 bits. */
export const f64x2 = {
  add: binary(0xf0),
  subtract: binary(0xf1),
  multiply: binary(0xf2),
  negate: unary(0xed),
  /** a·b + c. Rounded once where the processor can do so and V8 lets it: then it is the fused multiply-add of IEEE 754. */
  multiplyAdd: ternary(0x107),
  /** c − a·b, likewise. */
  multiplySubtract: ternary(0x108),
}

/** Arithmetic on two integers of 64 bits, modulo 2^64. */
export const i64x2 = {
  add: binary(0xce),
  subtract: binary(0xd1),
  /** Fills with zeros from the left. */
  shiftRight: (a: Code, bits: number): Code => joined(a, i32(bits), vector(0xcd)),
}

/** Operations on two lanes of 64 bits, whatever they hold. */
export const v128 = {
  and: binary(0x4e),
  or: binary(0x50),
  xor: binary(0x51),
  constant: (first: bigint, second: bigint): Code =>
    joined(vector(0x0c), eightBytes(first), eightBytes(second)),
  load: (pointer: Code, offset: number): Code => joined(pointer, vector(0x00), at(offset)),
  /** Both lanes are the 64 bits in memory. */
  loadBoth: (pointer: Code, offset: number): Code => joined(pointer, vector(0x0a), at(offset)),
  /** A statement: it leaves nothing on the stack. */
  store: (pointer: Code, offset: number, value: Code): Code =>
    joined(pointer, value, vector(0x0b), at(offset)),
  /** The lanes (a₁, a₀). */
  exchange: (a: Code): Code => lanes(a, a, [1, 0]),
  /** The lanes (a₀, b₀), (a₁, b₁) or (a₀, b₁). */
  firstLanes: (a: Code, b: Code): Code => lanes(a, b, [0, 2]),
  secondLanes: (a: Code, b: Code): Code => lanes(a, b, [1, 3]),
  firstAndSecond: (a: Code, b: Code): Code => lanes(a, b, [0, 3]),
}

/** An integer of 32 bits. */
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

/** A statement, as is the next. */
export function writeLocal(index: number, value: Code): Code {
  return joined(value, opcode(0x21), unsigned(index))
}

export function callFunction(index: number, operands: readonly Code[]): Code {
  return joined(...operands, opcode(0x10), unsigned(index))
}

/** A number in LEB128. */
export function unsigned(n: number): Code {
  return (bytes) => {
    let rest = n
    for (; rest > 0x7f; rest >>>= 7) bytes.push((rest & 0x7f) | 0x80)
    bytes.push(rest)
  }
}

function writeSigned(bytes: number[], n: number): void {
  let rest = n
  for (; rest < -0x40 || rest > 0x3f; rest >>= 7) bytes.push((rest & 0x7f) | 0x80)
  bytes.push(rest & 0x7f)
}

/** Code of several parts, one after the other. */
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

/** A vector instruction; all that we use have codes of one or two bytes. */
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

/** Where in memory: an offset to the pointer, which is said to be a multiple of 8. */
function at(offset: number): Code {
  return joined(opcode(3), unsigned(offset))
}

function eightBytes(n: bigint): Code {
  return (bytes) => {
    for (let shift = 0n; shift < 64n; shift += 8n) bytes.push(Number((n >> shift) & 0xffn))
  }
}

/** Two of the four lanes a₀, a₁, b₀, b₁. */
function lanes(a: Code, b: Code, [first, second]: readonly [number, number]): Code {
  return joined(a, b, vector(0x0d), (bytes) => {
    for (const lane of [first, second]) for (let i = 0; i < 8; i++) bytes.push(8 * lane + i)
  })
}
