/** What we use of the JavaScript API of WebAssembly; Node's types leave it to those of browsers. */
declare namespace WebAssembly {
  /** Whether the bytes are a module that V8 can compile. */
  function validate(bytes: Uint8Array): boolean
  /** Compiled code. It may be sent to a thread, which then shares it. */
  class Module {
    constructor(bytes: Uint8Array)
  }
  class Instance {
    constructor(module: Module, imports: Record<string, Record<string, Memory>>)
    readonly exports: Readonly<Record<string, unknown>>
  }
  class Memory {
    /** @param descriptor pages of 64 KiB */
    constructor(descriptor: { initial: number })
    readonly buffer: ArrayBuffer
  }
}
