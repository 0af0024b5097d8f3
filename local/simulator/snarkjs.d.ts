/** The part of snarkjs that this project uses. The package contains no types. */
declare module 'snarkjs' {
  export type SnarkjsProof = {
    pi_a: [string, string, string]
    pi_b: [[string, string], [string, string], [string, string]]
    pi_c: [string, string, string]
    protocol: string
    curve: string
  }

  /** A verification key; every number is a decimal text. */
  export type SnarkjsKey = {
    protocol: string
    curve: string
    nPublic: number
    vk_alpha_1: string[]
    vk_beta_2: string[][]
    vk_gamma_2: string[][]
    vk_delta_2: string[][]
    IC: string[][]
  }

  /** A group of points. A Jacobian point has three coordinates, an affine point two. */
  export type CurveGroup<Affine> = {
    /** The prefix of the names of this group's WebAssembly functions. */
    prefix: string
    /** The bytes of a coordinate. */
    F: { n8: number }
    /** The generator as a Jacobian point. */
    g: Uint8Array
    add(a: Uint8Array, b: Uint8Array): Uint8Array
    timesScalar(point: Uint8Array, scalar: bigint): Uint8Array
    toAffine(point: Uint8Array): Uint8Array
    batchToAffine(points: Uint8Array): Promise<Uint8Array>
    fromObject(coordinates: Affine): Uint8Array
    toObject(point: Uint8Array): Affine
  }

  export type Curve = {
    G1: CurveGroup<[bigint, bigint, bigint]>
    G2: CurveGroup<[[bigint, bigint], [bigint, bigint], [bigint, bigint]]>
    /** The WebAssembly instance and its memory. */
    tm: {
      alloc(bytes: number): number
      setBuff(pointer: number, bytes: Uint8Array): void
      getBuff(pointer: number, bytes: number): Uint8Array
      instance: { exports: Record<string, (...pointers: number[]) => void> }
    }
    terminate(): Promise<void>
  }

  export const curves: {
    getCurveFromName(name: 'bn128', options?: { singleThread: boolean }): Promise<Curve>
  }

  export type CircuitInputs = Record<string, bigint | readonly (bigint | number)[]>

  /** A file in memory. */
  export type MemoryFile = { type: 'mem' }

  export const wtns: {
    calculate(inputs: CircuitInputs, wasm: string, witness: MemoryFile): Promise<void>
    exportJson(witness: MemoryFile): Promise<bigint[]>
  }

  export const groth16: {
    fullProve(
      inputs: CircuitInputs,
      wasm: string,
      zkey: string,
      logger: undefined,
      witnessOptions: undefined,
      proverOptions: { singleThread: boolean },
    ): Promise<{ proof: SnarkjsProof; publicSignals: string[] }>
    verify(key: SnarkjsKey, publicSignals: readonly string[], proof: SnarkjsProof): Promise<boolean>
  }
}

/** snarkjs' variable for its curve. `verify` uses a single-thread curve that is stored here. */
declare var curve_bn128: import('snarkjs').Curve | null
