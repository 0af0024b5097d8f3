import {
  Anchor,
  Badge,
  type CSSVariablesResolver,
  createTheme,
  Input,
  Menu,
  Modal,
  TableScrollContainer,
} from '@mantine/core'

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

/** What the dark scheme is made of, from its text to its deepest ground: the dark side of the tokens. */
const DARK = [
  '#eceef2',
  '#d0d4dd',
  '#a3a9b8',
  '#7f8799',
  '#31353f',
  '#262a33',
  '#1b1e25',
  '#14161b',
  '#101216',
  '#0b0c0f',
] as const

/** How Mantine's components look here. */
export const theme = createTheme({
  primaryColor: 'accent',
  primaryShade: { light: 7, dark: 6 },
  colors: { accent: ACCENT, dark: DARK },
  fontFamily: 'var(--font)',
  fontFamilyMonospace: 'var(--font-code)',
  defaultRadius: 'md',
  headings: { fontWeight: '650' },
  respectReducedMotion: true,
  components: {
    // Colour alone does not tell a link from the text around it.
    Anchor: Anchor.extend({ defaultProps: { underline: 'always' } }),
    // What it says is never cut off, also where a table is narrow.
    Badge: Badge.extend({ defaultProps: { miw: 'max-content' } }),
    // As strong as on the platform's other pages, so that who sees little sees where to write.
    Input: Input.extend({
      styles: (_theme, { error }) => ({
        wrapper: error ? {} : { '--input-bd': 'var(--line-strong)' },
      }),
    }),
    Modal: Modal.extend({
      defaultProps: {
        closeButtonProps: { 'aria-label': 'Close' },
        // A page has one banner, its own head.
        attributes: { header: { role: 'presentation' } },
      },
    }),
    // The first item is focused itself, and no placeholder before it, which a menu must not have; in the place of its button.
    Menu: Menu.extend({
      defaultProps: { withInitialFocusPlaceholder: false, withinPortal: false },
    }),
    // Who uses the keyboard scrolls wide tables, too.
    TableScrollContainer: TableScrollContainer.extend({
      defaultProps: { scrollAreaProps: { viewportProps: { tabIndex: 0 } } },
    }),
  },
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
  '--mantine-primary-color-contrast': 'var(--accent-ink)',
  ...variables('primary-color', { soft: '--accent-soft', text: '--accent-text', fill: '--accent' }),
  ...variables('color-accent', { soft: '--accent-soft', text: '--accent-text', fill: '--accent' }),
  '--mantine-primary-color-filled-hover': 'var(--accent-hover)',
  '--mantine-color-accent-filled-hover': 'var(--accent-hover)',
  ...variables('color-gray', { soft: '--paper-sunken', text: '--ink', fill: '--ink-quiet' }),
  ...meaningVariables('red', 'bad'),
  ...meaningVariables('orange', 'warning'),
  ...meaningVariables('yellow', 'warning'),
  ...meaningVariables('teal', 'good'),
}

type Shades = { soft: string; text: string; fill: string }

/** Those of a colour that the tokens call by what it means. */
function meaningVariables(name: string, meaning: string): Record<string, string> {
  return variables(`color-${name}`, {
    soft: `--${meaning}-soft`,
    text: `--${meaning}`,
    fill: `--${meaning}-fill`,
  })
}

/** The variables of one of Mantine's colours. */
function variables(name: string, { soft, text, fill }: Shades): Record<string, string> {
  return {
    [`--mantine-${name}-light`]: `var(${soft})`,
    [`--mantine-${name}-light-hover`]: `var(${soft})`,
    [`--mantine-${name}-light-color`]: `var(${text})`,
    [`--mantine-${name}-outline`]: `var(${text})`,
    [`--mantine-${name}-text`]: `var(${text})`,
    [`--mantine-${name}-filled`]: `var(${fill})`,
    [`--mantine-${name}-filled-hover`]: `var(${fill})`,
  }
}

/** Takes Mantine's colours from the tokens that all of the platform's pages share. */
export const resolveVariables: CSSVariablesResolver = () => ({
  variables: {},
  light: TOKENS,
  dark: TOKENS,
})
