/** Vite and vitest import the text of a file with `?raw`. */
declare module '*?raw' {
  const text: string
  export default text
}
