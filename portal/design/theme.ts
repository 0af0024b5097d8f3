import { type CSSVariablesResolver, createTheme } from '@mantine/core'

/** The shades of the accent, from light to dark; what is filled or written with it comes from the tokens. */
const ACCENT = [
  '#f0f0fd',
  '#e0dffb',
  '#c4c2f5',
  '#a6a3ee',
  '#8884e5',
  '#6e6ade',
  '#5b5bd6',
  '#5151cd',
  '#4646b8',
  '#33338c',
] as const

/** How Mantine's components look here. */
export const theme = createTheme({
  primaryColor: 'accent',
  primaryShade: { light: 7, dark: 6 },
  colors: { accent: ACCENT },
  fontFamily: 'var(--font)',
  fontFamilyMonospace: 'var(--font-code)',
  defaultRadius: 'md',
  headings: { fontWeight: '650' },
  respectReducedMotion: true,
  cursorType: 'pointer',
})

const TOKENS = {
  '--mantine-color-body': 'var(--paper)',
  '--mantine-color-text': 'var(--ink)',
  '--mantine-color-dimmed': 'var(--ink-quiet)',
  '--mantine-color-placeholder': 'var(--ink-quiet)',
  '--mantine-color-error': 'var(--bad)',
  '--mantine-color-anchor': 'var(--accent-text)',
  '--mantine-color-default-border': 'var(--line)',
  '--mantine-primary-color-filled': 'var(--accent)',
  '--mantine-primary-color-filled-hover': 'var(--accent-hover)',
  '--mantine-primary-color-contrast': 'var(--accent-ink)',
  '--mantine-primary-color-light': 'var(--accent-soft)',
  '--mantine-primary-color-light-hover': 'var(--accent-soft)',
  '--mantine-primary-color-light-color': 'var(--accent-text)',
  '--mantine-color-accent-filled': 'var(--accent)',
  '--mantine-color-accent-filled-hover': 'var(--accent-hover)',
  '--mantine-color-accent-light': 'var(--accent-soft)',
  '--mantine-color-accent-light-hover': 'var(--accent-soft)',
  '--mantine-color-accent-light-color': 'var(--accent-text)',
}

/** Takes Mantine's colours from the tokens that all of the platform's pages share. */
export const resolveVariables: CSSVariablesResolver = () => ({
  variables: {},
  light: TOKENS,
  dark: TOKENS,
})
