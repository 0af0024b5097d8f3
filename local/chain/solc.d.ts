/** The part of solc that this project uses. The package contains no types. */
declare module 'solc' {
  const solc: {
    /** Compiles the standard JSON input, and returns the standard JSON output. */
    compile(input: string): string
  }
  export = solc
}
