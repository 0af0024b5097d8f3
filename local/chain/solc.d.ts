/** The part of solc that this project uses; the package has no types of its own. */
declare module 'solc' {
  const solc: {
    /** Takes and gives the compiler's standard JSON, as text. */
    compile(input: string): string
  }
  export = solc
}
