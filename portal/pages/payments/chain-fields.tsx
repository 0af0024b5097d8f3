import { Select } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { useEffect, useEffectEvent } from 'react'
import { z } from 'zod'
import { ChainsDocument } from '../../graphql/generated/graphql.ts'
import { request } from '../../graphql/request.ts'
import type { PaymentForm } from './payment-input.ts'

/** A chain that the platform reads payments from, and the tokens that it knows there. */
type Chain = { name: string; tokens: string[] }

/** Selects a chain that the platform reads payments from, and one of its tokens. If there is only one chain, it is selected already. */
export function ChainFields<Parsed>({ form }: { form: PaymentForm<Parsed> }) {
  const query = useQuery({ queryKey: ['chains'], queryFn: ({ signal }) => readChains(signal) })
  const chains = query.data ?? []
  const [onlyChain] = chains.length === 1 ? chains : []
  const { chain: chosenChain, token: chosenToken } = form.getValues()
  const choose = useEffectEvent((chain: string) => {
    if (chosenChain === '') form.setFieldValue('chain', chain)
  })
  useEffect(() => {
    if (onlyChain !== undefined) choose(onlyChain.name)
  }, [onlyChain])
  const tokens = chains.find(({ name }) => name === chosenChain)?.tokens ?? []
  return (
    <>
      <Select
        {...form.getInputProps('chain')}
        label="Chain"
        description="The chain of the payment."
        placeholder={query.isPending ? 'Loading …' : 'Choose a chain'}
        data={withChosen(
          chains.map(({ name }) => name),
          chosenChain,
        )}
        error={form.errors.chain ?? explainMissingChains(query)}
        allowDeselect={false}
        disabled={chains.length === 0}
      />
      <Select
        {...form.getInputProps('token')}
        label="Token"
        description="The token of the payment. The list has the tokens that this platform knows on the chain."
        placeholder={chosenChain === '' ? 'Choose a chain first' : 'Choose a token'}
        data={withChosen(tokens, chosenToken)}
        allowDeselect={false}
        searchable
        nothingFoundMessage="This platform does not know this token here. Ask its operator to add it."
        disabled={chosenChain === ''}
      />
    </>
  )
}

/** Returns the choices and the chosen value, which the platform may no longer offer. */
function withChosen(choices: readonly string[], chosen: string): string[] {
  return chosen === '' || choices.includes(chosen) ? [...choices] : [...choices, chosen]
}

const Tokens = z.array(z.string()).catch([])

async function readChains(signal: AbortSignal): Promise<Chain[]> {
  const { chain } = await request(ChainsDocument, {}, signal)
  return chain.flatMap(({ name, tokens }) => (name ? [{ name, tokens: Tokens.parse(tokens) }] : []))
}

function explainMissingChains({ data, error }: { data: Chain[] | undefined; error: Error | null }) {
  if (error) return error.message
  return (
    data?.length === 0 && 'This platform has no chain for payments. Ask its operator to add one.'
  )
}
