import { Accordion, Stack, TextInput } from '@mantine/core'
import { useState } from 'react'
import type { PaymentForm } from './payment-input.ts'

const FIELDS = ['expected_from', 'not_before'] as const

/** The optional conditions of a payment. The fields are collapsed unless a field has an error. */
export function MoreFields<Parsed>({ form }: { form: PaymentForm<Parsed> }) {
  const [openItem, setOpenItem] = useState<string | null>(null)
  const isWrong = FIELDS.some((name) => name in form.errors)
  return (
    <Accordion
      chevronPosition="left"
      value={isWrong ? 'more' : openItem}
      onChange={setOpenItem}
      // Aligned with the fields above.
      styles={{
        item: { borderBottom: 'none' },
        control: { paddingInline: 0 },
        content: { paddingInline: 0 },
      }}
    >
      <Accordion.Item value="more">
        <Accordion.Control>More options</Accordion.Control>
        <Accordion.Panel>
          <Stack>
            <TextInput
              label="Expected payer"
              description="If you enter your customer’s wallet, only a payment from it counts."
              placeholder="0x…"
              autoCapitalize="none"
              autoComplete="off"
              spellCheck={false}
              {...form.getInputProps('expected_from')}
            />
            <TextInput
              type="datetime-local"
              step={1}
              label="Not before"
              description="When your customer ordered, in your time zone. An older payment does not count."
              {...form.getInputProps('not_before')}
            />
          </Stack>
        </Accordion.Panel>
      </Accordion.Item>
    </Accordion>
  )
}
