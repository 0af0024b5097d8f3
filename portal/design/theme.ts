import {
  Anchor,
  Badge,
  type CSSVariablesResolver,
  createTheme,
  Input,
  Menu,
  Modal,
  Notification,
  SegmentedControl,
  TableScrollContainer,
} from '@mantine/core'

/** The shades of the accent colour, from light to dark. Mantine requires them. Fills and texts use the tokens instead. */
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

/** The colours of the dark scheme, from text to background: the dark values of the tokens, and colours between them. */
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
    // Colour alone does not distinguish a link from the text around it.
    Anchor: Anchor.extend({ defaultProps: { underline: 'always' } }),
    // The text of a badge is never cut off, not even in a narrow table.
    Badge: Badge.extend({ defaultProps: { miw: 'max-content' } }),
    // The borders are as dark as on the platform's other pages, so that users with low vision see the fields.
    Input: Input.extend({
      styles: (_theme, { error }) => ({
        wrapper: error ? {} : { '--input-bd': 'var(--line-strong)' },
      }),
    }),
    Modal: Modal.extend({
      styles: { title: { fontWeight: 650 } },
      defaultProps: {
        closeButtonProps: { 'aria-label': 'Close' },
        // For screen readers, the only banner of a page is its header. So a dialog's header must not be a banner.
        attributes: { header: { role: 'presentation' } },
      },
    }),
    Notification: Notification.extend({
      styles: { description: { color: 'var(--ink-quiet)' } },
      defaultProps: { closeButtonProps: { 'aria-label': 'Close' } },
    }),
    // The labels have enough contrast in both schemes, also at the moment when the scheme changes.
    SegmentedControl: SegmentedControl.extend({
      defaultProps: { transitionDuration: 0 },
      styles: { label: { color: 'var(--ink)' } },
    }),
    // By default, Mantine focuses a placeholder, which a menu must not contain. Without it, the first item gets the focus. The
    // menu is rendered next to its button.
    Menu: Menu.extend({
      defaultProps: { withInitialFocusPlaceholder: false, withinPortal: false },
    }),
    // Makes wide tables scrollable by keyboard.
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
  ...semanticVariables('red', 'bad'),
  ...semanticVariables('orange', 'warning'),
  ...semanticVariables('yellow', 'warning'),
  ...semanticVariables('teal', 'good'),
}

type Shades = { soft: string; text: string; fill: string }

/** Returns the variables of a Mantine colour that has a semantic token. For example, red has `--bad`. */
function semanticVariables(name: string, meaning: string): Record<string, string> {
  return variables(`color-${name}`, {
    soft: `--${meaning}-soft`,
    text: `--${meaning}`,
    fill: `--${meaning}-fill`,
  })
}

/** Returns the variables of a Mantine colour. */
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
