import { ActionIcon, Code, CopyButton, Group, Tooltip } from '@mantine/core'
import { Check, Copy } from 'lucide-react'

/** A value with a button that copies it. `label` names the value for screen readers. */
export function Copyable({ text, label }: { text: string; label: string }) {
  return (
    <Group gap={4} wrap="nowrap">
      <Code style={{ userSelect: 'all', overflowWrap: 'anywhere' }}>{text}</Code>
      <CopyButton value={text}>
        {({ copied, copy }) => (
          <Tooltip label={copied ? 'Copied' : `Copy ${label}`}>
            <ActionIcon
              variant="subtle"
              color="gray"
              aria-label={copied ? `Copied ${label}` : `Copy ${label}`}
              onClick={copy}
            >
              {copied ? <Check size={16} /> : <Copy size={16} />}
            </ActionIcon>
          </Tooltip>
        )}
      </CopyButton>
    </Group>
  )
}
