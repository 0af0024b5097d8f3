import { Alert, List, Stack, Text, ThemeIcon, Title } from '@mantine/core'
import { Check as CheckIcon, type LucideIcon, Minus, X } from 'lucide-react'
import type { CheckProofQuery } from '../../graphql/generated/graphql.ts'

/** One check, as the platform made it. */
export type Check = CheckProofQuery['check_proof']['checks'][number]

/** What each check, by its name, is about. */
const TITLES: Readonly<Record<string, string>> = {
  app: 'The app is active',
  action: 'The action exists, and is active',
  engine: 'The app’s proofs are verified here',
  format: 'The fields are well-formed',
  signal: 'The hash is that of the signal',
  external_nullifier: 'It was made for this app and action',
  root: 'The root is known, and young enough',
  proof: 'The proof is valid',
  limit: 'The person may verify once more',
}

/** What came of the checks, and each of them. */
export function CheckList({ checks }: { checks: readonly Check[] }) {
  return (
    <Stack component="section" aria-label="Checks" maw="48rem">
      <Summary checks={checks} />
      <List
        listStyleType="none"
        spacing="md"
        styles={{ itemWrapper: { alignItems: 'flex-start' } }}
      >
        {checks.map((check) => (
          <CheckItem key={check.name} check={check} />
        ))}
      </List>
    </Stack>
  )
}

function Summary({ checks }: { checks: readonly Check[] }) {
  const failed = checks.filter(({ passed }) => passed === false).length
  if (failed === 0)
    return (
      <Alert role="status" color="teal" title="Nothing is wrong with this proof">
        Nobody was counted. Sent to the platform, it would be verified.
      </Alert>
    )
  return (
    <Alert
      role="status"
      color="red"
      title={failed === 1 ? 'One check fails' : `${failed} checks fail`}
    >
      A verification would be refused.
    </Alert>
  )
}

type Outcome = { word: string; color: string; icon: LucideIcon }

const YES: Outcome = { word: 'Yes', color: 'teal', icon: CheckIcon }
const NO: Outcome = { word: 'No', color: 'red', icon: X }
const UNJUDGED: Outcome = { word: 'Not judged', color: 'gray', icon: Minus }

function CheckItem({ check: { name, passed, detail } }: { check: Check }) {
  const { word, color, icon: Icon } = outcomeOf(passed)
  return (
    <List.Item
      icon={
        <ThemeIcon color={color} size={24} radius="xl" role="img" aria-label={word}>
          <Icon aria-hidden size={16} />
        </ThemeIcon>
      }
    >
      <Title order={2} size="h5">
        {TITLES[name] ?? name}
      </Title>
      <Text size="sm" c="dimmed">
        <Text span inherit fw={650} c="var(--ink)">
          {word}.
        </Text>{' '}
        {detail}
      </Text>
    </List.Item>
  )
}

function outcomeOf(passed: boolean | null | undefined): Outcome {
  if (passed === true) return YES
  return passed === false ? NO : UNJUDGED
}
