import { createPublicKey, type KeyObject } from 'node:crypto'
import { showDate } from '#contract/dates.ts'
import { verifyReceipt } from '#server/features/receipt/qr-signature.ts'
import { loadSecrets } from '#server/config/secrets.ts'
import {
  type Command,
  type CommandContext,
  done,
  type CommandArguments,
  type Outcome,
  refused,
} from './command.ts'

export const verifyCommand: Command = {
  name: 'verify',
  usage: 'TEXT | --file FILE',
  operands: [0, 1],
  summary: 'Checks whether the QR code of a receipt is genuine, and prints its content',
  help: [
    'TEXT is the content of the code; a file has one on each line.',
    'The exit code is 1 when one of them is not genuine.',
  ],
  options: { file: { type: 'string' } },
  isRecorded: false,
  async run(context, given) {
    const texts = readTexts(context, given)
    if ('kind' in texts) return texts
    const { receiptPublicKey, previousReceiptKeys } = await loadSecrets(context.trx, context.config)
    const keys = [receiptPublicKey, ...previousReceiptKeys.map(({ pem }) => pem)].map(pem =>
      createPublicKey(pem),
    )
    const verdicts = texts.map(text => describe(text, keys))
    const lines = verdicts.map(({ line }) => line)
    return verdicts.every(({ genuine }) => genuine) ? done(...lines) : refused(...lines)
  },
}

function readTexts(
  { openFile }: CommandContext,
  { operands: [text], options }: CommandArguments,
): string[] | Outcome {
  const { file: path } = options
  if (typeof path !== 'string')
    return text === undefined ? refused('Give the text of a code, or --file FILE.') : [text]
  if (text !== undefined) return refused('Give the text of a code or --file FILE, not both.')
  const file = openFile(path)
  if (file.kind === 'unreadable') return refused(file.reason)
  const texts = Buffer.from(file.bytes)
    .toString()
    .split(/\r?\n/)
    .filter(line => line.trim() !== '')
  return texts.length > 0 ? texts : refused(`${file.name}: It is empty.`)
}

function describe(text: string, keys: readonly KeyObject[]): { genuine: boolean; line: string } {
  const verdicts = keys.map(key => verifyReceipt(text, key))
  const verdict = verdicts.find(({ kind }) => kind === 'genuine') ?? verdicts[0] ?? { kind: 'unreadable' }
  switch (verdict.kind) {
    case 'genuine': {
      const { applicationNumber, name, yearOfBirth, office, date } = verdict.fields
      const when = date === null ? 'general queue' : showDate(date)
      const facts = [applicationNumber, name, `born ${yearOfBirth}`, office, when]
      return { genuine: true, line: `genuine: ${facts.join(', ')}` }
    }
    case 'forged':
      return { genuine: false, line: `FORGED: ${text.trim()}` }
    case 'unreadable':
      return { genuine: false, line: `not the code of a receipt: ${text.trim()}` }
  }
}
