/**
 * The part of WebAssembly's JavaScript API that we use. Only TypeScript's types for browsers include it, not Node's.
 */
declare namespace WebAssembly {
  /** True if V8 can compile the module. */
  function validate(bytes: Uint8Array): boolean
  /** Compiled code. It can be sent to a thread, which then shares it. */
  class Module {
    constructor(bytes: Uint8Array)
  }
  class Instance {
    constructor(module: Module, imports: Record<string, Record<string, Memory>>)
    readonly exports: Readonly<Record<string, unknown>>
  }
  class Memory {
    /** @param descriptor the initial size in pages of 64 KiB */
    constructor(descriptor: { initial: number })
    readonly buffer: ArrayBuffer
  }
}
