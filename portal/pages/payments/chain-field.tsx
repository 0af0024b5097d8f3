import { Select } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { useEffect, useEffectEvent } from 'react'
import { ChainsDocument } from '../../graphql/generated/graphql.ts'
import { request } from '../../graphql/request.ts'
import type { PaymentForm } from './payment-input.ts'

/** Selects a chain that the platform reads payments from. If there is only one chain, it is selected already. */
export function ChainField({ form }: { form: PaymentForm }) {
  const query = useQuery({ queryKey: ['chains'], queryFn: ({ signal }) => readChains(signal) })
  const chains = query.data ?? []
  const [onlyChain] = chains.length === 1 ? chains : []
  const choose = useEffectEvent((chain: string) => form.setFieldValue('chain', chain))
  useEffect(() => {
    if (onlyChain !== undefined) choose(onlyChain)
  }, [onlyChain])
  return (
    <Select
      {...form.getInputProps('chain')}
      label="Chain"
      description="The chain of the payment."
      placeholder={query.isPending ? 'Loading …' : 'Choose a chain'}
      data={chains}
      error={form.errors.chain ?? explainMissingChains(query)}
      allowDeselect={false}
      disabled={chains.length === 0}
    />
  )
}

async function readChains(signal: AbortSignal): Promise<string[]> {
  const { chain } = await request(ChainsDocument, {}, signal)
  return chain.flatMap(({ name }) => name ?? [])
}

function explainMissingChains({
  data,
  error,
}: {
  data: string[] | undefined
  error: Error | null
}) {
  if (error) return error.message
  return (
    data?.length === 0 && 'This platform has no chain for payments. Ask its operator to add one.'
  )
}
