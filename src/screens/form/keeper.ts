import { fieldNames, type FormValues, type Tab } from '#contract/application.ts'
import type { ApplicationId } from '#contract/ids.ts'
import type { Services } from '#portal/services.ts'
import type { Draft } from '#store/draft.ts'
import type { Standing } from '#sync/standings.ts'
import type { Kept } from './autosave.ts'
import type { ApplicationForm } from './clear-fields.ts'

type Parts = {
  services: Pick<Services, 'sync'>
  appId: ApplicationId
  form: ApplicationForm
  /** The draft as the form started from it. */
  known: Draft
  tab: () => Tab
  /** A tab that has lost the form to another writes no more (D32). */
  isMine: () => boolean
  /** Whether the form as it stands could be submitted. */
  isFaultless: () => boolean
}

/** Keeps the open form, and brings into it what came from the server meanwhile; never over a key just typed. */
export function createKeeper({ services: { sync }, appId, form, known: first, ...parts }: Parts) {
  const { tab, isMine, isFaultless } = parts
  let known = first

  function snapshot(): FormValues {
    return { ...form.getValues() }
  }

  /** Fields that still stand as they were sent take what was kept; where a key came between, the next write settles it. */
  function takeIn(sent: FormValues, draft: Draft | undefined) {
    if (!draft) return
    const now = snapshot()
    const news = fieldNames.filter(field => draft.values[field] !== sent[field])
    for (const field of news.filter(each => now[each] === sent[each]))
      form.setValue(field, draft.values[field])
    if (news.every(field => now[field] === sent[field])) known = draft
  }

  return {
    async write(): Promise<Kept> {
      if (!isMine()) return { kind: 'elsewhere' }
      const sent = snapshot()
      const kept = await sync.keep(appId, { values: sent, tab: tab(), known, isFaultless })
      takeIn(sent, kept.draft)
      return kept
    },
    async submit(): Promise<Standing> {
      if (!isMine()) return { kind: 'not-kept' }
      const sent = snapshot()
      const standing = await sync.submit(appId, { values: sent, tab: tab(), known })
      if ('draft' in standing) takeIn(sent, standing.draft)
      return standing
    },
    async choose(picked: FormValues): Promise<void> {
      if (!isMine()) return
      await sync.choose(appId, picked)
      const standing = await sync.read(appId)
      if (!('draft' in standing)) return
      known = standing.draft
      for (const field of fieldNames)
        if (form.getValues(field) !== known.values[field]) form.setValue(field, known.values[field])
    },
    /** The store has answers that the form does not show. */
    isBehind(): boolean {
      const standing = sync.standing(appId)
      if (!('draft' in standing)) return false
      const { values } = standing.draft
      return fieldNames.some(field => values[field] !== known.values[field])
    },
  }
}
