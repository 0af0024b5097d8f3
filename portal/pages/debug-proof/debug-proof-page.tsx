import { Stack, Textarea } from '@mantine/core'
import { useState } from 'react'
import { useLocation } from 'react-router'
import { z } from 'zod'
import { ChangeForm } from '../../components/change-form.tsx'
import { PageTitle } from '../../components/page-title.tsx'
import { useInputForm } from '../../components/use-input-form.ts'
import { CheckProofDocument } from '../../graphql/generated/graphql.ts'
import { request } from '../../graphql/request.ts'
import { ActionField } from '../../team/action-field.tsx'
import { useApp } from '../../team/current-app.tsx'
import { type Check, CheckList } from './check-list.tsx'

const Input = z
  .object({
    action: z.string().trim(),
    proof: z
      .string()
      .transform((text, context): unknown => {
        try {
          return JSON.parse(text)
        } catch {
          context.addIssue('This is not JSON. Paste the whole object, with its braces.')
          return z.NEVER
        }
      })
      .pipe(
        z.record(z.string(), z.unknown(), 'This is not a JSON object. Paste an object in braces.'),
      ),
  })
  .refine(({ action, proof }) => action !== '' || isSessionProof(proof), {
    path: ['action'],
    error: 'Enter the action of this proof.',
    // Reports a missing action even if the proof is wrong, too.
    when: () => true,
  })

/** True for the result of a session, which has no action. */
function isSessionProof(proof: unknown): boolean {
  return typeof proof === 'object' && proof !== null && 'session_id' in proof
}

/** The proof to check, and its action. A link from another page passes them as the router's state. */
const LinkState = z.object({ action: z.string(), proof: z.string() })

/** The page that shows each check of a proof with its result and reason. */
export function DebugProofPage() {
  const { id: app_id } = useApp()
  const { state }: { state: unknown } = useLocation()
  const form = useInputForm(Input, LinkState.safeParse(state).data ?? { action: '', proof: '' })
  const [checks, setChecks] = useState<readonly Check[] | null>(null)
  return (
    <>
      <PageTitle
        title="Proof debugger"
        about="Paste a rejected proof to see the result of each check. The person is not counted."
      />
      <Stack gap="xl">
        <ChangeForm
          form={form}
          label="Check the proof"
          isUnsaved={false}
          change={(values) => {
            setChecks(null)
            return request(CheckProofDocument, { app_id, ...values })
          }}
          onDone={({ check_proof }) => setChecks(check_proof.checks)}
        >
          <ActionField
            description="Leave it empty for a session proof."
            {...form.getInputProps('action')}
            value={form.values.action}
          />
          <Textarea
            label="Proof"
            description="The result of IDKit, the output of npm run simulate, or the body of a verify request."
            placeholder='{"proof": "0x…", "nullifier_hash": "0x…", "merkle_root": "0x…", …}'
            autosize
            minRows={8}
            maxRows={20}
            spellCheck={false}
            styles={{ input: { fontFamily: 'var(--font-code)' } }}
            {...form.getInputProps('proof')}
          />
        </ChangeForm>
        {checks && <CheckList checks={checks} />}
      </Stack>
    </>
  )
}
