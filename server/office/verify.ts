import { createPublicKey, type KeyObject } from 'node:crypto'
import { showDate } from '#contract/dates.ts'
import { verifyReceipt } from '#server/features/receipt/qr-signature.ts'
import { loadSecrets } from '#server/secrets.ts'
import { type Command, type Desk, done, type Given, type Outcome, refused } from './command.ts'

export const verify: Command = {
  name: 'verify',
  takes: 'TEXT | --file FILE',
  operands: [0, 1],
  summary: 'Says whether the QR code of a receipt is genuine, and what it vouches for',
  help: [
    'TEXT is what a scanner reads from the code; a file has one on each line.',
    'It ends with 1 when one of them is not genuine.',
  ],
  options: { file: { type: 'string' } },
  async run(desk, given) {
    const texts = readTexts(desk, given)
    if ('kind' in texts) return texts
    const { receiptPublicKey } = await loadSecrets(desk.trx, desk.config)
    const key = createPublicKey(receiptPublicKey)
    const verdicts = texts.map(text => describe(text, key))
    const lines = verdicts.map(({ line }) => line)
    return verdicts.every(({ genuine }) => genuine) ? done(...lines) : refused(...lines)
  },
}

function readTexts({ openFile }: Desk, { operands: [text], options }: Given): string[] | Outcome {
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

function describe(text: string, key: KeyObject): { genuine: boolean; line: string } {
  const verdict = verifyReceipt(text, key)
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
