import { Alert, List, Stack, Text, ThemeIcon, Title } from '@mantine/core'
import { Check as CheckIcon, type LucideIcon, Minus, X } from 'lucide-react'
import type { CheckProofQuery } from '../../graphql/generated/graphql.ts'

/** A check of the proof, as the platform returns it. */
export type Check = CheckProofQuery['check_proof']['checks'][number]

/** The statement that each check tests, by the name of the check. */
const TITLES: Readonly<Record<string, string>> = {
  app: 'The app is active',
  action: 'The action exists and is active',
  engine: 'The app’s proofs are verified here',
  protocol: 'The action accepts this protocol',
  format: 'The fields are well-formed',
  environment: 'The app accepts this environment',
  rp_id: 'The proof was made for this app',
  signal: 'The signal hash matches the signal',
  external_nullifier: 'The proof was made for this app and action',
  root: 'The root is known and recent enough',
  issuer: 'The issuer of the credential is registered',
  oprf_key: 'The relying party has an OPRF key',
  expiry: 'The proof has not expired',
  nonce: 'The proof was made for this nonce',
  proof: 'The proof is valid',
  limit: 'The person has not reached the limit',
}

/** Shows a summary of the checks, and each check. */
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
        The platform would accept it. The debugger did not count the person.
      </Alert>
    )
  return (
    <Alert
      role="status"
      color="red"
      title={failed === 1 ? 'One check fails' : `${failed} checks fail`}
    >
      The platform would reject this proof.
    </Alert>
  )
}

type Outcome = { word: string; color: string; icon: LucideIcon }

const YES: Outcome = { word: 'Yes', color: 'teal', icon: CheckIcon }
const NO: Outcome = { word: 'No', color: 'red', icon: X }
const NOT_CHECKED: Outcome = { word: 'Not checked', color: 'gray', icon: Minus }

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
  return passed === false ? NO : NOT_CHECKED
}
