/** The colours of the actions. Colours next to each other also differ in lightness, for colour-blind users. */
const COLORS = [
  'var(--accent)',
  'var(--mantine-color-cyan-5)',
  'var(--mantine-color-grape-8)',
  'var(--mantine-color-lime-6)',
  'var(--mantine-color-pink-8)',
  'var(--mantine-color-blue-4)',
  'var(--mantine-color-orange-8)',
  'var(--mantine-color-green-5)',
  'var(--mantine-color-gray-6)',
] as const

/** Returns the colour of a series by its position. */
export function colorAt(index: number): string {
  return COLORS[index % COLORS.length] ?? COLORS[0]
}
