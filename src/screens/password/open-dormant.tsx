import type { ReactNode } from 'react'
import type { Services } from '#app/services.ts'
import type { Contact } from '#sign-in/pending-sign-in.ts'
import { DormantScreen } from './dormant-question.tsx'

/** Loads the texts of the question, and returns its page. Rejects when the texts do not load. */
export async function openDormant(
  { language }: Pick<Services, 'language'>,
  props: { contact: Contact; question: unknown },
): Promise<ReactNode> {
  await Promise.all([language.loadMessages('help'), language.loadMessages('rest')])
  return <DormantScreen {...props} />
}
